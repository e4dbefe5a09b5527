// Cost per line of the user's code; a line opens to the source around it.
import { useState } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import { useNavigation } from '../../host/navigation.ts';
import { viewState } from '../../host/view_state.ts';
import { trace } from '../../host/store.ts';
import { quantity, share } from '#shared/numbers.ts';
import type { Row, ViewLinesResult } from '#shared/protocol.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Segments } from '../../widgets/controls.tsx';
import type { RowAction } from '../../widgets/table/actions.tsx';
import { DataTable } from '../../widgets/table/data_table.tsx';
import { Lacks } from '../../widgets/notices.tsx';
import { Facts, Panel } from '../../widgets/panel.tsx';
import { numberOf, sourceAction, text, viewAction } from '../links.ts';
import { Listing } from './listing.tsx';
import { linesTexts } from './texts.ts';

/** To the rows of the operators that the line called. */
function operatorsAction(row: Row): RowAction[] {
  const names = text(row, 'operators')
    .split(', ')
    .filter((name) => /^[\w:.]+$/.test(name));
  return names.length === 0
    ? []
    : viewAction('operators', sharedTexts.operators, linesTexts.showOperators, {
        filter: `name=${names.join('|')}`,
      });
}

function actions(row: Row): RowAction[] {
  const file = text(row, 'file');
  if (file === '') return [];
  const line = numberOf(row, 'line');
  return [
    ...sourceAction(row),
    ...(line === undefined
      ? []
      : viewAction('timeline', sharedTexts.timeline, linesTexts.showSlices, {
          line: { file, line },
        })),
    ...operatorsAction(row),
    ...viewAction('stacks', commonTexts.stacks, linesTexts.showStacks, {
      search: text(row, 'function') || file,
    }),
  ];
}

/** Those of the columns that are zero in every row, where the answer holds all rows. */
function withoutValues(answer: ViewLinesResult, keys: readonly string[]): readonly string[] {
  if (answer.rows.length < answer.totalRows) return [];
  return keys.filter((key) => answer.rows.every((row) => (row[key] ?? 0) === 0));
}

const groupings = ['line', 'function', 'file'] as const;
type Grouping = (typeof groupings)[number];

export function LinesView() {
  const group = viewState<Grouping>('lines', 'groupBy', 'line');
  const [result, setResult] = useState<ViewLinesResult | undefined>(undefined);
  useNavigation('lines', (to) => {
    group.value = groupings.find((one) => one === to.groupBy) ?? group.value;
    if (to.filter !== undefined) {
      viewState('lines', `lines-${group.value}Filter`, '').value = to.filter;
    }
  });
  const device = trace.value?.hasDeviceWork === true;
  const totals = result?.totals;
  // The table then says what the trace lacks; figures and headings above it would say nothing.
  const nothing = result?.unfilteredRows === 0 && result.absences.length > 0;
  const all = totals === undefined ? 0 : device ? totals.deviceUs : totals.hostUs;
  const onLines = totals === undefined ? 0 : device ? totals.lineDeviceUs : totals.lineHostUs;
  const onFunctions =
    totals === undefined ? 0 : device ? totals.functionDeviceUs : totals.functionHostUs;
  return (
    <>
      {totals === undefined || nothing ? null : (
        <Facts
          row
          items={[
            {
              name: device ? commonTexts.deviceTime : commonTexts.hostTime,
              value: quantity(all, 'us'),
              definition: device ? linesTexts.allDeviceTime : linesTexts.allHostTime,
            },
            {
              name: linesTexts.attributedToLine,
              value: `${quantity(onLines, 'us')}, ${share(onLines, all)}`,
              definition: linesTexts.attributedToLineHint,
            },
            ...(onFunctions > 0
              ? [
                  {
                    name: linesTexts.attributedToFunction,
                    value: `${quantity(onFunctions, 'us')}, ${share(onFunctions, all)}`,
                    definition: linesTexts.attributedToFunctionHint,
                  },
                ]
              : []),
          ]}
        />
      )}
      {result === undefined || result.unfilteredRows === 0 ? null : (
        <Lacks absences={result.absences} />
      )}
      <Panel
        class={nothing ? 'bare' : ''}
        title={
          group.value === 'line'
            ? commonTexts.lines
            : group.value === 'function'
              ? commonTexts.functions
              : linesTexts.files
        }
      >
        <DataTable
          name={commonTexts.lines}
          rows={commonTexts.lineRows}
          view="lines"
          stateKey={`lines-${group.value}`}
          key={group.value}
          method="view/lines"
          params={{ groupBy: group.value }}
          defaultSort={device ? '-deviceSelfUs' : '-hostSelfUs'}
          {...(trace.value?.hasStacks === true ? { empty: linesTexts.onlyLibrary } : {})}
          lesser={[
            'operators',
            'confidence',
            'collectives',
            'collectiveUs',
            'idleUs',
            'synchronizationUs',
            'allocatedBytes',
            'backwardHostUs',
            'backwardDeviceUs',
            'recomputeHostUs',
            'recomputeDeviceUs',
            'calls',
            'runs',
            'hostTotalUs',
            'deviceTotalUs',
          ]}
          actions={actions}
          canOpen={(row) => numberOf(row, 'line') !== undefined}
          detail={(row) => (
            <Listing
              file={text(row, 'file')}
              line={numberOf(row, 'line') ?? 1}
              function={text(row, 'function')}
            />
          )}
          onResult={setResult}
          hideColumns={(answer) => [
            ...withoutValues(answer, [
              'backwardDeviceUs',
              'backwardHostUs',
              'recomputeDeviceUs',
              'recomputeHostUs',
              'synchronizationUs',
              'idleUs',
              'allocatedBytes',
              'collectives',
              'collectiveUs',
            ]),
            ...(device
              ? []
              : [
                  'deviceSelfUs',
                  'deviceTotalUs',
                  'backwardDeviceUs',
                  'recomputeDeviceUs',
                  'synchronizationUs',
                  'idleUs',
                ]),
            ...(trace.value?.worldSize === null ? ['collectives', 'collectiveUs'] : []),
          ]}
          toolbar={
            nothing ? null : (
              <Segments
                label={linesTexts.rowsPer}
                of={group}
                choices={{
                  line: commonTexts.line,
                  function: linesTexts.function,
                  file: commonTexts.file,
                }}
              />
            )
          }
          firstShare={1.4}
        />
      </Panel>
    </>
  );
}
