// Operations with their bandwidth, by size and by pair of ranks; each collective with who came when.
import { useMemo, useRef } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import type { Row } from '#shared/protocol.ts';
import { fixed, quantity } from '#shared/numbers.ts';
import { viewState } from '../../host/view_state.ts';
import { chartColors, partColors } from '../../lib/colors.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
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
import { jobTexts } from './texts.ts';

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
    jobTexts.operationOfSize(text(row, 'operation'), numberOf(row, 'sizeBytes')),
    `${jobTexts.rankCount(numberOf(row, 'ranks') ?? 0)}, ${sharedTexts.callCount(numberOf(row, 'calls') ?? 0)}`,
    jobTexts.busBandwidthOf(numberOf(row, 'busBandwidth')),
    jobTexts.algorithmBandwidthOf(numberOf(row, 'algorithmBandwidth')),
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
      title={jobTexts.bandwidthBySize}
      definition={jobTexts.bandwidthBySizeHint}
      actions={
        <>
          <Segments
            label={jobTexts.bandwidth}
            of={rate}
            choices={{ busBandwidth: jobTexts.bus, algorithmBandwidth: jobTexts.algorithm }}
          />
          <ChartMenu name={jobTexts.bandwidthBySize} chart={root} asTable={asTable} />
        </>
      }
    >
      <div ref={root}>
        {error !== undefined ? (
          <Failure error={error} />
        ) : rows === undefined ? (
          <Waiting what={jobTexts.addingUpSizes} />
        ) : points.length === 0 ? (
          <Nothing>{jobTexts.noSizes}</Nothing>
        ) : asTable.value ? (
          <PlainTable
            stateKey="bandwidthBySize"
            label={jobTexts.bandwidthBySize}
            columns={[
              { title: jobTexts.operation },
              { title: jobTexts.ranks, numeric: true },
              { title: commonTexts.size, numeric: true },
              { title: sharedTexts.calls, numeric: true },
              { title: jobTexts.busBandwidth, numeric: true },
              { title: jobTexts.algorithmBandwidth, numeric: true },
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
              label={jobTexts.bandwidthOfCollectives}
              xTitle={jobTexts.sizeAxis}
              xUnit="bytes"
              yTitle={
                rate.value === 'busBandwidth' ? jobTexts.busBandwidthAxis : jobTexts.bandwidthAxis
              }
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
    <Panel title={jobTexts.whoTalksToWhom}>
      <Nothing>{jobTexts.tooManyPairs(ranks)}</Nothing>
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
    const title = jobTexts.fromRankToRank(order[line], order[column]);
    if (row === undefined) return [title, jobTexts.nothing];
    const exact = row.exact === true;
    return [
      title,
      jobTexts.bytesInCalls(numberOf(row, 'bytes'), numberOf(row, 'calls') ?? 0),
      exact ? jobTexts.sendsAsRecorded : jobTexts.collectivesInParts,
    ];
  };
  return (
    <Panel
      title={jobTexts.whoTalksToWhom}
      definition={jobTexts.whoTalksToWhomHint}
      actions={<ChartMenu name={jobTexts.whoTalksToWhom} chart={root} asTable={asTable} pngOnly />}
    >
      <div ref={root}>
        {error !== undefined ? (
          <Failure error={error} />
        ) : rows === undefined ? (
          <Waiting what={jobTexts.addingUpPairs} />
        ) : order.length === 0 ? (
          <Nothing>{jobTexts.noPairs}</Nothing>
        ) : asTable.value ? (
          <PlainTable
            stateKey="whoTalksToWhom"
            label={jobTexts.whoTalksToWhom}
            columns={[
              { title: jobTexts.from },
              { title: jobTexts.to, numeric: true },
              { title: commonTexts.bytes, numeric: true },
              { title: sharedTexts.calls, numeric: true },
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
            label={jobTexts.bytesFromRankToRank}
            xTitle={jobTexts.toRank}
            yTitle={jobTexts.fromRank}
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
  operations: commonTexts.operations,
  sizes: jobTexts.sizes,
  calls: sharedTexts.calls,
  matrix: jobTexts.pairs,
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
        toolbar={<Segments label={commonTexts.rows} of={by} choices={titles} />}
      />
    </div>
  );
}
