// A small table that is all there: the twin of a chart, averages, facts with several columns.
import type { ComponentChildren } from 'preact';
import type { Unit } from '#shared/numbers.ts';
import { ActionButton } from './controls.tsx';
import { useKept } from './kept.ts';
import { widgetTexts } from './texts.ts';

export interface PlainColumn {
  title: string;
  definition?: string;
  numeric?: boolean;
  /** Of the numbers that exports hold, where cells show each in a unit that suits it. */
  exportUnit?: Unit;
}

export interface PlainTableProps {
  /** Keeps apart what is kept of several in one view. */
  stateKey: string;
  label: string;
  columns: readonly PlainColumn[];
  rows: readonly (readonly ComponentChildren[])[];
  class?: string;
}

export function PlainTable(props: PlainTableProps) {
  return (
    <LongTable
      stateKey={props.stateKey}
      name={props.label}
      rows={props.rows.length}
      class={props.class ?? ''}
    >
      <table class="plain-table">
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                class={column.numeric === true ? 'numeric' : ''}
                title={column.definition}
                data-unit={column.exportUnit}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) =>
                at === 0 ? (
                  <th key={at} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={at} class={props.columns[at]?.numeric === true ? 'numeric' : ''}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </LongTable>
  );
}

/** Rows that a long table shows before it is asked for all; the style sheet hides the others. */
const few = 20;

/** A table as it stands on the page: a part of it when it is long, until all of it is wanted. */
export function LongTable(props: {
  stateKey: string;
  name: string;
  rows: number;
  class?: string;
  children: ComponentChildren;
}) {
  const all = useKept(`${props.stateKey}All`, false);
  const cut = props.rows > few && !all.value;
  return (
    <>
      <div
        class={`plain-table-scroll ${cut ? 'few' : ''} ${props.class ?? ''}`}
        tabIndex={0}
        role="region"
        aria-label={props.name}
      >
        {props.children}
      </div>
      {props.rows > few ? (
        <p>
          <ActionButton onClick={() => (all.value = cut)}>
            {cut ? widgetTexts.showAllRows(props.rows) : widgetTexts.showFirstRows(few)}
          </ActionButton>
        </p>
      ) : null}
    </>
  );
}
