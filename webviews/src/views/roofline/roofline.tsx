// What the device could do at most, and what is worth optimizing: points below roofs, the same rows as
// a table by what they could save, utilization of the steps, advice.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import { useNavigation } from '../../host/navigation.ts';
import { useAnswer } from '../../host/query.ts';
import { viewState } from '../../host/view_state.ts';
import type { Row } from '#shared/protocol.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Segments } from '../../widgets/controls.tsx';
import { Select } from '../../widgets/select.tsx';
import { Name } from '../../widgets/name.tsx';
import { FindingList } from '../../widgets/findings.tsx';
import { Absences, Failure, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import type { RowAction } from '../../widgets/table/actions.tsx';
import { PlaceCell } from '../../widgets/table/cells.tsx';
import { DataTable } from '../../widgets/table/data_table.tsx';
import { useWidth } from '../../widgets/width.ts';
import { filterFor, lineAction, sourceAction, text, timelineAction, viewAction } from '../links.ts';
import { costCells } from '../cost_cells.tsx';
import { RooflineFacts, UnknownDevices } from './facts.tsx';
import { RoofPanel } from './panel.tsx';
import { pointsOf } from './points.ts';
import { rooflineTexts } from './texts.ts';
import { WhatIfPanel } from './what_if.tsx';

const groupings = {
  operator: sharedTexts.operators,
  shape: rooflineTexts.byShape,
  kernel: sharedTexts.kernels,
  module: commonTexts.modules,
  line: commonTexts.lines,
} as const;
type Grouping = keyof typeof groupings;
/** What rows are called in the middle of a sentence. */
const rowNames: Record<Grouping, string> = {
  operator: commonTexts.operatorRows,
  shape: commonTexts.operatorRows,
  kernel: commonTexts.kernelRows,
  module: commonTexts.moduleRows,
  line: commonTexts.lineRows,
};
const rooflines: Record<Grouping, string> = {
  operator: rooflineTexts.rooflineOfOperators,
  shape: rooflineTexts.rooflineOfShapes,
  kernel: rooflineTexts.rooflineOfKernels,
  module: rooflineTexts.rooflineOfModules,
  line: rooflineTexts.rooflineOfLines,
};

/** Pixels of a page that has room for the chart beside the table. */
const besidePx = 1000;

/** So many rows, longest first, are points. */
const mostPoints = 400;

const targets = ['0.4', '0.5', '0.6', '0.7', '0.8', '0.9', '1'];

/** Terms that leave only the row in the table. */
function rowFilter(row: Row, by: Grouping): string {
  const name = text(row, 'name');
  if (by === 'line') {
    const file = text(row, 'path');
    return file === '' ? '' : `path=${filterFor(file)} at=${text(row, 'at')}`;
  }
  const params = by === 'shape' ? text(row, 'params') : '';
  return [
    name === '' ? '' : `name=${filterFor(name)}`,
    params === '' ? '' : `params=${filterFor(params)}`,
  ]
    .filter((term) => term !== '')
    .join(' ');
}

function ownView(row: Row, by: Grouping): RowAction[] {
  const name = text(row, 'name');
  if (name === '') return [];
  switch (by) {
    case 'operator':
    case 'shape':
      return viewAction('operators', sharedTexts.operator, commonTexts.showInOperators(name), {
        filter: `name=${filterFor(name)}`,
      });
    case 'kernel':
      return viewAction('kernels', sharedTexts.kernel, rooflineTexts.showInKernels, {
        groupBy: 'name',
        filter: `name=${filterFor(name)}`,
      });
    case 'module':
      return viewAction('modules', commonTexts.module, commonTexts.showInModules(name), {
        filter: name,
      });
    case 'line':
      return lineAction(row);
  }
}

const actionsOf = (row: Row, by: Grouping): RowAction[] => [
  ...timelineAction(row, text(row, 'name')),
  ...sourceAction(row),
  ...ownView(row, by),
];

/** The kernels of no operator stand together in one row. */
const operatorCell = (row: Row) =>
  text(row, 'name') === '' ? (
    <span class="no-value">{rooflineTexts.noOperator}</span>
  ) : (
    <Name whole={text(row, 'name')} />
  );

/** A line by its place, which opens the code. */
const placeCell = (row: Row) => <PlaceCell row={{ ...row, file: row.path!, line: row.at! }} />;

const cells: Partial<Record<Grouping, Record<string, (row: Row) => ComponentChildren>>> = {
  operator: { ...costCells, name: operatorCell },
  line: { ...costCells, path: placeCell },
};

/** The table of what is worth optimizing, the chart's rows in full. */
function Savings(props: { by: Grouping; target: number }) {
  const { by } = props;
  return (
    <DataTable
      key={by}
      name={rooflineTexts.costs}
      rows={rowNames[by]}
      view="roofline"
      stateKey={by}
      method="view/roofline"
      params={{ groupBy: by, target: props.target }}
      defaultSort="-savedUs"
      nameColumns={by === 'kernel' ? ['name'] : []}
      rowKey={(row) => ['name', 'params', 'path', 'at'].map((key) => text(row, key)).join('\n')}
      lesser={[
        'unknownFlopsShare',
        'unknownBytesShare',
        'class',
        'writtenBytes',
        'readBytes',
        'calls',
        'flops',
        'memoryBoundShare',
        'unit',
        'kernels',
        'gbPerS',
        'intensity',
        'share',
      ]}
      renderCell={cells[by] ?? costCells}
      // The cell of the file names the line too.
      hideColumns={() => (by === 'line' ? ['at'] : [])}
      actions={(row) => actionsOf(row, by)}
      empty={commonTexts.noKernelRan}
    />
  );
}

export function RooflineView() {
  const by = viewState<Grouping>('roofline', 'groupBy', 'operator');
  const target = viewState('roofline', 'target', '0.6');
  const [picked, setPicked] = useState<Row | undefined>(undefined);
  const room = useRef<HTMLDivElement>(null);
  const roomPx = useWidth(room);
  const share01 = Number(target.value);
  const {
    value: result,
    error,
    retry,
  } = useAnswer('view/roofline', {
    groupBy: by.value,
    target: share01,
    sort: '-totalUs',
    limit: mostPoints,
  });
  useNavigation('roofline', (to) => {
    const group = (Object.keys(groupings) as Grouping[]).find((one) => one === to.groupBy);
    if (group !== undefined) by.value = group;
    if (to.filter !== undefined) {
      viewState('roofline', `${by.value}Filter`, '').value = to.filter;
    }
  });
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (result === undefined) return <Waiting what={rooflineTexts.readingCosts} />;
  if (result.totals.kernels === 0) {
    return <Absences title={rooflineTexts.noCosts} absences={result.absences} />;
  }
  const showRow = (row: Row): void => {
    viewState('roofline', `${by.value}Filter`, '').value = rowFilter(row, by.value);
    document.querySelector('.view-roofline .savings')?.scrollIntoView({ block: 'nearest' });
  };
  const pickedActions: RowAction[] =
    picked === undefined
      ? []
      : [
          { label: commonTexts.row, title: rooflineTexts.showInTable, run: () => showRow(picked) },
          ...actionsOf(picked, by.value),
        ];
  const beside = roomPx >= besidePx && pointsOf(result.rows).length > 0;
  const roofs = (
    <RoofPanel
      key="roofs"
      title={rooflines[by.value]}
      result={result}
      picked={picked}
      pickedActions={pickedActions}
      beside={beside}
      onPick={setPicked}
    />
  );
  return (
    <>
      <div class="toolbar">
        <Segments
          label={rooflineTexts.points}
          choices={groupings}
          value={by.value}
          onChange={(next) => {
            setPicked(undefined);
            by.value = next;
          }}
        />
        <Select
          label={rooflineTexts.target}
          value={target.value}
          choices={targets.map((value) => ({
            value,
            label: rooflineTexts.percentOfRoof(Math.round(Number(value) * 100)),
          }))}
          onChange={(next) => (target.value = next)}
        />
      </div>
      <RooflineFacts result={result} />
      <UnknownDevices result={result} />
      <Absences absences={result.absences} />
      <div ref={room} class={beside ? 'roof-beside' : 'roof-over'}>
        {beside ? null : roofs}
        <Panel
          key="savings"
          class="savings"
          title={rooflineTexts.worthOptimizing}
          definition={rooflineTexts.worthOptimizingHint}
        >
          <Savings by={by.value} target={share01} />
        </Panel>
        {beside ? roofs : null}
      </div>
      {result.findings.length === 0 ? null : (
        <Panel
          title={rooflineTexts.advice}
          definition={rooflineTexts.adviceHint(result.totals.savedUs, result.totals.kernelUs)}
        >
          <FindingList findings={result.findings} />
        </Panel>
      )}
      <WhatIfPanel devices={result.knownDevices} />
    </>
  );
}
