// The tables of a comparison, one per level, the largest difference first.
import { useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { sharedTexts } from '#shared/common_texts.ts';
import type { CompareTableParams, CompareTableResult, Row } from '#shared/protocol.ts';
import type { Unit } from '#shared/numbers.ts';
import { viewState } from '../../host/view_state.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ActionButton, Segments } from '../../widgets/controls.tsx';
import { Select } from '../../widgets/select.tsx';
import { PathName } from '../../widgets/name.tsx';
import { Waiting } from '../../widgets/notices.tsx';
import { NoValue } from '../../widgets/table/cells.tsx';
import { DataTable } from '../../widgets/table/data_table.tsx';
import { numberOf, text } from '../links.ts';
import { ChangeMark, changeOf } from './change.tsx';
import { placesOf, rowActions } from './links.ts';
import { eitherHas, useComparedTime, useVerdict } from './state.ts';
import { comparisonTexts } from './texts.ts';

type By = CompareTableParams['by'];

/** Columns that every table has; all others give way to them. */
const first = new Set([
  'key',
  'name',
  'status',
  'line',
  'function',
  'inputShapes',
  'baselineUs',
  'candidateUs',
  'deltaUs',
  'baselineBytes',
  'candidateBytes',
  'deltaBytes',
  'deltaPercent',
  'noiseUs',
  'noiseBytes',
]);

/** Of the columns that every table has, the first to give way: differences stay longer than what differs. */
const givingWay = [
  'noiseUs',
  'noiseBytes',
  'inputShapes',
  'baselineUs',
  'baselineBytes',
  'candidateUs',
  'candidateBytes',
  // The difference itself says more.
  'deltaPercent',
  // It says what the place in the first column is.
  'function',
];

/** By these the rows are ordered. */
const kept = new Set(['deltaUs', 'deltaBytes', 'deltaPercent']);

/** Differences that are 0 in every row of the answer, and noise that is known of none. */
function emptyColumns({ rows, columns }: CompareTableResult): readonly string[] {
  return columns
    .map(({ key }) => key)
    .filter((key) => /^(delta|noise)/.test(key) && !kept.has(key))
    .filter((key) => rows.every((row) => row[key] === 0 || row[key] === null));
}

function changeCell(row: Row): ComponentChildren {
  // Collectives have both, and are ordered by time.
  const bytes = row.deltaUs === undefined && row.deltaBytes !== undefined;
  const delta = numberOf(row, bytes ? 'deltaBytes' : 'deltaUs') ?? null;
  const unit: Unit = bytes ? 'bytes' : 'us';
  const beyond = typeof row.beyondNoise === 'boolean' ? row.beyondNoise : null;
  const sides = [numberOf(row, 'baselineUs'), numberOf(row, 'candidateUs')];
  return <ChangeMark change={changeOf(text(row, 'status'), delta, unit, beyond, sides)} />;
}

const placeName = (row: Row): string => placesOf(row)[0]?.name ?? text(row, 'name');

/** A line or a function by its place, which opens the code of the side that has it. */
function placeCell(row: Row): ComponentChildren {
  const [place] = placesOf(row);
  if (place === undefined) return visible(text(row, 'name'));
  return (
    <button
      type="button"
      class="cell-link"
      tabIndex={-1}
      title={comparisonTexts.openPlaceOf(place.name, place.side)}
      onClick={(event) => place.open(event.ctrlKey || event.metaKey)}
    >
      {visible(place.name)}
    </button>
  );
}

const pathMarks = [' / '] as const;

/** The path of a module: where there is little room, its beginning gives way to the module's own name. */
function moduleCell(row: Row): ComponentChildren {
  return <PathName path={text(row, 'name')} marks={pathMarks} />;
}

const functionMarks = ['.'] as const;

/** A method: its class gives way to its own name. */
function functionCell(row: Row): ComponentChildren {
  const name = text(row, 'function');
  return name === '' ? <NoValue /> : <PathName path={name} marks={functionMarks} />;
}

export function CompareTable(props: {
  name: string;
  /** What its rows are called in the middle of a sentence. */
  rows: string;
  by: By;
  device?: string;
  /** Only what ran in this block of the execution: its path. */
  block?: string;
  toolbar?: ComponentChildren;
}) {
  const { by, block } = props;
  const stateKey = block === undefined ? by : `block${by}`;
  const time = useComparedTime();
  const [result, setResult] = useState<CompareTableResult | undefined>(undefined);
  const sort = viewState('compare', `${stateKey}Sort`, '');
  if (time === undefined) return <Waiting what={comparisonTexts.comparing} />;
  const places = by === 'lines' || by === 'functions';
  const quiet = result === undefined ? [] : emptyColumns(result);
  const others = (result?.columns ?? [])
    .map(({ key }) => key)
    .filter((key) => !first.has(key) && !quiet.includes(key))
    .reverse();
  // What is the same on both sides tells no difference.
  const facts = others.filter((key) => !/^(baseline|candidate|delta|noise)/.test(key));
  const device = eitherHas('hasDeviceWork');
  // By all rows of the table: columns must not come and go with the filter.
  const empty = useRef<readonly string[]>([]);
  return (
    <DataTable
      key={stateKey}
      name={props.name}
      rows={props.rows}
      view="compare"
      stateKey={stateKey}
      method="compare/table"
      params={{
        by,
        time,
        ...(props.device === undefined ? {} : { device: props.device }),
        ...(block === undefined ? {} : { block }),
      }}
      lesser={[...quiet, ...facts, ...others, ...givingWay]}
      figures={givingWay}
      nameColumns={by === 'kernels' ? ['name'] : []}
      narrowNames
      firstShare={4}
      actions={by === 'steps' ? undefined : rowActions}
      rowKey={(row) => text(row, 'key')}
      {...(places ? { shownName: placeName } : {})}
      onResult={setResult}
      renderCell={{
        status: changeCell,
        function: functionCell,
        ...(places ? { name: placeCell } : {}),
        ...(by === 'modules' ? { name: moduleCell } : {}),
      }}
      hideColumns={(answer) => {
        if (answer.rows.length === answer.unfilteredRows) empty.current = emptyColumns(answer);
        return [
          'beyondNoise',
          ...empty.current,
          // What the place in the first column says already.
          ...(places ? ['line', 'confidence'] : []),
          ...(device
            ? []
            : answer.columns.map(({ key }) => key).filter((key) => /Device/.test(key))),
        ];
      }}
      empty={comparisonTexts.nothingToCompare(props.rows)}
      toolbar={
        <>
          {props.toolbar}
          {sort.value === '' ? null : (
            <ActionButton
              title={comparisonTexts.largestDifferenceFirstHint}
              onClick={() => (sort.value = '')}
            >
              {comparisonTexts.largestDifferenceFirst}
            </ActionButton>
          )}
        </>
      }
    />
  );
}

export const StepsTable = () => (
  <CompareTable name={commonTexts.steps} rows={comparisonTexts.stepRows} by="steps" />
);
export const ModulesTable = () => (
  <CompareTable name={commonTexts.modules} rows={commonTexts.moduleRows} by="modules" />
);
export const KernelsTable = () => (
  <CompareTable name={sharedTexts.kernels} rows={commonTexts.kernelRows} by="kernels" />
);
export const CommunicationTable = () => (
  <CompareTable
    name={commonTexts.communication}
    rows={comparisonTexts.communicationRows}
    by="communication"
  />
);
export const LinesTable = () => (
  <CompareTable name={commonTexts.lines} rows={commonTexts.lineRows} by="lines" />
);
export const FunctionsTable = () => (
  <CompareTable name={commonTexts.functions} rows={commonTexts.functionRows} by="functions" />
);

export function OperatorsTable() {
  const by = viewState<'operators' | 'operatorShapes'>('compare', 'operatorsBy', 'operators');
  return (
    <CompareTable
      name={sharedTexts.operators}
      rows={commonTexts.operatorRows}
      by={by.value}
      toolbar={
        eitherHas('hasShapes') ? (
          <Segments
            label={commonTexts.groupBy}
            of={by}
            choices={{
              operators: sharedTexts.operator,
              operatorShapes: commonTexts.operatorAndShapes,
            }}
          />
        ) : null
      }
    />
  );
}

const peakKey = 'peakAllocated/';

export function MemoryTable() {
  const device = viewState('compare', 'memoryDevice', '');
  const { value } = useVerdict();
  const devices = (value?.figures ?? [])
    .filter(({ key }) => key.startsWith(peakKey))
    .map(({ key }) => key.slice(peakKey.length));
  const shown = devices.includes(device.value) ? device.value : (devices[0] ?? '');
  return (
    <CompareTable
      name={commonTexts.memory}
      rows={comparisonTexts.memoryRows}
      by="memory"
      {...(shown === '' ? {} : { device: shown })}
      toolbar={
        devices.length > 1 ? (
          <Select
            label={commonTexts.device}
            value={shown}
            choices={devices.map((name) => ({ value: name, label: name }))}
            onChange={(name) => (device.value = name)}
          />
        ) : null
      }
    />
  );
}
