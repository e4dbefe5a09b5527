// Operators: where their time went, and the table; each row opens to the Python stacks and
// the modules that called it.
import { useState } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import { useActiveFilter } from '../../host/filters.ts';
import { inMakersWords } from '../../host/maker.ts';
import { useNavigation } from '../../host/navigation.ts';
import { useAnswer } from '../../host/query.ts';
import { viewState } from '../../host/view_state.ts';
import { trace } from '../../host/store.ts';
import { quantity } from '#shared/numbers.ts';
import type { Row, ViewOperatorsResult, ViewOperatorStacksResult } from '#shared/protocol.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ActionButton, LinkButton, Segments } from '../../widgets/controls.tsx';
import { Charts } from '../../widgets/charts.tsx';
import type { RowAction } from '../../widgets/table/actions.tsx';
import { DataTable } from '../../widgets/table/data_table.tsx';
import { Absences, Failure, Lacks, Nothing, Waiting } from '../../widgets/notices.tsx';
import { ShareStrip } from '../../widgets/share_strip.tsx';
import { StackList } from '../../widgets/stack_list.tsx';
import { SmallTableView } from '../../widgets/small_table.tsx';
import {
  filterFor,
  moduleAction,
  sourceAction,
  text,
  timelineAction,
  viewAction,
} from '../links.ts';
import { operatorsTexts } from './texts.ts';

// Totals hold one another, so they are no parts of a whole: the table has them.
const selfCharts = [
  {
    key: 'deviceSelf',
    title: commonTexts.deviceSelf,
    definition: operatorsTexts.deviceSelfHint,
  },
  {
    key: 'hostSelf',
    title: commonTexts.hostSelf,
    definition: operatorsTexts.hostSelfHint,
  },
] as const;

/** Stacks that an opened row shows before it is asked for all. */
const fewStacks = 6;

/** Where the calls of a row came from: Python stacks, modules. */
function Callers(props: { row: Row }) {
  const shapes = text(props.row, 'inputShapes');
  const { value, error, retry } = useAnswer('view/operatorStacks', {
    name: text(props.row, 'name'),
    ...(shapes === '' ? {} : { inputShapes: shapes }),
  });
  const part = viewState('operators', 'calledFrom', 'stacks');
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={commonTexts.readingStacks} />;
  const { stacks, modules } = value;
  const shown = modules.rows.length === 0 ? 'stacks' : stacks.length === 0 ? 'modules' : part.value;
  return (
    <div class="launches">
      {stacks.length === 0 || modules.rows.length === 0 ? null : (
        <Segments
          label={sharedTexts.calledFrom}
          value={shown}
          choices={{
            stacks: commonTexts.stacks,
            modules: commonTexts.modules,
          }}
          onChange={(next) => (part.value = next)}
        />
      )}
      {shown === 'modules' ? (
        <SmallTableView
          stateKey="calledFromModules"
          name={operatorsTexts.calledFromModules}
          table={modules}
          actions={(row) => [
            ...moduleAction(row),
            ...sourceAction(row),
            ...timelineAction(row, text(props.row, 'name')),
          ]}
        />
      ) : stacks.length === 0 ? (
        <Nothing>{operatorsTexts.noStack}</Nothing>
      ) : (
        <Stacks value={value} />
      )}
    </div>
  );
}

function Stacks(props: { value: ViewOperatorStacksResult }) {
  const { value } = props;
  const [all, setAll] = useState(false);
  const shown = all ? value.stacks : value.stacks.slice(0, fewStacks);
  return (
    <div class="stack-cards">
      <Absences absences={value.absences} />
      {value.totalStacks > value.stacks.length ? (
        <p class="note">{operatorsTexts.heaviestStacks(value.stacks.length, value.totalStacks)}</p>
      ) : null}
      {shown.map((stack, index) => (
        <section key={index} class="stack-card" aria-label={operatorsTexts.stack(index + 1)}>
          <p class="evidence">
            <span title={operatorsTexts.callsFromStack}>
              {sharedTexts.calls} <strong>{quantity(stack.calls, 'count')}</strong>
            </span>
            {trace.value?.hasDeviceWork === true ? (
              <span title={selfCharts[0].definition}>
                {commonTexts.deviceSelf} <strong>{quantity(stack.deviceSelfUs, 'us')}</strong>
              </span>
            ) : null}
            <span title={selfCharts[1].definition}>
              {commonTexts.hostSelf} <strong>{quantity(stack.hostSelfUs, 'us')}</strong>
            </span>
            {stack.backward ? <span>{operatorsTexts.backwardOfLine}</span> : null}
          </p>
          <StackList
            frames={stack.frames}
            slice={stack.slice?.slice}
            actions={
              stack.slice === null
                ? null
                : viewAction('timeline', sharedTexts.timeline, operatorsTexts.showHeaviestCall, {
                    slice: stack.slice.slice,
                  }).map((action) => (
                    <LinkButton key={action.label} title={action.title} onClick={action.run}>
                      {action.label}
                    </LinkButton>
                  ))
            }
          />
        </section>
      ))}
      {shown.length < value.stacks.length ? (
        <p class="more">
          <ActionButton onClick={() => setAll(true)}>
            {operatorsTexts.showMoreStacks(value.stacks.length - shown.length)}
          </ActionButton>
        </p>
      ) : null}
    </div>
  );
}

const groupings = ['operator', 'operatorAndShapes'] as const;
type Grouping = (typeof groupings)[number];

export function OperatorsView() {
  const device = trace.value?.hasDeviceWork === true;
  const group = viewState<Grouping>('operators', 'groupBy', 'operator');
  const top = viewState('operators', 'top', 10);
  const filter = viewState('operators', 'tableFilter', '');
  const module = viewState('operators', 'module', '');
  const [result, setResult] = useState<ViewOperatorsResult | undefined>(undefined);
  useNavigation('operators', (to) => {
    if (to.filter !== undefined) filter.value = to.filter;
    group.value = groupings.find((one) => one === to.groupBy) ?? group.value;
    module.value = to.module ?? '';
    if (to.module !== undefined) filter.value = '';
  });
  useActiveFilter(
    'operators module',
    module.value === '' ? '' : operatorsTexts.inside(module.value),
    () => (module.value = ''),
  );
  const modules = trace.value?.hasModules === true;
  const shapes = trace.value?.hasShapes === true;
  const stacks = trace.value?.hasStacks === true;
  const actions = (row: Row): RowAction[] => {
    const name = text(row, 'name');
    return [
      ...timelineAction(row, name),
      ...sourceAction(row),
      ...(device
        ? viewAction('kernels', sharedTexts.kernels, operatorsTexts.showKernels(name), {
            filter: `operator=${filterFor(name)}`,
            groupBy: 'properties',
          })
        : []),
    ];
  };
  const charts =
    result === undefined
      ? []
      : selfCharts.filter((one) => result.rings[one.key].some((part) => part.us > 0));
  const onPick = (name: string): void => {
    filter.value = `name=${filterFor(name)}`;
  };
  return (
    <>
      {result?.unfilteredRows === 0 ? null : (
        <Charts top={top}>
          {charts.map((ring) => {
            const parts = result!.rings[ring.key].map((part) => ({
              name: part.name,
              value: part.us,
            }));
            const { key, title, definition } = ring;
            return (
              <ShareStrip
                key={key}
                stateKey={key}
                title={title}
                definition={definition}
                unit="us"
                top={top.value}
                parts={parts}
                total={key === 'deviceSelf' ? result!.deviceSelfUs : result!.hostSelfUs}
                onPick={onPick}
              />
            );
          })}
        </Charts>
      )}
      {result === undefined || result.unfilteredRows === 0 ? null : (
        <Lacks absences={result.absences} />
      )}
      <DataTable
        key={group.value}
        name={sharedTexts.operators}
        rows={commonTexts.operatorRows}
        view="operators"
        stateKey="table"
        method="view/operators"
        params={{
          groupBy: group.value,
          topN: top.value,
          ...(module.value === '' ? {} : { module: module.value }),
        }}
        lesser={[
          'tensorCoreUnknown',
          'tensorCoreTotal',
          'tensorCoreSelf',
          'tensorCoreEligible',
          'stacks',
          'share',
          'hostTotalUs',
          'deviceTotalUs',
        ]}
        actions={actions}
        unknownReasons={{
          tensorCoreEligible: inMakersWords(commonTexts.unknownTensorCores),
          tensorCoreSelf: inMakersWords(commonTexts.unknownTensorCores),
          tensorCoreTotal: inMakersWords(commonTexts.unknownTensorCores),
        }}
        rowKey={(row) => `${text(row, 'name')} ${text(row, 'inputShapes')}`}
        onResult={setResult}
        hideColumns={() => [
          ...(device
            ? []
            : [
                'deviceSelfUs',
                'deviceTotalUs',
                'tensorCoreEligible',
                'tensorCoreSelf',
                'tensorCoreTotal',
                'tensorCoreUnknown',
              ]),
          ...(stacks ? [] : ['stacks']),
        ]}
        {...(stacks || modules
          ? {
              canOpen: (row: Row) => modules || Number(row.stacks ?? 0) > 0,
              detail: (row: Row) => <Callers row={row} />,
            }
          : {})}
        empty={
          module.value === ''
            ? operatorsTexts.noOperatorRan
            : operatorsTexts.noneInside(module.value)
        }
        toolbar={
          <>
            {shapes ? (
              <Segments
                label={commonTexts.groupBy}
                of={group}
                choices={{
                  operator: sharedTexts.operator,
                  operatorAndShapes: commonTexts.operatorAndShapes,
                }}
              />
            ) : null}
          </>
        }
      />
    </>
  );
}
