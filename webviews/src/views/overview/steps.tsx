// The time of each step, and of their average.
import { useRef } from 'preact/hooks';
import type { TraceInfo, ViewOverviewResult } from '#shared/protocol.ts';
import { selectSteps } from '../../host/choices.ts';
import { viewState } from '../../host/view_state.ts';
import { deviceKind, trace } from '../../host/store.ts';
import { exact, quantity, share } from '#shared/numbers.ts';
import { unbroken } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { Legend, StackedBars } from '../../widgets/stacked_bars.tsx';
import { TableMenu } from '../../widgets/table_menu.tsx';
import { us, type Parts, type ShownRole } from './roles.ts';
import { overviewTexts } from './texts.ts';

export function StepChart(props: {
  result: ViewOverviewResult;
  shown: ShownRole[];
  /** Only the beginning of the trace is read, of which no steps can be chosen. */
  part: boolean;
}) {
  const root = useRef<HTMLDivElement>(null);
  const asTable = viewState('overview', 'stepsAsTable', false);
  const { result, shown } = props;
  const recorded = trace.value?.hasRecordedSteps === true;
  return (
    <Panel
      title={recorded ? commonTexts.stepTime : commonTexts.time}
      definition={overviewTexts.stepTimeHint}
      actions={<ChartMenu name={commonTexts.stepTime} chart={root} asTable={asTable} />}
    >
      <div ref={root}>
        {asTable.value ? (
          <PlainTable
            stateKey="stepTime"
            label={commonTexts.stepTime}
            columns={[
              { title: commonTexts.step },
              {
                title: overviewTexts.totalUs,
                numeric: true,
                definition: overviewTexts.totalHint,
              },
              ...shown.map((role) => ({
                title: commonTexts.inUs(role.title),
                numeric: true,
                definition: role.definition,
              })),
            ]}
            rows={result.steps.map((step) => [
              step.partial ? overviewTexts.partialStep(step.name) : step.name,
              us(step.durationUs),
              ...shown.map((role) => us((step.parts as Parts)[role.key] ?? 0)),
            ])}
          />
        ) : (
          <>
            <StackedBars
              label={overviewTexts.stepsByActivity}
              xTitle={recorded ? commonTexts.step : overviewTexts.partOfRecording}
              yTitle={commonTexts.time}
              unit="us"
              parts={shown}
              bars={result.steps.map((step) => ({
                name: recorded ? step.name : overviewTexts.wholeTrace,
                total: step.durationUs,
                values: shown.map((role) => (step.parts as Parts)[role.key] ?? 0),
                ...(step.partial ? { note: overviewTexts.partial } : {}),
              }))}
              {...(recorded && !props.part ? { onPick: (name: string) => selectSteps(name) } : {})}
            />
            <Legend parts={shown} />
            {result.steps.some((step) => step.partial) ? (
              <p class="note">{overviewTexts.partialNote}</p>
            ) : null}
          </>
        )}
      </div>
    </Panel>
  );
}

/** A time in the unit that suits it, and exactly in exports and on hover. */
function Figure(props: { us: number }) {
  return (
    <span data-whole={String(props.us)} title={exact(props.us, 'us')}>
      {quantity(props.us, 'us')}
    </span>
  );
}

/** All parts of the step in one bar. */
function BreakdownBar(props: { shown: readonly ShownRole[]; parts: Parts; whole: number }) {
  const { shown, parts, whole } = props;
  let at = 0;
  const drawn = shown.flatMap((role) => {
    const us = parts[role.key] ?? 0;
    const from = at;
    at += us;
    return us > 0 ? [{ role, from, us }] : [];
  });
  const part = (us: number): number => (whole > 0 ? (1000 * us) / whole : 0);
  return (
    <svg
      class="chart breakdown-bar"
      viewBox="0 0 1000 22"
      preserveAspectRatio="none"
      role="img"
      aria-label={drawn.map(({ role, us }) => `${role.title} ${share(us, whole)}`).join(', ')}
    >
      {drawn.map(({ role, from, us }) => (
        <rect key={role.key} x={part(from)} width={part(us)} height="22" fill={role.color}>
          <title>{`${role.title}\n${quantity(us, 'us')}, ${share(us, whole)}`}</title>
        </rect>
      ))}
    </svg>
  );
}

/** That the one step of a trace without steps is shorter than the recording, where that shows. */
function lessThanRecorded(info: TraceInfo): string | undefined {
  const [all] = info.steps;
  if (info.hasRecordedSteps || all === undefined) return undefined;
  const [counted, recorded] = [all.durationNs, info.durationNs].map((ns) => quantity(ns, 'ns'));
  return counted === recorded ? undefined : unbroken(overviewTexts.ofRecorded(counted!, recorded!));
}

export function Average(props: {
  result: ViewOverviewResult;
  shown: ShownRole[];
  part: boolean;
  /** The table has room for all activities, also for those that are not known yet. */
  roomy: boolean;
}) {
  // Steps that the end of the recording cuts are in no average; when nothing else was chosen, the
  // figures are those of the step itself.
  const only = props.result.average.steps === 0 ? props.result.steps[0] : undefined;
  const average = only ?? props.result.average;
  const parts = average.parts as Parts;
  const root = useRef<HTMLDivElement>(null);
  const less = trace.value === undefined || props.part ? undefined : lessThanRecorded(trace.value);
  return (
    <Panel
      actions={<TableMenu name={overviewTexts.averageStepTime} place={root} />}
      title={
        only !== undefined
          ? overviewTexts.stepPartial(only.name)
          : props.result.steps.length === 1
            ? overviewTexts.breakdown
            : overviewTexts.averageStep
      }
      definition={overviewTexts.averageStepHint}
    >
      <div ref={root} class={`breakdown ${props.roomy ? 'roomy' : ''}`}>
        <BreakdownBar shown={props.shown} parts={parts} whole={average.durationUs} />
        <PlainTable
          stateKey="averageStepTime"
          label={overviewTexts.averageStepTime}
          columns={[
            { title: overviewTexts.activity, definition: overviewTexts.activityHint },
            {
              title: commonTexts.time,
              exportUnit: 'us',
              numeric: true,
              definition: overviewTexts.meanTimeHint,
            },
            { title: commonTexts.share, numeric: true, definition: overviewTexts.shareOfStepHint },
          ]}
          rows={[
            [
              trace.value?.hasRecordedSteps === true
                ? commonTexts.step
                : props.part
                  ? overviewTexts.partRead
                  : less !== undefined
                    ? overviewTexts.allOperations
                    : commonTexts.wholeTrace,
              <Figure key="whole" us={average.durationUs} />,
              share(average.durationUs, average.durationUs),
            ],
            ...props.shown.map((role) => [
              <span key={role.key} title={role.definition}>
                <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                  <rect width="10" height="10" rx="2" fill={role.color} />
                </svg>{' '}
                {role.title}
              </span>,
              <Figure key={role.key} us={parts[role.key] ?? 0} />,
              share(parts[role.key] ?? 0, average.durationUs),
            ]),
          ]}
        />
        {less === undefined ? null : <p class="note">{less}</p>}
        {props.part && !props.result.hasDeviceWork ? (
          <p class="note">{overviewTexts.deviceWorkLater(deviceKind.value)}</p>
        ) : null}
      </div>
    </Panel>
  );
}
