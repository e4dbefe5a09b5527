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
          <Scatter
            label={jobTexts.bandwidthOfCollectives}
            xTitle={jobTexts.sizeAxis}
            xUnit="bytes"
            yTitle={rate.value === 'busBandwidth' ? jobTexts.busBandwidth : jobTexts.bandwidth}
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
    visible(text(row, 'node')) || jobTexts.otherMachine,
    visible(text(row, 'peerNode')) || jobTexts.otherMachine,
  ],
};

function Matrix() {
  const result = useJob();
  const ranks = result?.ranks.length ?? 0;
  const nodes = result?.nodes.length ?? 0;
  if (ranks <= mostInMatrix) return <MatrixOf key="ranks" by="matrix" />;
  if (nodes > 1 && nodes <= mostInMatrix) return <MatrixOf key="machines" by="nodeMatrix" />;
  return (
    <Panel title={jobTexts.whoTalksToWhom}>
      <Nothing>{jobTexts.tooManyPairs(ranks)}</Nothing>
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
    const title = machines ? jobTexts.fromMachine(...pair) : jobTexts.fromRankToRank(...pair);
    if (row === undefined) return [title, jobTexts.nothing];
    const exact = row.exact === true;
    return [
      title,
      jobTexts.bytesInCalls(numberOf(row, 'bytes'), numberOf(row, 'calls') ?? 0),
      exact ? commonTexts.asRecorded : jobTexts.collectivesInParts,
    ];
  };
  return (
    <Panel
      title={machines ? jobTexts.betweenMachines : jobTexts.whoTalksToWhom}
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
            label={machines ? jobTexts.bytesBetweenMachines : jobTexts.bytesFromRankToRank}
            xTitle={machines ? jobTexts.toMachine : jobTexts.toRank}
            yTitle={machines ? jobTexts.fromMachineTitle : jobTexts.fromRank}
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
