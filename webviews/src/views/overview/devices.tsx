// The devices, and what recomputation costs them.
import { inMakersWords } from '../../host/maker.ts';
import type { ViewOverviewResult } from '#shared/protocol.ts';
import { fixed, quantity } from '#shared/numbers.ts';
import { visible } from '../../lib/format.ts';
import { Facts, Panel } from '../../widgets/panel.tsx';

export function Gpus(props: { result: ViewOverviewResult }) {
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
                definition: 'Units that the blocks of a kernel run on.',
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
                  'Share of the time from the first selected step to the last, pauses included, in which at least one kernel runs.',
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
                name: inMakersWords('Tensor core share'),
                value: percent(gpu.tensorCoreShare),
                definition: 'Share of kernel time in kernels that use matrix units.',
              },
              {
                name: inMakersWords('Tensor cores unknown'),
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

/** What activation checkpointing costs, where it is in use. */
export function Recompute(props: { result: ViewOverviewResult }) {
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
                  definition:
                    'Device work that activation checkpointing reran, and its share of all device work.',
                },
              ]
            : []),
          {
            name: 'Host time',
            value: of(cost.hostUs, cost.hostShare),
            definition: 'Host time of the reruns, and its share of all traced threads.',
          },
        ]}
      />
    </Panel>
  );
}
