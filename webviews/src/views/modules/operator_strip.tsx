// The operators of the main thread as nested bars over time, drawn with the timeline's own lanes.
// Python functions and calls of the runtime are left to the timeline.
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useAnswer } from '../../host/query.ts';
import { scopedState } from '../../host/view_state.ts';
import { epoch, requestSelection, trace } from '../../host/store.ts';
import { visible } from '../../lib/format.ts';
import { isOfOtherRecorder } from '../../lib/problems.ts';
import { Select } from '../../widgets/select.tsx';
import { Absences, Failure, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { stepsRange } from './strip.ts';
import { StripChart } from './strip_chart.tsx';
import { modulesTexts } from './texts.ts';
import { useOperatorThreads } from './threads.ts';

const nothing = {};
const chartName = modulesTexts.mainThreadOverTime;

const absence = {
  what: modulesTexts.noOperatorsOnHost,
  argument: 'activities=[ProfilerActivity.CPU, ...]',
  snippet: '',
};

/** Nobody can record more of what another program recorded. */
const foreign = { ...absence, argument: '' };

const definition = modulesTexts.stripHint;

/** `lead` stands at the start of the bar where the strip is above a table; without, it is a panel. */
export function OperatorStrip(props: { marked: Signal<string>; lead?: ComponentChildren }) {
  const { lead } = props;
  const chosen = scopedState('trace', 'modules', 'stripThread', -1);
  const { value: all, error, retry } = useAnswer('timeline/tracks', nothing);
  const { threads, problem } = useOperatorThreads(all);
  const failed = error ?? problem;
  const shown = threads?.find((one) => one.track.id === chosen.value) ?? threads?.[0];
  const steps = requestSelection.value.steps;
  const part = useMemo(
    () => (all === undefined ? undefined : stepsRange(all.steps, steps)),
    [all, steps],
  );
  const title =
    shown === undefined || shown === threads?.[0]
      ? chartName
      : modulesTexts.operatorsOverTime(visible(shown.track.name));
  const tools =
    threads === undefined || threads.length < 2 ? undefined : (
      <Select
        label={modulesTexts.thread}
        wide
        value={String(shown?.track.id ?? '')}
        choices={threads.map(({ track, operatorNs }, index) => ({
          value: String(track.id),
          label: modulesTexts.threadChoice(visible(track.name), index, operatorNs),
        }))}
        onChange={(id) => (chosen.value = Number(id))}
      />
    );
  const chart =
    failed !== undefined ? (
      <Failure error={failed} retry={retry} />
    ) : all === undefined || threads === undefined ? (
      <Waiting what={modulesTexts.readingMainThread} />
    ) : shown === undefined ? (
      <Absences
        absences={[trace.value !== undefined && isOfOtherRecorder(trace.value) ? foreign : absence]}
      />
    ) : (
      <StripChart
        key={`${epoch.value} ${shown.track.id}`}
        name={title}
        track={shown.track}
        tracks={all}
        full={part ?? { startNs: all.workStartNs, endNs: all.workEndNs }}
        extent={part ?? { startNs: all.startNs, endNs: all.endNs }}
        marked={props.marked}
        {...(lead === undefined ? {} : { low: { lead, tools } })}
      />
    );
  if (lead === undefined) {
    return (
      <Panel title={title} definition={definition} actions={tools}>
        {chart}
      </Panel>
    );
  }
  const drawn = shown !== undefined && failed === undefined;
  return (
    <section aria-label={title}>
      {drawn ? null : lead}
      {chart}
    </section>
  );
}
