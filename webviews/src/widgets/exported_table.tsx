// A small table that is all there, with its exports above it.
import { useRef } from 'preact/hooks';
import { PlainTable, type PlainTableProps } from './plain_table.tsx';
import { TableMenu } from './table_menu.tsx';

export function ExportedTable(props: PlainTableProps) {
  const root = useRef<HTMLDivElement>(null);
  return (
    <div ref={root} class="small-table">
      <div class="small-table-tools">
        <TableMenu name={props.label} place={root} />
      </div>
      <PlainTable {...props} />
    </div>
  );
}
