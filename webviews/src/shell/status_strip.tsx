// One line under the tabs: whether the file is whole, what it was recorded on, which part of it shows.
import type { TraceInfo } from '#shared/protocol.ts';
import { fixed, plural, quantity } from '#shared/numbers.ts';
import { activeFilters } from '../host/filters.ts';
import { deviceKind, navigate, selectSteps, selection } from '../host/store.ts';
import { visible } from '../lib/format.ts';
import { Icon } from '../widgets/icon.tsx';
import { isCut } from '../widgets/notices.tsx';
import { Selectors } from './selectors.tsx';

/** How whole the file is, in a word or two; the rest is in the overview. */
function Health(props: { info: TraceInfo }) {
  const { problems } = props.info;
  const cut = problems.find((problem) => problem.notice);
  const count = problems.reduce((sum, problem) => sum + problem.count, 0);
  const text =
    cut !== undefined ? 'Incomplete' : problems.length > 0 ? plural(count, 'problem') : 'Complete';
  const worst = cut ?? problems[0];
  return (
    <button
      type="button"
      class={`strip-item health ${cut !== undefined ? 'bad' : problems.length > 0 ? 'some' : 'good'}`}
      title={`${worst === undefined ? 'The whole file was read without problems.' : visible(worst.message)}\nShow trace health`}
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
  if (!info.hasDeviceWork) return isCut(info) ? `No ${deviceKind.value} work read` : 'CPU only';
  if (name === undefined) {
    const [device, ...more] = info.devices;
    return more.length > 0 ? `${info.devices.length} ${deviceKind.value}s` : (device?.label ?? '');
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
        title="Remove this filter"
        aria-label={`Remove ${visible(props.label)}`}
        onClick={() => props.clear()}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

export function StatusStrip(props: { info: TraceInfo }) {
  const { info } = props;
  const device = deviceText(info);
  const { steps } = selection.value;
  return (
    <div class="status-strip" role="group" aria-label="Trace">
      <Health info={info} />
      {device === '' ? null : (
        <span class="strip-item" title="Device that the work ran on">
          <Icon name="chip" />
          {device}
        </span>
      )}
      {info.rank === null ? null : (
        <span class="strip-item" title="Rank of this process in the run">
          Rank {fixed(info.rank, 0)}
          {info.worldSize === null || info.worldSize < 0 ? '' : ` of ${fixed(info.worldSize, 0)}`}
        </span>
      )}
      <span class="strip-item" title="Duration of the recording">
        {quantity(info.durationNs, 'ns')}
      </span>
      <Selectors />
      <span class="strip-chips">
        {steps === undefined ? null : (
          <Chip
            label={/^\d+$/.test(steps) ? `Step ${steps}` : `Steps ${steps}`}
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
