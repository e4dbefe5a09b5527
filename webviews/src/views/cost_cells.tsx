// Figures of the cost model in tables: formula and inputs on hover.
import type { ComponentChildren } from 'preact';
import { quantity, type Unit } from '#shared/numbers.ts';
import type { Row } from '#shared/protocol.ts';
import { visible } from '../lib/format.ts';
import { costTitle, numberOf } from './links.ts';

function figure(key: string, unit: Unit, formula: 'flopsFormula' | 'bytesFormula') {
  return function Figure(row: Row): ComponentChildren {
    const value = numberOf(row, key);
    const title = visible(costTitle(row, formula));
    return (
      <span class={value === undefined ? 'no-value' : ''} {...(title === '' ? {} : { title })}>
        {quantity(value, unit)}
      </span>
    );
  };
}

export const costCells: Record<string, (row: Row) => ComponentChildren> = {
  flops: figure('flops', 'flops', 'flopsFormula'),
  bytes: figure('bytes', 'bytes', 'bytesFormula'),
  readBytes: figure('readBytes', 'bytes', 'bytesFormula'),
  writtenBytes: figure('writtenBytes', 'bytes', 'bytesFormula'),
};
