// Which trace of the profile shows, and which of its steps.
import type { ViewSelection } from '#shared/messages.ts';
import type { ProfileOpenResult, TraceInfo } from '#shared/protocol.ts';
import { selectSteps, selectTrace } from '../host/choices.ts';
import { profile, selection, trace } from '../host/store.ts';
import { commonTexts } from '../lib/texts.ts';
import { ActionButton } from '../widgets/controls.tsx';
import { Select } from '../widgets/select.tsx';
import { shellTexts } from './texts.ts';

function stepChoices(info: TraceInfo) {
  return [
    { value: 'all', label: shellTexts.wholeTraceOf(info.steps.length) },
    ...info.steps.map((step) => ({
      value: step.name,
      label: shellTexts.stepChoice(step.name, step.partial, step.durationNs),
    })),
  ];
}

/** Those of a profile's page. */
export function Selectors() {
  if (trace.value === undefined || profile.value === undefined) return null;
  return (
    <TraceSelectors
      label={shellTexts.selection}
      info={trace.value}
      found={profile.value}
      selection={selection.value}
      onTrace={(next) => void selectTrace(next)}
      onSteps={selectSteps}
    />
  );
}

/** Run, worker, span and steps, where there is more than one. */
export function TraceSelectors(props: {
  label: string;
  info: TraceInfo;
  found: ProfileOpenResult;
  selection: ViewSelection;
  onTrace: (next: ViewSelection) => void;
  onSteps: (steps: string | undefined) => void;
}) {
  const { info, found, selection, onTrace, onSteps } = props;
  const run = found.runs.find((r) => r.name === (selection.run ?? info.run)) ?? found.runs[0];
  const worker =
    run?.workers.find((w) => w.name === (selection.worker ?? info.worker)) ?? run?.workers[0];
  const steps = selection.steps ?? 'all';
  const range = /^(\d+)-(\d+)$/.exec(steps);
  const names = info.steps.map((step) => ({ value: step.name, label: step.name }));
  const names1 = (list: { name: string }[]): { value: string; label: string }[] =>
    list.map((item) => ({
      value: item.name,
      label: item.name === '' ? shellTexts.unnamed : item.name,
    }));
  return (
    <div class="selectors" role="group" aria-label={props.label}>
      {found.runs.length > 1 && run !== undefined ? (
        <Select
          label={shellTexts.run}
          value={run.name}
          choices={names1(found.runs)}
          onChange={(name) => onTrace({ run: name })}
        />
      ) : null}
      {run !== undefined && worker !== undefined && run.workers.length > 1 ? (
        <Select
          label={shellTexts.worker}
          value={worker.name}
          choices={names1(run.workers)}
          onChange={(name) => onTrace({ run: run.name, worker: name })}
        />
      ) : null}
      {run !== undefined && worker?.spans !== undefined ? (
        <Select
          label={shellTexts.span}
          value={selection.span ?? info.span}
          choices={worker.spans.map((span) => ({ value: span.span, label: span.span }))}
          onChange={(span) => onTrace({ run: run.name, worker: worker.name, span })}
        />
      ) : null}
      {info.hasRecordedSteps && info.steps.length > 0 ? (
        range === null ? (
          <>
            <Select
              label={commonTexts.steps}
              value={steps}
              choices={[
                ...stepChoices(info),
                ...(info.steps.length > 2 ? [{ value: 'range', label: shellTexts.range }] : []),
              ]}
              onChange={(value) =>
                onSteps(
                  value === 'range'
                    ? `${info.steps[0]!.name}-${info.steps[info.steps.length - 1]!.name}`
                    : value,
                )
              }
            />
          </>
        ) : (
          <>
            <Select
              label={shellTexts.stepsFrom}
              value={range[1]!}
              choices={names}
              onChange={(from) => onSteps(orderedRange(from, range[2]!))}
            />
            <Select
              label={shellTexts.to}
              value={range[2]!}
              choices={names}
              onChange={(to) => onSteps(orderedRange(range[1]!, to))}
            />
            <ActionButton onClick={() => onSteps(undefined)}>{commonTexts.wholeTrace}</ActionButton>
          </>
        )
      ) : null}
    </div>
  );
}

function orderedRange(from: string, to: string): string {
  return Number(from) <= Number(to) ? `${from}-${to}` : `${to}-${from}`;
}
