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
import { Mark, Scatter, type Point } from './scatter.tsx';
import { RankLink, useRows, type By } from './ranks.tsx';
import { JobTable } from './table.tsx';
import { communicationTexts } from './communication/texts.ts';
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
    communicationTexts.operationOfSize(text(row, 'operation'), numberOf(row, 'sizeBytes')),
    `${jobTexts.rankCount(numberOf(row, 'ranks') ?? 0)}, ${sharedTexts.callCount(numberOf(row, 'calls') ?? 0)}`,
    communicationTexts.busBandwidthOf(numberOf(row, 'busBandwidth')),
    communicationTexts.algorithmBandwidthOf(numberOf(row, 'algorithmBandwidth')),
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
      title={communicationTexts.bandwidthBySize}
      definition={communicationTexts.bandwidthBySizeHint}
      actions={
        <>
          {points.length === 0 || asTable.value ? null : (
            <Legend
              parts={operations.map((title, index) => {
                const color = colors[index]!;
                const mark = <Mark shape={index} x={5} y={5} r={3.5} color={color} />;
                return { title, color, mark };
              })}
            />
          )}
          <Segments
            label={communicationTexts.bandwidth}
            of={rate}
            choices={{
              busBandwidth: communicationTexts.bus,
              algorithmBandwidth: communicationTexts.algorithm,
            }}
          />
          <ChartMenu name={communicationTexts.bandwidthBySize} chart={root} asTable={asTable} />
        </>
      }
    >
      <div ref={root}>
        {error !== undefined ? (
          <Failure error={error} />
        ) : rows === undefined ? (
          <Waiting what={communicationTexts.addingUpSizes} />
        ) : points.length === 0 ? (
          <Nothing>{communicationTexts.noSizes}</Nothing>
        ) : asTable.value ? (
          <PlainTable
            stateKey="bandwidthBySize"
            label={communicationTexts.bandwidthBySize}
            columns={[
              { title: communicationTexts.operation },
              { title: jobTexts.ranks, numeric: true },
              { title: commonTexts.size, numeric: true },
              { title: sharedTexts.calls, numeric: true },
              { title: communicationTexts.busBandwidth, numeric: true },
              { title: communicationTexts.algorithmBandwidth, numeric: true },
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
          <Scatter
            label={communicationTexts.bandwidthOfCollectives}
            xTitle={communicationTexts.sizeAxis}
            xUnit="bytes"
            yTitle={
              rate.value === 'busBandwidth'
                ? communicationTexts.busBandwidth
                : communicationTexts.bandwidth
            }
            yUnit="gbPerS"
            points={points}
          />
        )}
      </div>
    </Panel>
  );
}

/** Of more ranks than this, their machines are shown. */
const mostInMatrix = 192;

/** What a matrix is of: the two ends of its rows. */
const ends = {
  matrix: (row: Row): [string, string] => [
    String(numberOf(row, 'rank') ?? ''),
    String(numberOf(row, 'peer') ?? ''),
  ],
  nodeMatrix: (row: Row): [string, string] => [
    visible(text(row, 'node')) || communicationTexts.otherMachine,
    visible(text(row, 'peerNode')) || communicationTexts.otherMachine,
  ],
};

function Matrix() {
  const result = useJob();
  const ranks = result?.ranks.length ?? 0;
  const nodes = result?.nodes.length ?? 0;
  if (ranks <= mostInMatrix) return <MatrixOf key="ranks" by="matrix" />;
  if (nodes > 1 && nodes <= mostInMatrix) return <MatrixOf key="machines" by="nodeMatrix" />;
  return (
    <Panel title={communicationTexts.whoTalksToWhom}>
      <Nothing>{communicationTexts.tooManyPairs(ranks)}</Nothing>
    </Panel>
  );
}

function MatrixOf({ by }: { by: keyof typeof ends }) {
  const { rows, error } = useRows(by);
  const machines = by === 'nodeMatrix';
  const asTable = viewState('job', 'matrixAsTable', false);
  const root = useRef<HTMLDivElement>(null);
  const matrix = useMemo(() => {
    const names = new Set((rows ?? []).flatMap(ends[by]));
    const order = [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    const at = new Map(order.map((name, index) => [name, index]));
    const cells = order.map(() => order.map((): number | undefined => undefined));
    const found = order.map(() => order.map((): Row | undefined => undefined));
    let most = 0;
    for (const row of rows ?? []) {
      const [from, to] = ends[by](row).map((name) => at.get(name)!) as [number, number];
      const bytes = numberOf(row, 'bytes') ?? 0;
      cells[from]![to] = bytes;
      found[from]![to] = row;
      most = Math.max(most, bytes);
    }
    return { order, cells, found, most };
  }, [rows, by]);
  const { order } = matrix;
  const words = (line: number, column: number): string[] => {
    const row = matrix.found[line]?.[column];
    const pair = [order[line]!, order[column]!] as const;
    const title = machines
      ? communicationTexts.fromMachine(...pair)
      : communicationTexts.fromRankToRank(...pair);
    if (row === undefined) return [title, communicationTexts.nothing];
    const exact = row.exact === true;
    return [
      title,
      communicationTexts.bytesInCalls(numberOf(row, 'bytes'), numberOf(row, 'calls') ?? 0),
      exact ? commonTexts.asRecorded : communicationTexts.collectivesInParts,
    ];
  };
  return (
    <Panel
      title={machines ? communicationTexts.betweenMachines : communicationTexts.whoTalksToWhom}
      definition={communicationTexts.whoTalksToWhomHint}
      actions={
        <ChartMenu
          name={communicationTexts.whoTalksToWhom}
          chart={root}
          asTable={asTable}
          pngOnly
        />
      }
    >
      <div ref={root}>
        {error !== undefined ? (
          <Failure error={error} />
        ) : rows === undefined ? (
          <Waiting what={communicationTexts.addingUpPairs} />
        ) : order.length === 0 ? (
          <Nothing>{communicationTexts.noPairs}</Nothing>
        ) : asTable.value ? (
          <PlainTable
            stateKey="whoTalksToWhom"
            label={communicationTexts.whoTalksToWhom}
            columns={[
              { title: communicationTexts.from },
              { title: communicationTexts.to, numeric: true },
              { title: commonTexts.bytes, numeric: true },
              { title: sharedTexts.calls, numeric: true },
            ]}
            rows={(rows ?? [])
              .slice(0, 1000)
              .map((row) => [
                ...ends[by](row).map((name, index) =>
                  machines ? name : <RankLink key={index} rank={Number(name)} />,
                ),
                quantity(numberOf(row, 'bytes'), 'bytes'),
                fixed(numberOf(row, 'calls') ?? 0, 0),
              ])}
          />
        ) : (
          <HeatMap
            stateKey="matrix"
            label={
              machines
                ? communicationTexts.bytesBetweenMachines
                : communicationTexts.bytesFromRankToRank
            }
            xTitle={machines ? communicationTexts.toMachine : communicationTexts.toRank}
            yTitle={machines ? communicationTexts.fromMachineTitle : communicationTexts.fromRank}
            columns={order}
            lines={order}
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
  sizes: communicationTexts.sizes,
  calls: sharedTexts.calls,
  matrix: communicationTexts.pairs,
};

/** Columns that give way before the bandwidths do. */
const lesser = [
  'unknownBytes',
  'library',
  'matchedCalls',
  'totalUs',
  'spreadUs',
  // Tells rows of one operation and group apart.
  'dtype',
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
