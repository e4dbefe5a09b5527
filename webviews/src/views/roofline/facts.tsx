// Sums against the roofs, with the share of time whose cost is unknown.
import { quantity, share } from '#shared/numbers.ts';
import type { ViewRooflineResult } from '#shared/protocol.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Facts } from '../../widgets/panel.tsx';
import { knownDevices } from './points.ts';
import { rooflineTexts } from './texts.ts';

/** What is less than the figures show is not worth a word. */
const isTold = (unknownShare: number, common: string | undefined): boolean =>
  unknownShare >= 0.0005 && common === undefined;

/** "12 % (3 % unknown)": the share of the time without a figure, where not all figures lack the same share. */
function withUnknown(value: string, unknownShare: number, common: string | undefined): string {
  if (!isTold(unknownShare, common)) return value;
  return unknownShare > 0.9995 || value === '\u2013'
    ? commonTexts.unknownWord
    : rooflineTexts.partlyUnknown(value, unknownShare);
}

/** The same of kernel time, which itself is known. */
const withCostUnknown = (
  value: string,
  unknownShare: number,
  common: string | undefined,
): string =>
  isTold(unknownShare, common) ? rooflineTexts.costPartlyUnknown(value, unknownShare) : value;

/** The steps' utilization as formula and inputs. */
function utilizationFormula(
  { utilization }: ViewRooflineResult,
  operations: number,
  which: string,
): string {
  const peak = utilization.peakTflopsPerS;
  if (peak === null) return rooflineTexts.utilizationUnknown;
  const time = utilization.steps.reduce((sum, step) => sum + step.durationUs, 0);
  return rooflineTexts.utilizationFormula(which, operations, utilization.unit, peak, time);
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
  ];
  const most = Math.max(...unknown);
  // Shares that hardly differ are told once.
  const alike = most - Math.min(...unknown) < 0.005;
  const common = !alike ? undefined : most >= 0.0005 ? quantity(most, 'ratio') : '';
  return (
    <Facts
      row
      items={[
        {
          name: rooflineTexts.potentialGain,
          value: withUnknown(
            `${quantity(totals.savedUs, 'us')}, ${share(totals.savedUs, totals.kernelUs)}`,
            totals.unknownRoofShare,
            common,
          ),
          definition: rooflineTexts.potentialGainHint(result.target),
        },
        {
          name: rooflineTexts.ofRoof,
          value: withUnknown(quantity(totals.roofShare, 'ratio'), totals.unknownRoofShare, common),
          definition: rooflineTexts.ofRoofHint,
        },
        {
          name: commonTexts.operations,
          value: withUnknown(quantity(totals.flops, 'flops'), totals.unknownFlopsShare, common),
          definition: rooflineTexts.operationsHint,
        },
        {
          name: commonTexts.bytes,
          value: withUnknown(
            quantity(totals.readBytes + totals.writtenBytes, 'bytes'),
            totals.unknownBytesShare,
            common,
          ),
          definition: rooflineTexts.bytesHint,
        },
        {
          name: 'MFU',
          value: withUnknown(quantity(utilization.mfu, 'ratio'), totals.unknownFlopsShare, common),
          definition: utilizationFormula(result, sum('modelFlops'), rooflineTexts.modelUtilization),
        },
        {
          name: 'HFU',
          value: withUnknown(quantity(utilization.hfu, 'ratio'), totals.unknownFlopsShare, common),
          definition: utilizationFormula(
            result,
            sum('hardwareFlops'),
            rooflineTexts.hardwareUtilization,
          ),
        },
        {
          name: commonTexts.kernelTime,
          value: withCostUnknown(quantity(totals.kernelUs, 'us'), totals.unknownShare, common),
          definition: rooflineTexts.kernelTimeHint,
        },
        ...(devices.length > 0
          ? [
              {
                name: rooflineTexts.peaksOf,
                value: devices.map(({ known }) => visible(known)).join(', '),
                definition: devices.map(({ known, source }) => `${known}: ${source}`).join('\n'),
              },
            ]
          : []),
        ...(common !== undefined && common !== ''
          ? [
              {
                name: rooflineTexts.costUnknown,
                value: rooflineTexts.ofTime(common),
                definition: rooflineTexts.unknownHint,
              },
            ]
          : []),
      ]}
    />
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
      {rooflineTexts.peaksUnknown(list, <code key="setting">emberline.devicePeaks</code>)}
    </p>
  );
}
