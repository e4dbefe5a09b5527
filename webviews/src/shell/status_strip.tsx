// One line under the tabs: whether the file is whole, what it was recorded on, which part of it shows.
import type { TraceInfo } from '#shared/protocol.ts';
import { quantity } from '#shared/numbers.ts';
import { activeFilters } from '../host/filters.ts';
import { selectSteps } from '../host/choices.ts';
import { deviceKind, navigate, selection } from '../host/store.ts';
import { visible } from '../lib/format.ts';
import { commonTexts } from '../lib/texts.ts';
import { Icon } from '../widgets/icon.tsx';
import { isOfOtherRecorder, problemsToTell } from '../lib/problems.ts';
import { isCut, isIncomplete } from '../widgets/notices.tsx';
import { Selectors } from './selectors.tsx';
import { shellTexts } from './texts.ts';

/** How whole the file is, in a word or two; the rest is in the overview. */
function Health(props: { info: TraceInfo }) {
  const { told: problems } = problemsToTell(props.info.problems);
  const noticed = problems.find((problem) => problem.notice);
  const count = problems.reduce((sum, problem) => sum + problem.count, 0);
  const text = isIncomplete(props.info)
    ? shellTexts.incomplete
    : noticed !== undefined
      ? shellTexts.limited
      : problems.length > 0
        ? shellTexts.problems(count)
        : shellTexts.complete;
  const worst = noticed ?? problems[0];
  const problem = worst === undefined ? undefined : visible(worst.message);
  return (
    <button
      type="button"
      class={`strip-item health ${noticed !== undefined ? 'bad' : problems.length > 0 ? 'some' : 'good'}`}
      title={shellTexts.healthHint(problem)}
      onClick={() => navigate({ view: 'overview', search: 'health' })}
    >
      <Icon name={problems.length > 0 ? 'warning' : 'check'} />
      {text}
    </button>
  );
}

/** "NVIDIA A100-SXM4-80GB", "2 × Tesla V100"; what was used, else what the machine has. */
function deviceText(info: TraceInfo): string {
  const names = info.devices.map((device) => device.name).filter((name) => name !== '');
  const name = names[0];
  if (isOfOtherRecorder(info)) return '';
  if (!info.hasDeviceWork)
    return isCut(info) ? shellTexts.noWorkRead(deviceKind.value) : shellTexts.cpuOnly;
  if (name === undefined) {
    const [device, ...more] = info.devices;
    return more.length > 0
      ? shellTexts.devices(info.devices.length, deviceKind.value)
      : (device?.label ?? '');
  }
  const same = names.every((one) => one === name);
  return same && names.length > 1 ? `${names.length} × ${visible(name)}` : visible(name);
}

function Chip(props: { label: string; clear: () => void }) {
  return (
    <span class="chip">
      <span class="chip-text" title={visible(props.label)}>
        {visible(props.label)}
      </span>
      <button
        type="button"
        class="chip-remove"
        title={shellTexts.removeFilter}
        aria-label={shellTexts.remove(visible(props.label))}
        onClick={(event) => {
          const strip = event.currentTarget.closest('[role=group]');
          props.clear();
          // With the button goes its focus: the next chip has it, else the first button of the strip.
          requestAnimationFrame(() => {
            if (document.activeElement !== document.body) return;
            const chip = strip?.querySelector<HTMLElement>('.chip-remove');
            (chip ?? strip?.querySelector<HTMLElement>('button'))?.focus();
          });
        }}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

export function StatusStrip(props: { info: TraceInfo; roomy: boolean }) {
  const { info } = props;
  const device = deviceText(info);
  const { steps } = selection.value;
  return (
    <div
      class={`status-strip ${props.roomy ? 'roomy' : ''}`}
      role="group"
      aria-label={shellTexts.trace}
    >
      <Health info={info} />
      {device === '' ? null : (
        <span class="strip-item" title={shellTexts.deviceHint}>
          <Icon name="chip" />
          {device}
        </span>
      )}
      {info.rank === null || info.worldSize === 1 ? null : (
        <span class="strip-item" title={shellTexts.rankHint}>
          {shellTexts.rankOf(info.rank, info.worldSize)}
        </span>
      )}
      <span class="strip-item" title={shellTexts.durationHint}>
        {quantity(info.durationNs, 'ns')}
      </span>
      <Selectors />
      <span class="strip-chips">
        {steps === undefined ? null : (
          <Chip
            label={
              /^\d+$/.test(steps) ? commonTexts.stepNamed(steps) : shellTexts.stepsNamed(steps)
            }
            clear={() => selectSteps(undefined)}
          />
        )}
        {activeFilters.value.map((filter) => (
          <Chip key={filter.id} label={filter.label} clear={filter.clear} />
        ))}
      </span>
    </div>
  );
}
