// The devices, and what recomputation costs them.
import { sharedTexts } from '#shared/common_texts.ts';
import { inMakersWords, isAmd } from '../../host/maker.ts';
import type { ViewOverviewResult } from '#shared/protocol.ts';
import { quantity } from '#shared/numbers.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Facts, Panel } from '../../widgets/panel.tsx';
import { overviewTexts } from './texts.ts';

export function Gpus(props: { result: ViewOverviewResult }) {
  const { gpus } = props.result;
  if (gpus.length === 0) return null;
  const percent = (value: number | null): string | undefined =>
    value === null ? undefined : quantity(value, 'ratio');
  return (
    <Panel title={gpus.length === 1 ? commonTexts.device : overviewTexts.devices}>
      {gpus.map((gpu) => (
        <div key={gpu.index} class="gpu">
          <Facts
            items={[
              {
                name: visible(gpu.label),
                value: gpu.name === '' ? overviewTexts.nameNotRecorded : visible(gpu.name),
              },
              {
                name: commonTexts.memory,
                value: gpu.memoryBytes === null ? undefined : quantity(gpu.memoryBytes, 'bytes'),
                definition: commonTexts.deviceMemoryHint,
              },
              {
                name: isAmd.value ? overviewTexts.computeUnits : overviewTexts.multiprocessors,
                value: gpu.multiprocessors === null ? undefined : String(gpu.multiprocessors),
                definition: overviewTexts.multiprocessorsHint,
              },
              {
                name: isAmd.value ? overviewTexts.gfxVersion : overviewTexts.computeCapability,
                value: gpu.computeCapability ?? undefined,
                definition: overviewTexts.computeCapabilityHint,
              },
              {
                name: overviewTexts.utilization,
                value: percent(gpu.utilization),
                definition: overviewTexts.utilizationHint,
              },
              {
                name: overviewTexts.estSmEfficiency,
                value: percent(gpu.estSmEfficiency),
                definition: overviewTexts.estSmEfficiencyHint,
              },
              {
                name: overviewTexts.estOccupancy,
                value: percent(gpu.estOccupancy),
                definition: overviewTexts.estOccupancyHint,
              },
              {
                name: inMakersWords(overviewTexts.tensorCoreShare),
                value:
                  gpu.tensorCoreShare === null
                    ? undefined
                    : overviewTexts.shareWithUnknown(
                        gpu.tensorCoreShare,
                        gpu.tensorCoreUnknownShare ?? 0,
                      ),
                definition: overviewTexts.tensorCoreShareHint,
              },
            ].flatMap((item) => (item.value === undefined ? [] : [{ ...item, value: item.value }]))}
          />
        </div>
      ))}
    </Panel>
  );
}

/** What activation checkpointing costs, where it is in use. */
export function Recompute(props: { result: ViewOverviewResult }) {
  const cost = props.result.recompute;
  if (cost === undefined) return null;
  const of = (us: number, part: number): string =>
    `${quantity(us, 'us')}, ${quantity(part, 'ratio')}`;
  return (
    <Panel title={sharedTexts.recompute} definition={overviewTexts.recomputeHint}>
      <Facts
        items={[
          ...(cost.deviceUs > 0
            ? [
                {
                  name: commonTexts.deviceTime,
                  value: of(cost.deviceUs, cost.deviceShare),
                  definition: overviewTexts.recomputeDeviceHint,
                },
              ]
            : []),
          {
            name: commonTexts.hostTime,
            value: of(cost.hostUs, cost.hostShare),
            definition: overviewTexts.recomputeHostHint,
          },
        ]}
      />
    </Panel>
  );
}
