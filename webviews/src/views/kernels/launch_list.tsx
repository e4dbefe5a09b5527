// Every kernel launch: its operator, shapes, operations, bytes and share of the roof.
import type { ComponentChildren } from 'preact';
import type { Row } from '#shared/protocol.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Name } from '../../widgets/name.tsx';
import { NoValue } from '../../widgets/table/cells.tsx';
import { DataTable } from '../../widgets/table/data_table.tsx';
import type { RowAction } from '../../widgets/table/actions.tsx';
import type { CellRenderer } from '../../widgets/table/row.tsx';
import {
  filterFor,
  moduleAction,
  operatorAction,
  sourceAction,
  text,
  timelineAction,
  viewAction,
} from '../links.ts';
import { costCells } from '../cost_cells.tsx';
import { kernelsTexts } from './texts.ts';

function actions(row: Row): RowAction[] {
  const owner = text(row, 'owner');
  return [
    ...timelineAction(row, text(row, 'name')),
    ...sourceAction(row),
    ...operatorAction({ operator: owner }),
    ...moduleAction({ module: text(row, 'mod') === 'na' ? '' : text(row, 'mod') }),
    ...(owner === ''
      ? []
      : viewAction('roofline', kernelsTexts.roofline, kernelsTexts.showAgainstRoofs(owner), {
          groupBy: 'operator',
          filter: `name=${filterFor(owner)}`,
        })),
  ];
}

const launchCells: Record<string, CellRenderer> = {
  ...costCells,
  // PyProf's name has no template arguments, which tell what the kernel does.
  kernel: (row, names) => {
    const whole = text(row, 'name');
    return <Name whole={whole} shown={names.get(whole) ?? whole} />;
  },
  tc: (row) => {
    const uses = text(row, 'tc');
    return uses === '-' ? <NoValue /> : uses;
  },
};

export function LaunchList(props: { toolbar: ComponentChildren }) {
  return (
    <DataTable
      key="each"
      name={kernelsTexts.kernelLaunches}
      rows={kernelsTexts.launchRows}
      view="kernels"
      stateKey="each"
      method="view/kernelList"
      defaultSort="idx"
      rowKey={(row) => text(row, 'slice')}
      nameColumns={['name']}
      renderCell={launchCells}
      lesser={[
        'altseq',
        'layer',
        'trace',
        'tid',
        'block',
        'grid',
        'note',
        'class',
        'writtenBytes',
        'readBytes',
        'seq',
        'sub',
        'modulePath',
        'step',
        'startUs',
        'durationUs',
        'stream',
        'device',
        'gbPerS',
        'intensity',
        'bound',
        'owner',
        'tc',
        'mod',
        'dir',
      ]}
      actions={actions}
      empty={commonTexts.noKernelRan}
      toolbar={props.toolbar}
    />
  );
}
