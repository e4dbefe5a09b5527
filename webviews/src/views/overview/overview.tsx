// Overview: where the time of the steps went, the devices, what stands out, and whether the trace is
// whole.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useAnswer } from '../../host/query.ts';
import { selectSteps, trace, viewState } from '../../host/store.ts';
import { exportRows } from '../../lib/export.ts';
import { roleColors, type Role } from '../../lib/colors.ts';
import { fixed, quantity, share, visible } from '../../lib/format.ts';
import type { Column, Row, ViewOverviewResult } from '#shared/protocol.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { ExportMenu } from '../../widgets/export_menu.tsx';
import { ExportedTable } from '../../widgets/exported_table.tsx';
import { FindingList } from '../../widgets/findings.tsx';
import { Absences, Failure, Waiting } from '../../widgets/notices.tsx';
import { Facts, Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { RingChart } from '../../widgets/ring_chart.tsx';
import { TableMenu } from '../../widgets/table_menu.tsx';
import { Legend, StackedBars } from '../../widgets/stacked_bars.tsx';

type Parts = Partial<Record<Role, number>>;

interface ShownRole {
  key: Role;
  title: string;
  definition: string;
  color: string;
}

const us = (value: number): string => fixed(value, 1);

function StepChart(props: { result: ViewOverviewResult; shown: ShownRole[] }) {
  const root = useRef<HTMLDivElement>(null);
  const asTable = viewState('overview', 'stepsAsTable', false);
  const { result, shown } = props;
  const recorded = trace.value?.hasRecordedSteps === true;
  return (
    <Panel
      title={recorded ? 'Step time' : 'Time'}
      definition="Each moment of a step counts for the first of these that was going on: kernel, memcpy, memset, communication, runtime, data loader, CPU. The parts add up to the step."
      actions={<ChartMenu name="Step time" chart={root} asTable={asTable} />}
    >
      <div ref={root}>
        {asTable.value ? (
          <PlainTable
            label="Step time"
            columns={[
              { title: 'Step' },
              {
                title: 'Total (\u00b5s)',
                numeric: true,
                definition: 'Duration of the step. The other columns add up to it.',
              },
              ...shown.map((role) => ({
                title: `${role.title} (\u00b5s)`,
                numeric: true,
                definition: role.definition,
              })),
            ]}
            rows={result.steps.map((step) => [
              step.partial ? `${step.name} (partial)` : step.name,
              us(step.durationUs),
              ...shown.map((role) => us((step.parts as Parts)[role.key] ?? 0)),
            ])}
          />
        ) : (
          <>
            <StackedBars
              label="Time of each step by what it was spent on"
              xTitle={recorded ? 'Step' : 'Part of the recording'}
              yTitle="Time"
              unit="us"
              parts={shown}
              bars={result.steps.map((step) => ({
                name: recorded ? step.name : 'whole trace',
                total: step.durationUs,
                values: shown.map((role) => (step.parts as Parts)[role.key] ?? 0),
                ...(step.partial ? { note: 'partial' } : {}),
              }))}
              {...(recorded ? { onPick: (name: string) => selectSteps(name) } : {})}
            />
            <Legend parts={shown} />
            {result.steps.some((step) => step.partial) ? (
              <p class="note">* partial: cut by the end of the recording, in no average</p>
            ) : null}
          </>
        )}
      </div>
    </Panel>
  );
}

function Gpus(props: { result: ViewOverviewResult }) {
  const { gpus } = props.result;
  if (gpus.length === 0) return null;
  const percent = (value: number | null): string | undefined =>
    value === null ? undefined : `${fixed(value * 100, 2)} %`;
  return (
    <Panel title={gpus.length === 1 ? 'Device' : 'Devices'}>
      {gpus.map((gpu) => (
        <div key={gpu.index} class="gpu">
          <Facts
            items={[
              {
                name: visible(gpu.label),
                value: gpu.name === '' ? '(name not recorded)' : visible(gpu.name),
              },
              {
                name: 'Memory',
                value: gpu.memoryBytes === null ? undefined : quantity(gpu.memoryBytes, 'bytes'),
                definition: 'Memory of the device, from its recorded properties.',
              },
              {
                name: 'Multiprocessors',
                value: gpu.multiprocessors === null ? undefined : String(gpu.multiprocessors),
                definition: 'Units on which the blocks of a kernel are placed.',
              },
              {
                name: 'Compute capability',
                value: gpu.computeCapability ?? undefined,
                definition: "Version of the device's instruction set.",
              },
              {
                name: 'Utilization',
                value: percent(gpu.utilization),
                definition:
                  'Share of the time in which at least one kernel runs, from the first selected step to the last, pauses between them included.',
              },
              {
                name: 'Est. SM efficiency',
                value: percent(gpu.estSmEfficiency),
                definition:
                  'Blocks per multiprocessor of the kernels that run, at most 1, averaged from the first selected step to the last, pauses between them included.',
              },
              {
                name: 'Est. occupancy',
                value: percent(gpu.estOccupancy),
                definition:
                  'Active warps over the most that fit, as estimated at launch, weighted by duration. Idle time does not count.',
              },
              {
                name: 'Tensor core share',
                value: percent(gpu.tensorCoreShare),
                definition: 'Share of kernel time in kernels that use matrix units.',
              },
              {
                name: 'Tensor cores unknown',
                value:
                  (gpu.tensorCoreUnknownShare ?? 0) > 0
                    ? percent(gpu.tensorCoreUnknownShare)
                    : undefined,
                definition:
                  'Share of kernel time in kernels whose names do not tell whether they use matrix units.',
              },
            ].flatMap((item) => (item.value === undefined ? [] : [{ ...item, value: item.value }]))}
          />
        </div>
      ))}
    </Panel>
  );
}

function Average(props: { result: ViewOverviewResult; shown: ShownRole[] }) {
  // Steps that the end of the recording cuts are in no average; when nothing else was chosen, the
  // figures are those of the step itself.
  const only = props.result.average.steps === 0 ? props.result.steps[0] : undefined;
  const average = only ?? props.result.average;
  const parts = average.parts as Parts;
  const root = useRef<HTMLDivElement>(null);
  return (
    <Panel
      actions={<TableMenu name="Average step time" place={root} />}
      title={
        only !== undefined
          ? `Step ${only.name}, partial`
          : props.result.steps.length === 1
            ? 'Breakdown'
            : 'Average step'
      }
      definition="Mean over the selected steps that are not cut by the end of the recording."
    >
      <div ref={root}>
        <PlainTable
          label="Average step time"
          columns={[
            { title: 'Spent on', definition: 'Each moment counts for one of these.' },
            {
              title: 'Time (\u00b5s)',
              numeric: true,
              definition: 'Mean time of a step that counts for this.',
            },
            { title: 'Share', numeric: true, definition: 'Part of the step.' },
          ]}
          rows={[
            [
              trace.value?.hasRecordedSteps === true ? 'Step' : 'Whole trace',
              us(average.durationUs),
              share(average.durationUs, average.durationUs),
            ],
            ...props.shown.map((role) => [
              <span key={role.key} title={role.definition}>
                <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                  <rect width="10" height="10" rx="2" fill={role.color} />
                </svg>{' '}
                {role.title}
              </span>,
              us(parts[role.key] ?? 0),
              share(parts[role.key] ?? 0, average.durationUs),
            ]),
          ]}
        />
      </div>
    </Panel>
  );
}

/** What activation checkpointing costs, where it is in use. */
function Recompute(props: { result: ViewOverviewResult }) {
  const cost = props.result.recompute;
  if (cost === undefined) return null;
  const of = (us: number, part: number): string =>
    `${quantity(us, 'us')}, ${fixed(part * 100, 1)} %`;
  return (
    <Panel
      title="Recompute"
      definition="Forward work that activation checkpointing ran again in backward, because it had not kept the results. It saves memory and costs this time."
    >
      <Facts
        items={[
          ...(cost.deviceUs > 0
            ? [
                {
                  name: 'Device time',
                  value: of(cost.deviceUs, cost.deviceShare),
                  definition: 'Device work that ran again, and its part of all device work.',
                },
              ]
            : []),
          {
            name: 'Host time',
            value: of(cost.hostUs, cost.hostShare),
            definition: 'Host time of running it again, and its part of all traced threads.',
          },
        ]}
      />
    </Panel>
  );
}

/** What the one-letter phases of the trace event format stand for. */
const phases: Record<string, string> = {
  i: 'instant',
  C: 'counter',
  s: 'flow start',
  t: 'flow step',
  f: 'flow end',
  M: 'metadata',
  '?': 'other',
};

/** "s fwdbwd" as "fwdbwd (flow start)"; categories of slices stand for themselves. */
function categoryName(category: string): string {
  const [, letter = '', rest = ''] = /^([A-Za-z?])(?: (.*))?$/.exec(category) ?? [];
  const phase = phases[letter];
  if (phase === undefined) return category === '' ? '(none)' : category;
  return rest === '' ? phase : `${rest} (${phase})`;
}

/** A part of the health panel that opens, and stays as it was left. */
function Unfolding(props: { name: string; summary: string; children: ComponentChildren }) {
  const open = viewState('overview', `${props.name}Open`, false);
  return (
    <details
      open={open.value}
      onToggle={(event) => (open.value = (event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary>{props.summary}</summary>
      {props.children}
    </details>
  );
}

/** `nothing`: no time was recorded, so that what is missing is all there is to say. */
function Health(props: { nothing: boolean }) {
  const { value, error, retry } = useAnswer('profile/check', {});
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what="Reading trace health" />;
  const problemCount = quantity(
    value.problems.reduce((sum, problem) => sum + problem.count, 0),
    'count',
  );
  const health = (
    <Panel
      title="Trace health"
      definition="What was read, what was wrong with it, and what was not recorded."
    >
      <Facts
        items={[
          {
            name: 'Events',
            value: quantity(value.events, 'count'),
            definition: 'Entries of the trace: slices, instants, counters, flows and metadata.',
          },
          {
            name: 'Read in',
            value: `${fixed(value.totalSeconds, 2)} s`,
            definition: 'Time from opening the file to the first view.',
          },
          {
            name: 'Size',
            definition: 'Of the file, and of its text when it was compressed.',
            value: `${quantity(value.fileBytes, 'bytes')} file, ${quantity(value.textBytes, 'bytes')} text`,
          },
          {
            name: 'Problems',
            definition: 'What was damaged or missing in the file. The rest was read.',
            value: value.problems.length === 0 ? 'none' : problemCount,
          },
          ...(value.unlinkedDeviceSlices > 0
            ? [
                {
                  name: 'Device work without launch',
                  value: quantity(value.unlinkedDeviceSlices, 'count'),
                  definition: 'Device slices whose launch or operator is not in the trace.',
                },
              ]
            : []),
        ]}
      />
      {value.problems.length === 0 ? null : (
        <ExportedTable
          class="health-table"
          label="Problems found while reading"
          columns={[
            { title: 'Problem' },
            { title: 'Count', numeric: true, definition: 'How often it was met.' },
            {
              title: 'First at byte',
              numeric: true,
              definition: "Where it was met first, counted in the file's uncompressed text.",
            },
          ]}
          rows={value.problems.map((problem) => [
            visible(problem.message),
            quantity(problem.count, 'count'),
            quantity(problem.firstOffset, 'count'),
          ])}
        />
      )}
      <Unfolding name="categories" summary="Events by category">
        <ExportedTable
          class="health-table"
          label="Events by category"
          columns={[
            { title: 'Category', definition: 'As the recorder wrote it.' },
            {
              title: 'Events',
              numeric: true,
              definition: 'Entries of the trace of this category.',
            },
          ]}
          rows={value.categories.map((entry) => [
            visible(categoryName(entry.category)),
            quantity(entry.count, 'count'),
          ])}
        />
      </Unfolding>
      {value.absences.length === 0 || props.nothing ? null : (
        <Unfolding
          name="absences"
          summary={`Not recorded in this trace (${value.absences.length})`}
        >
          <Absences absences={value.absences} />
        </Unfolding>
      )}
    </Panel>
  );
  return (
    <>
      {props.nothing ? <Absences title="Nothing was recorded" absences={value.absences} /> : null}
      {health}
    </>
  );
}

const configurationDefinitions: Partial<Record<string, string>> = {
  'Workers in the run': 'Processes of the run whose traces were found.',
  'Device type': 'Kinds of devices that did work in the trace.',
  'Graph captures':
    'How much of the work that CUDA or HIP graphs replayed is attributed to the code that captured it, here or in capture_traces beside the trace.',
  Vendor: 'Maker of the devices, by the names of their properties and calls.',
  Backend: 'What carries the communication between the processes.',
  Rank: 'Number of this process in the run.',
  'World size': 'How many processes the run had.',
  'Devices used': 'Devices that did work in the trace.',
  'Devices listed': 'Devices that the process saw, used or not.',
  Steps: 'Steps that the recording marks, also those cut by its end.',
  'Schema version': 'Version of the form in which the trace was written.',
};

const findingColumns: readonly Column[] = (
  [
    ['severity', 'Severity', 'text', ''],
    ['title', 'Finding', 'text', ''],
    ['text', 'What was seen', 'text', ''],
    ['evidence', 'Evidence', 'text', ''],
    ['action', 'What to do', 'text', ''],
    ['gainUs', 'Expected gain', 'number', 'us'],
  ] as const
).map(([key, title, type, unit]) => ({
  key,
  title,
  type,
  unit,
  definition: '',
  hidden: false,
}));

function findingRows(result: ViewOverviewResult): Row[] {
  return result.recommendations.map((finding) => ({
    severity: finding.severity,
    title: finding.title,
    text: finding.text,
    evidence: finding.evidence
      .map(({ label, value, unit }) => `${label} ${quantity(value, unit)}`)
      .join('; '),
    action: finding.action,
    gainUs: finding.gainUs,
  }));
}

export function OverviewView() {
  const { value, error, retry } = useAnswer('view/overview', {});
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what="Reading the overview" />;
  // Charts of no time, and findings about it, would say nothing.
  if (value.steps.every((step) => step.durationUs <= 0)) return <Health nothing />;
  const average = (
    value.average.steps === 0 && value.steps[0] !== undefined
      ? value.steps[0].parts
      : value.average.parts
  ) as Parts;
  const shown = value.roles
    .filter((role) => role.present)
    .map((role) => ({
      ...role,
      key: role.key as Role,
      color: roleColors[role.key as Role] ?? roleColors.other,
    }));
  return (
    <>
      <div class="overview-grid">
        <div class="overview-main">
          <StepChart result={value} shown={shown} />
          <div class="breakdown">
            <Average result={value} shown={shown} />
            <RingChart
              title="Where the time goes"
              definition="Parts of the average step."
              unit="us"
              top={shown.length}
              parts={shown.map((role) => ({ name: role.title, value: average[role.key] ?? 0 }))}
              colors={colorsByValue(shown, average)}
            />
          </div>
        </div>
        <div class="overview-side">
          <Panel title="Configuration">
            <Facts
              items={value.configuration
                // "Device type: CPU" says it.
                .filter((entry) => value.hasDeviceWork || entry.name !== 'Devices used')
                .map((entry) => ({
                  name: entry.name,
                  value: visible(entry.value),
                  definition:
                    configurationDefinitions[entry.name] ??
                    'An option of the recording profiler, as the trace notes it.',
                }))}
            />
          </Panel>
          <Gpus result={value} />
          <Recompute result={value} />
        </div>
      </div>
      <Panel
        title="Findings"
        definition="What costs in the selected steps, how it is known, and what to do."
        actions={
          value.recommendations.length === 0 ? undefined : (
            <ExportMenu
              name="Findings"
              take={(format) => exportRows(findingColumns, findingRows(value), format)}
            />
          )
        }
      >
        <FindingList findings={value.recommendations} />
      </Panel>
      <Health nothing={false} />
    </>
  );
}

/** The ring sorts its parts by size; their colours follow. */
function colorsByValue(shown: ShownRole[], parts: Parts): string[] {
  return [...shown]
    .filter((role) => (parts[role.key] ?? 0) > 0)
    .sort((a, b) => (parts[b.key] ?? 0) - (parts[a.key] ?? 0))
    .map((role) => role.color);
}
