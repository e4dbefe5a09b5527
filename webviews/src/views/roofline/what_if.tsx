// What the same kernels would take on another device, and how far such predictions may be off.
import { useAnswer } from '../../host/query.ts';
import { viewState } from '../../host/view_state.ts';
import { quantity } from '#shared/numbers.ts';
import type { ViewRooflineResult } from '#shared/protocol.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Select } from '../../widgets/select.tsx';
import { Failure, Waiting } from '../../widgets/notices.tsx';
import { Facts, Panel } from '../../widgets/panel.tsx';
import { rooflineTexts } from './texts.ts';

type WhatIf = NonNullable<ViewRooflineResult['whatIf']>;

/** "14.20 ms to 9.10 ms, 36 % less". */
function change(beforeUs: number, afterUs: number): string {
  // A difference that no figure shows is none.
  if (quantity(beforeUs, 'us') === quantity(afterUs, 'us')) return rooflineTexts.unchanged(afterUs);
  const words = rooflineTexts.changesTo(beforeUs, afterUs);
  const percent = 100 * (afterUs / beforeUs - 1);
  if (beforeUs <= 0) return words;
  return rooflineTexts.changedBy(words, Math.abs(percent), percent);
}

function Figures({ whatIf }: { whatIf: WhatIf }) {
  return (
    <>
      <Facts
        row
        items={[
          {
            name: commonTexts.steps,
            value: change(whatIf.stepUs, whatIf.predictedStepUs),
            definition: rooflineTexts.stepsHint,
          },
          {
            name: commonTexts.kernelTime,
            value: change(whatIf.kernelUs, whatIf.predictedKernelUs),
            definition: rooflineTexts.predictedKernelTimeHint,
          },
          {
            name: rooflineTexts.deviceBusy,
            value: change(whatIf.busyUs, whatIf.predictedBusyUs),
            definition: rooflineTexts.deviceBusyHint,
          },
          {
            name: rooflineTexts.staysAsItIs,
            value: rooflineTexts.latencyUnknown(whatIf.latencyShare, whatIf.unscaledShare),
            definition: rooflineTexts.staysAsItIsHint,
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
      title={rooflineTexts.whatIf}
      class="what-if"
      definition={rooflineTexts.whatIfHint}
      actions={
        <Select
          label={rooflineTexts.onAnotherDevice}
          value={device.value}
          choices={[
            { value: '', label: commonTexts.none },
            ...devices.map((name) => ({ value: name, label: visible(name) })),
          ]}
          onChange={(next) => (device.value = next)}
        />
      }
    >
      {device.value === '' ? (
        <p class="note">{rooflineTexts.chooseDevice}</p>
      ) : error !== undefined ? (
        <Failure error={error} retry={retry} />
      ) : whatIf === null || pending ? (
        <Waiting what={rooflineTexts.predicting} />
      ) : (
        <Figures whatIf={whatIf} />
      )}
    </Panel>
  );
}
