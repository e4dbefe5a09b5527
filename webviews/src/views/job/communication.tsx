// Operations with their bandwidth, by size and by pair of ranks; each collective with who came when.
import { useMemo, useRef } from 'preact/hooks';
import type { Row } from '#shared/protocol.ts';
import { fixed, plural, quantity } from '#shared/numbers.ts';
import { viewState } from '../../host/store.ts';
import { chartColors, partColors } from '../../lib/colors.ts';
import { visible } from '../../lib/format.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { Charts } from '../../widgets/charts.tsx';
import { Segments } from '../../widgets/controls.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { Legend } from '../../widgets/stacked_bars.tsx';
import { numberOf, text } from '../links.ts';
import { CallMembers } from './call_members.tsx';
import { HeatMap } from './heat_map.tsx';
import { useJob } from './overview.tsx';
import { Scatter, type Point } from './scatter.tsx';
import { JobTable, RankLink, useRows, type By } from './table.tsx';

function SizePlot() {
  const { rows, error } = useRows('sizes');
  const asTable = viewState('job', 'sizesAsTable', false);
  const rate = viewState<'busBandwidth' | 'algorithmBandwidth'>('job', 'sizesRate', 'busBandwidth');
  const root = useRef<HTMLDivElement>(null);
  const known = (rows ?? []).filter(
    (row) => (numberOf(row, 'sizeBytes') ?? 0) > 0 && (numberOf(row, rate.value) ?? 0) > 0,
  );
  const operations = [...new Set(known.map((row) => text(row, 'operation')))];
  const colors = partColors(operations);
  const wordsOf = (row: Row): string[] => [
    `${text(row, 'operation')} of ${quantity(numberOf(row, 'sizeBytes'), 'bytes')}`,
    `${plural(numberOf(row, 'ranks') ?? 0, 'rank')}, ${plural(numberOf(row, 'calls') ?? 0, 'call')}`,
    `Bus bandwidth ${quantity(numberOf(row, 'busBandwidth'), 'gbPerS')}`,
    `Algorithm bandwidth ${quantity(numberOf(row, 'algorithmBandwidth'), 'gbPerS')}`,
  ];
  const points = known
    .map((row): Point => {
      const at = operations.indexOf(text(row, 'operation'));
      return {
        x: numberOf(row, 'sizeBytes') ?? 1,
        y: numberOf(row, rate.value) ?? 1,
        color: colors[at]!,
        shape: at,
        words: wordsOf(row),
      };
    })
    .sort((a, b) => a.x - b.x);
  return (
    <Panel
      title="Bandwidth by size"
      definition="Of collectives that were found on all their ranks: bytes by the shortest call. The bus bandwidth is what links carry, whatever the number of ranks."
      actions={
        <>
          <Segments
            label="Bandwidth"
            of={rate}
            choices={{ busBandwidth: 'Bus', algorithmBandwidth: 'Algorithm' }}
          />
          <ChartMenu name="Bandwidth by size" chart={root} asTable={asTable} />
        </>
      }
    >
      <div ref={root}>
        {error !== undefined ? (
          <Failure error={error} />
        ) : rows === undefined ? (
          <Waiting what="Adding up the sizes" />
        ) : points.length === 0 ? (
          <Nothing>Sizes were not recorded, or no collective was found on several ranks.</Nothing>
        ) : asTable.value ? (
          <PlainTable
            label="Bandwidth by size"
            columns={[
              { title: 'Operation' },
              { title: 'Ranks', numeric: true },
              { title: 'Size', numeric: true },
              { title: 'Calls', numeric: true },
              { title: 'Bus bandwidth', numeric: true },
              { title: 'Algorithm bandwidth', numeric: true },
            ]}
            rows={known.map((row) => [
              visible(text(row, 'operation')),
              fixed(numberOf(row, 'ranks') ?? 0, 0),
              quantity(numberOf(row, 'sizeBytes'), 'bytes'),
              fixed(numberOf(row, 'calls') ?? 0, 0),
              quantity(numberOf(row, 'busBandwidth'), 'gbPerS'),
              quantity(numberOf(row, 'algorithmBandwidth'), 'gbPerS'),
            ])}
          />
        ) : (
          <>
            <Scatter
              label="Bandwidth of collectives by their size"
              xTitle="Size of the largest rank's part (bytes)"
              xUnit="bytes"
              yTitle={rate.value === 'busBandwidth' ? 'Bus bandwidth (GB/s)' : 'Bandwidth (GB/s)'}
              yUnit="gbPerS"
              points={points}
            />
            <Legend parts={operations.map((title, index) => ({ title, color: colors[index]! }))} />
          </>
        )}
      </div>
    </Panel>
  );
}

/** More ranks than this are left to the table of pairs. */
const mostInMatrix = 192;

function Matrix() {
  const ranks = useJob()?.ranks.length ?? 0;
  if (ranks <= mostInMatrix) return <MatrixOfAll />;
  return (
    <Panel title="Who talks to whom">
      <Nothing>
        {`${fixed(ranks, 0)} ranks have more pairs than a chart can show: the table of pairs lists them.`}
      </Nothing>
    </Panel>
  );
}

function MatrixOfAll() {
  const { rows, error } = useRows('matrix');
  const asTable = viewState('job', 'matrixAsTable', false);
  const root = useRef<HTMLDivElement>(null);
  const matrix = useMemo(() => {
    const ranks = new Set<number>();
    for (const row of rows ?? []) {
      ranks.add(numberOf(row, 'rank') ?? 0);
      ranks.add(numberOf(row, 'peer') ?? 0);
    }
    const order = [...ranks].sort((a, b) => a - b);
    const at = new Map(order.map((rank, index) => [rank, index]));
    const cells = order.map(() => order.map((): number | undefined => undefined));
    const found = order.map(() => order.map((): Row | undefined => undefined));
    let most = 0;
    for (const row of rows ?? []) {
      const [from, to] = [at.get(numberOf(row, 'rank') ?? 0)!, at.get(numberOf(row, 'peer') ?? 0)!];
      const bytes = numberOf(row, 'bytes') ?? 0;
      cells[from]![to] = bytes;
      found[from]![to] = row;
      most = Math.max(most, bytes);
    }
    return { order, cells, found, most };
  }, [rows]);
  const { order } = matrix;
  const words = (line: number, column: number): string[] => {
    const row = matrix.found[line]?.[column];
    const title = `From rank ${order[line]} to rank ${order[column]}`;
    if (row === undefined) return [title, 'Nothing'];
    const exact = row.exact === true;
    return [
      title,
      `${quantity(numberOf(row, 'bytes'), 'bytes')} in ${plural(numberOf(row, 'calls') ?? 0, 'call')}`,
      exact
        ? 'Sends, as recorded'
        : 'Collectives count as if each rank sent to the others in equal parts',
    ];
  };
  return (
    <Panel
      title="Who talks to whom"
      definition="Bytes from rank to rank: sends as recorded, collectives in equal parts."
      actions={<ChartMenu name="Who talks to whom" chart={root} asTable={asTable} pngOnly />}
    >
      <div ref={root}>
        {error !== undefined ? (
          <Failure error={error} />
        ) : rows === undefined ? (
          <Waiting what="Adding up the pairs" />
        ) : order.length === 0 ? (
          <Nothing>No two ranks were found to talk to each other.</Nothing>
        ) : asTable.value ? (
          <PlainTable
            label="Who talks to whom"
            columns={[
              { title: 'From' },
              { title: 'To', numeric: true },
              { title: 'Bytes', numeric: true },
              { title: 'Calls', numeric: true },
            ]}
            rows={(rows ?? [])
              .slice(0, 1000)
              .map((row) => [
                <RankLink key="from" rank={numberOf(row, 'rank') ?? 0} />,
                <RankLink key="to" rank={numberOf(row, 'peer') ?? 0} />,
                quantity(numberOf(row, 'bytes'), 'bytes'),
                fixed(numberOf(row, 'calls') ?? 0, 0),
              ])}
          />
        ) : (
          <HeatMap
            label="Bytes from rank to rank"
            xTitle="To rank"
            yTitle="From rank"
            columns={order.map(String)}
            lines={order.map(String)}
            cells={matrix.cells}
            least={0}
            most={matrix.most}
            unit="bytes"
            color={chartColors.purple}
            describe={words}
          />
        )}
      </div>
    </Panel>
  );
}

type Shown = 'operations' | 'sizes' | 'calls' | 'matrix';

const titles: Record<Shown, string> = {
  operations: 'Operations',
  sizes: 'Sizes',
  calls: 'Calls',
  matrix: 'Pairs',
};

/** Columns that give way before the bandwidths do. */
const lesser = [
  'unknownBytes',
  'library',
  'dtype',
  'matchedCalls',
  'totalUs',
  'spreadUs',
  'sequence',
  'lacking',
  'place',
  'operator',
  'startUs',
];

export function JobCommunication() {
  const by = viewState<Shown>('job', 'communicationBy', 'operations');
  const shown: Shown = titles[by.value] === undefined ? 'operations' : by.value;
  return (
    <div class="job job-table">
      <Charts>
        <div class="job-two">
          <SizePlot />
          <Matrix />
        </div>
      </Charts>
      <JobTable
        name={titles[shown]}
        by={shown as By}
        lesser={lesser}
        {...(shown === 'calls'
          ? {
              detail: (row: Row) => <CallMembers call={numberOf(row, 'call') ?? 0} />,
              rowKey: (row: Row) => text(row, 'call'),
            }
          : {})}
        toolbar={<Segments label="Rows" of={by} choices={titles} />}
      />
    </div>
  );
}
