// A small table that is all there: the twin of a chart, averages, facts with several columns.
import type { ComponentChildren } from 'preact';

export interface PlainColumn {
  title: string;
  definition?: string;
  numeric?: boolean;
}

export interface PlainTableProps {
  label: string;
  columns: readonly PlainColumn[];
  rows: readonly (readonly ComponentChildren[])[];
  class?: string;
}

export function PlainTable(props: PlainTableProps) {
  return (
    <div
      class={`plain-table-scroll ${props.class ?? ''}`}
      tabIndex={0}
      role="region"
      aria-label={props.label}
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
    </div>
  );
}
