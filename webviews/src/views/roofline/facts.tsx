// Sums against the roofs, with the share of time whose cost is unknown.
import { fixed, quantity, share } from '#shared/numbers.ts';
import type { ViewRooflineResult } from '#shared/protocol.ts';
import { visible } from '../../lib/format.ts';
import { Facts } from '../../widgets/panel.tsx';
import { knownDevices } from './points.ts';

/** "12 % (3 % unknown)": the share of the time without a figure, where not all figures lack the same share. */
function withUnknown(value: string, unknownShare: number, common: string | undefined): string {
  if (unknownShare <= 0 || common !== undefined) return value;
  return unknownShare > 0.9995 || value === '\u2013'
    ? 'unknown'
    : `${value} (${quantity(unknownShare, 'ratio')} unknown)`;
}

/** The steps' utilization as formula and inputs. */
function utilizationFormula(
  { utilization }: ViewRooflineResult,
  operations: number,
  which: string,
): string {
  const peak = utilization.peakTflopsPerS;
  if (peak === null) return 'Unknown: no matrix operator with a known peak ran in a step.';
  const time = utilization.steps.reduce((sum, step) => sum + step.durationUs, 0);
  return `${which}: ${quantity(operations, 'flops')} / (${utilization.unit} ${fixed(peak, 1)} TFLOP/s x ${quantity(time, 'us')} of steps).`;
}

export function RooflineFacts({ result }: { result: ViewRooflineResult }) {
  const { totals, utilization } = result;
  const sum = (key: 'modelFlops' | 'hardwareFlops'): number =>
    utilization.steps.reduce((all, step) => all + step[key], 0);
  const devices = knownDevices(result.devices);
  const unknown = [
    totals.unknownRoofShare,
    totals.unknownFlopsShare,
    totals.unknownBytesShare,
    totals.unknownShare,
  ].map((part) => (part > 0 ? quantity(part, 'ratio') : ''));
  const common = unknown.every((text) => text === unknown[0]) ? unknown[0] : undefined;
  return (
    <>
      <Facts
        row
        items={[
          {
            name: 'Potential gain',
            value: withUnknown(
              `${quantity(totals.savedUs, 'us')}, ${share(totals.savedUs, totals.kernelUs)}`,
              totals.unknownRoofShare,
              common,
            ),
            definition: `Kernel time saved if every kernel reached ${quantity(result.target, 'ratio')} of its roof. Kernels without a known roof save nothing.`,
          },
          {
            name: 'Of the roof',
            value: withUnknown(
              quantity(totals.roofShare, 'ratio'),
              totals.unknownRoofShare,
              common,
            ),
            definition:
              'Least time that the device needs for each kernel, by operations or by bytes, whichever is longer, as a share of the time of the kernels with a known roof.',
          },
          {
            name: 'Operations',
            value: withUnknown(quantity(totals.flops, 'flops'), totals.unknownFlopsShare, common),
            definition: 'Floating point operations of the kernels, where known.',
          },
          {
            name: 'Bytes',
            value: withUnknown(
              quantity(totals.readBytes + totals.writtenBytes, 'bytes'),
              totals.unknownBytesShare,
              common,
            ),
            definition: 'Least bytes that must be read and written, where known.',
          },
        ]}
      />
      <Facts
        row
        items={[
          {
            name: 'MFU',
            value: withUnknown(
              quantity(utilization.mfu, 'ratio'),
              totals.unknownFlopsShare,
              common,
            ),
            definition: utilizationFormula(
              result,
              sum('modelFlops'),
              'Model FLOPs utilization: operations of matrix operators, without recomputation',
            ),
          },
          {
            name: 'HFU',
            value: withUnknown(
              quantity(utilization.hfu, 'ratio'),
              totals.unknownFlopsShare,
              common,
            ),
            definition: utilizationFormula(
              result,
              sum('hardwareFlops'),
              'Hardware FLOPs utilization: operations of matrix operators, with recomputation',
            ),
          },
          {
            name: 'Kernel time',
            value: withUnknown(quantity(totals.kernelUs, 'us'), totals.unknownShare, common),
            definition: 'Sum of the durations of all kernels of the selected steps.',
          },
          {
            name: 'Peaks of',
            value: devices.map(({ known }) => visible(known)).join(', ') || 'no known device',
            definition: devices.map(({ known, source }) => `${known}: ${source}`).join('\n'),
          },
          ...(common !== undefined && common !== ''
            ? [
                {
                  name: 'Unknown',
                  value: `${common} of the time`,
                  definition: 'Time of kernels whose cost is unknown. The figures leave it out.',
                },
              ]
            : []),
        ]}
      />
    </>
  );
}

/** Devices without peaks, and where to write them. */
export function UnknownDevices({ result }: { result: ViewRooflineResult }) {
  const names = new Set(
    result.devices.filter(({ known }) => known === '').map(({ name, label }) => name || label),
  );
  if (names.size === 0) return null;
  const list = [...names].map(visible).join(', ');
  return (
    <p class="note" role="note">
      The peaks of {list} are unknown, so its kernels have no roof. Add them to the setting{' '}
      <code>emberline.devicePeaks</code>.
    </p>
  );
}
