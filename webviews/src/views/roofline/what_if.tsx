// What the same kernels would take on another device, and how far such predictions may be off.
import { useAnswer } from '../../host/query.ts';
import { viewState } from '../../host/store.ts';
import { quantity } from '#shared/numbers.ts';
import type { ViewRooflineResult } from '#shared/protocol.ts';
import { visible } from '../../lib/format.ts';
import { Select } from '../../widgets/select.tsx';
import { Failure, Waiting } from '../../widgets/notices.tsx';
import { Facts, Panel } from '../../widgets/panel.tsx';

type WhatIf = NonNullable<ViewRooflineResult['whatIf']>;

/** "14.20 ms to 9.10 ms, 36 % less". */
function change(beforeUs: number, afterUs: number): string {
  const words = `${quantity(beforeUs, 'us')} to ${quantity(afterUs, 'us')}`;
  const percent = 100 * (afterUs / beforeUs - 1);
  if (beforeUs <= 0 || percent === 0) return words;
  return `${words}, ${quantity(Math.abs(percent), 'percent')} ${percent < 0 ? 'less' : 'more'}`;
}

function Figures({ whatIf }: { whatIf: WhatIf }) {
  return (
    <>
      <Facts
        row
        items={[
          {
            name: 'Steps',
            value: change(whatIf.stepUs, whatIf.predictedStepUs),
            definition:
              'The selected steps, replayed with the predicted times of the kernels: what the host launches is launched when it was, and begins when what it waited for is done.',
          },
          {
            name: 'Kernel time',
            value: change(whatIf.kernelUs, whatIf.predictedKernelUs),
            definition:
              'Each kernel takes as much longer as its operations or bytes, whichever limits it, ask of the peaks there.',
          },
          {
            name: 'Device busy',
            value: change(whatIf.busyUs, whatIf.predictedBusyUs),
            definition:
              'Time in which a device works. What is left of the steps is waiting for the host.',
          },
          {
            name: 'Stays as it is',
            value: `${quantity(whatIf.latencyShare, 'ratio')} latency, ${quantity(whatIf.unscaledShare, 'ratio')} unknown`,
            definition:
              'Kernel time that other peaks do not change: little work does not fill a device and waits for latencies; and kernels whose cost is unknown.',
          },
        ]}
      />
      <p class="note">{whatIf.accuracy}</p>
    </>
  );
}

export function WhatIfPanel({ devices }: { devices: readonly string[] }) {
  const device = viewState('roofline', 'whatIf', '');
  const {
    value: result,
    error,
    pending,
    retry,
  } = useAnswer(
    'view/roofline',
    device.value === '' ? undefined : { whatIf: device.value, limit: 1 },
  );
  const whatIf = device.value === '' ? null : (result?.whatIf ?? null);
  return (
    <Panel
      title="What if"
      class="what-if"
      definition="The same kernels on another device, by its peaks."
      actions={
        <Select
          label="On another device"
          value={device.value}
          choices={[
            { value: '', label: 'None' },
            ...devices.map((name) => ({ value: name, label: visible(name) })),
          ]}
          onChange={(next) => (device.value = next)}
        />
      }
    >
      {device.value === '' ? (
        <p class="note">Choose a device to see what these steps would take there.</p>
      ) : error !== undefined ? (
        <Failure error={error} retry={retry} />
      ) : whatIf === null || pending ? (
        <Waiting what="Predicting" />
      ) : (
        <Figures whatIf={whatIf} />
      )}
    </Panel>
  );
}
