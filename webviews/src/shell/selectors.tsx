// Which trace of the profile shows, and which of its steps.
import type { TraceInfo } from '#shared/protocol.ts';
import { profile, selectSteps, selectTrace, selection, trace } from '../host/store.ts';
import { plural, quantity } from '#shared/numbers.ts';
import { LinkButton, Select } from '../widgets/controls.tsx';

function stepChoices(info: TraceInfo) {
  return [
    { value: 'all', label: `Whole trace (${plural(info.steps.length, 'step')})` },
    ...info.steps.map((step) => ({
      value: step.name,
      label: `${step.name}${step.partial ? ' (partial)' : ''}, ${quantity(step.durationNs, 'ns')}`,
    })),
  ];
}

export function Selectors() {
  const info = trace.value;
  const found = profile.value;
  if (info === undefined || found === undefined) return null;
  const run = found.runs.find((r) => r.name === (selection.value.run ?? info.run)) ?? found.runs[0];
  const worker =
    run?.workers.find((w) => w.name === (selection.value.worker ?? info.worker)) ?? run?.workers[0];
  const steps = selection.value.steps ?? 'all';
  const range = /^(\d+)-(\d+)$/.exec(steps);
  const names = info.steps.map((step) => ({ value: step.name, label: step.name }));
  const names1 = (list: { name: string }[]): { value: string; label: string }[] =>
    list.map((item) => ({ value: item.name, label: item.name === '' ? '(unnamed)' : item.name }));
  return (
    <div class="selectors" role="group" aria-label="Selection">
      {found.runs.length > 1 && run !== undefined ? (
        <Select
          label="Run"
          value={run.name}
          choices={names1(found.runs)}
          onChange={(name) => void selectTrace({ run: name })}
        />
      ) : null}
      {run !== undefined && worker !== undefined && run.workers.length > 1 ? (
        <Select
          label="Worker"
          value={worker.name}
          choices={names1(run.workers)}
          onChange={(name) => void selectTrace({ run: run.name, worker: name })}
        />
      ) : null}
      {run !== undefined && worker !== undefined && worker.spans.length > 1 ? (
        <Select
          label="Span"
          value={selection.value.span ?? info.span}
          choices={worker.spans.map((span) => ({ value: span.span, label: span.span }))}
          onChange={(span) => void selectTrace({ run: run.name, worker: worker.name, span })}
        />
      ) : null}
      {info.hasRecordedSteps && info.steps.length > 0 ? (
        range === null ? (
          <>
            <Select
              label="Steps"
              value={steps}
              choices={[
                ...stepChoices(info),
                ...(info.steps.length > 2 ? [{ value: 'range', label: 'Range...' }] : []),
              ]}
              onChange={(value) =>
                selectSteps(
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
              label="Steps from"
              value={range[1]!}
              choices={names}
              onChange={(from) => selectSteps(orderedRange(from, range[2]!))}
            />
            <Select
              label="to"
              value={range[2]!}
              choices={names}
              onChange={(to) => selectSteps(orderedRange(range[1]!, to))}
            />
            <LinkButton onClick={() => selectSteps(undefined)}>Whole trace</LinkButton>
          </>
        )
      ) : null}
    </div>
  );
}

function orderedRange(from: string, to: string): string {
  return Number(from) <= Number(to) ? `${from}-${to}` : `${to}-${from}`;
}
