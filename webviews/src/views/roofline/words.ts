// What hovering over a point says.
import { fixed, quantity } from '#shared/numbers.ts';
import type { Row } from '#shared/protocol.ts';
import { commonTexts } from '../../lib/texts.ts';
import { numberOf, text } from '../links.ts';
import { rooflineTexts } from './texts.ts';

/** For which share of the time figures are unknown: in one sentence where it is the same for both. */
function unknownOf(row: Row): string[] {
  const flops = numberOf(row, 'unknownFlopsShare') ?? 0;
  const bytes = numberOf(row, 'unknownBytesShare') ?? 0;
  if (flops === bytes) return flops > 0 ? [rooflineTexts.unknownForTime(flops)] : [];
  return [
    ...(flops > 0 ? [rooflineTexts.flopsUnknownForTime(flops)] : []),
    ...(bytes > 0 ? [rooflineTexts.bytesUnknownForTime(bytes)] : []),
  ];
}

/** "read a 4,841,472 + b 1,536": the sizes in a formula as the rest of the page writes numbers. */
const grouped = (formula: string): string =>
  formula.replace(/(?<![\w.])\d{5,15}(?![\w.])/g, (digits) => fixed(Number(digits), 0));

/** What a point says: the title, then figures with their formulas. */
export function wordsOf(row: Row): string[] {
  const part = (label: string, value: string): string[] =>
    value === '' || value === '\u2013' ? [] : [`${label} ${value}`];
  const tera = numberOf(row, 'tflopsPerS');
  const flops = numberOf(row, 'flops');
  const read = numberOf(row, 'readBytes') ?? 0;
  const written = numberOf(row, 'writtenBytes') ?? 0;
  return [
    text(row, 'name') || '(none)',
    ...part('', text(row, 'params')),
    ...part('', text(row, 'path') === '' ? '' : `${text(row, 'path')}:${text(row, 'at')}`),
    rooflineTexts.kernelsOfAll(
      numberOf(row, 'totalUs'),
      numberOf(row, 'kernels') ?? 0,
      numberOf(row, 'share'),
    ),
    ...part(rooflineTexts.potentialGain, quantity(numberOf(row, 'savedUs'), 'us')),
    ...part(rooflineTexts.ofRoof, quantity(numberOf(row, 'roofShare'), 'ratio')),
    ...(tera === undefined ? [] : [`${quantity(tera * 1e12, 'flops')}/s`]),
    ...part(rooflineTexts.intensity, rooflineTexts.intensityValue(numberOf(row, 'intensity'))),
    ...part(commonTexts.operations, flops === undefined ? '' : quantity(flops, 'flops')),
    ...part('=', text(row, 'flopsFormula')),
    ...part(commonTexts.bytes, quantity(read + written, 'bytes')),
    ...part('=', grouped(text(row, 'bytesFormula'))),
    ...unknownOf(row),
  ].map((line) => line.trim());
}
