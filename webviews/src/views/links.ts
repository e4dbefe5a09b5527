// Ways from a row to other views and to the code, for those that exist.
import { sharedTexts } from '#shared/common_texts.ts';
import { openRowPlace } from '../host/place.ts';
import { viewAction } from '../host/links.ts';
import type { Row } from '#shared/protocol.ts';
import { commonTexts } from '../lib/texts.ts';
import type { RowAction } from '../widgets/table/actions.tsx';
import { viewTexts } from './texts.ts';

export { viewAction };

/** A cell as text; empty where there is none. */
export function text(row: Row, key: string): string {
  const value = row[key];
  return value === null || value === undefined ? '' : String(value);
}

export function numberOf(row: Row, key: string): number | undefined {
  const value = row[key];
  return typeof value === 'number' ? value : undefined;
}

/** A text as one word of a filter: a phrase in quotes where it holds blanks or bars. */
export function filterFor(name: string): string {
  if (!/[\s|"]/.test(name)) return name;
  // A quote cannot stand inside quotes: the longest part without one has to do.
  const part = name.split('"').sort((a, b) => b.length - a.length)[0] ?? '';
  return `"${part}"`;
}

/** To the slice in the timeline, else to a search for the name. */
export function timelineAction(row: Row, name: string, sliceKey = 'slice'): RowAction[] {
  const slice = numberOf(row, sliceKey);
  return slice !== undefined && slice >= 0
    ? viewAction('timeline', sharedTexts.timeline, commonTexts.showInTimeline, { slice })
    : viewAction('timeline', sharedTexts.timeline, commonTexts.findInTimeline, { search: name });
}

export function sourceAction(row: Row): RowAction[] {
  const file = text(row, 'file');
  if (file === '') return [];
  const line = numberOf(row, 'line') ?? 0;
  return [
    {
      label: commonTexts.code,
      title: viewTexts.openPlace(file, line > 0 ? `:${line}` : ''),
      run: () => openRowPlace(row),
    },
  ];
}

/** To the row of the operator that the row's `operator` names. */
export function operatorAction(row: Row): RowAction[] {
  // "aten::zeros (aten::empty)" stands for the caller of a bare aten::empty.
  const operator = text(row, 'operator').replace(/ \(.*\)$/, '');
  return operator === '' || operator.startsWith('<')
    ? []
    : viewAction('operators', sharedTexts.operator, commonTexts.showInOperators(operator), {
        filter: `name=${filterFor(operator)}`,
      });
}

/** To the module that the row's `module` names, in its tree. */
export function moduleAction(row: Row): RowAction[] {
  const module = text(row, 'module');
  return module === ''
    ? []
    : viewAction('modules', commonTexts.module, commonTexts.showInModules(module), {
        filter: module,
      });
}

/** To the row of the line that the row leads to. */
export function lineAction(row: Row): RowAction[] {
  const file = text(row, 'file');
  const line = numberOf(row, 'line');
  if (file === '' || line === undefined || row.lineIsDefinition === true) return [];
  return viewAction('lines', commonTexts.line, viewTexts.showInLines(file, line), {
    groupBy: 'line',
    filter: `file=${filterFor(file)} line=${line}`,
  });
}

/** A figure of the cost model with its formula and inputs on hover; where it is unknown, why. */
export function costTitle(row: Row, formulaKey: 'flopsFormula' | 'bytesFormula'): string {
  return text(row, formulaKey) || text(row, 'unknown') || text(row, 'note');
}
