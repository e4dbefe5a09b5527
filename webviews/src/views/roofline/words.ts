// What hovering over a point says.
import { plural, quantity } from '#shared/numbers.ts';
import type { Row } from '#shared/protocol.ts';
import { numberOf, text } from '../links.ts';

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
    `${quantity(numberOf(row, 'totalUs'), 'us')} in ${plural(numberOf(row, 'kernels') ?? 0, 'kernel')}, ${quantity(numberOf(row, 'share'), 'ratio')} of all`,
    ...part('Potential gain', quantity(numberOf(row, 'savedUs'), 'us')),
    ...part('Of the roof', quantity(numberOf(row, 'roofShare'), 'ratio')),
    ...(tera === undefined ? [] : [`${quantity(tera * 1e12, 'flops')}/s`]),
    ...part('Intensity', `${quantity(numberOf(row, 'intensity'), '')} FLOP/B`),
    ...part('Operations', flops === undefined ? '' : quantity(flops, 'flops')),
    ...part('=', text(row, 'flopsFormula')),
    ...part('Bytes', quantity(read + written, 'bytes')),
    ...part('=', text(row, 'bytesFormula')),
    ...((numberOf(row, 'unknownShare') ?? 0) > 0
      ? [`Unknown for ${quantity(numberOf(row, 'unknownShare'), 'ratio')} of its time`]
      : []),
  ].map((line) => line.trim());
}
