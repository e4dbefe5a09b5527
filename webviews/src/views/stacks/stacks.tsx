// Python stacks by time: the flame graph in both directions, and the functions as a table.
import { useEffect, useMemo } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import { openSource } from '../../host/host.ts';
import { useNavigation } from '../../host/navigation.ts';
import { useAnswer } from '../../host/query.ts';
import { scopedState, viewState } from '../../host/view_state.ts';
import { trace } from '../../host/store.ts';
import { fileName, isFilePath, visible } from '../../lib/format.ts';
import type { FlameInput, FlameNode } from '../../lib/flame.ts';
import type { Row, StackNode } from '#shared/protocol.ts';
import type { PageParams } from '#shared/requests.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Charts } from '../../widgets/charts.tsx';
import { Check } from '../../widgets/check.tsx';
import { ActionButton, Segments } from '../../widgets/controls.tsx';
import { FilterBox } from '../../widgets/fields.tsx';
import { DataTable } from '../../widgets/table/data_table.tsx';
import { FlameGraph } from '../../widgets/flame_graph.tsx';
import { Absences, Failure, Lacks, Nothing, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { filterFor, sourceAction, text, viewAction } from '../links.ts';
import { stacksTexts } from './texts.ts';

function flameOf(node: StackNode): FlameInput {
  return {
    name:
      node.file === '' ? node.function : `${node.function}  ${fileName(node.file)}:${node.line}`,
    value: node.totalUs,
    data: node,
    children: node.children.map(flameOf),
  };
}

/** Frames of libraries, of which a fold leaves none unless there are no others. */
const holdsLibrary = (node: StackNode): boolean => node.library || node.children.some(holdsLibrary);

function nodeActions(node: FlameNode, enter: (id: number) => void) {
  const frame = node.data as StackNode;
  return [
    ...(!isFilePath(frame.file)
      ? []
      : [
          {
            label: commonTexts.code,
            run: () => openSource({ file: frame.file, line: frame.line, function: frame.function }),
          },
        ]),
    ...(frame.childCount > frame.children.length
      ? [{ label: stacksTexts.expand, run: () => enter(frame.id) }]
      : []),
  ];
}

export function StacksView() {
  const device = trace.value?.hasDeviceWork === true;
  // Empty until the reader chooses.
  const weight = viewState<'' | 'device' | 'host'>('stacks', 'weight', '');
  const hostFirst = scopedState('steps', 'stacks', 'hostFirst', false);
  const direction = viewState('stacks', 'direction', 'down');
  const fold = viewState('stacks', 'fold', true);
  const search = viewState('stacks', 'search', '');
  const root = scopedState('steps', 'stacks', 'root', 0);
  const chosen = weight.value || (hostFirst.value ? 'host' : 'device');
  const used = device ? chosen : 'host';
  const params: PageParams<'view/stacks'> = {
    weight: used,
    foldLibrary: fold.value,
    bottomUp: direction.value === 'up',
  };
  if (search.value.trim() !== '') params.search = search.value.trim();
  useNavigation('stacks', (to) => {
    const wanted = to.filter ?? to.search;
    if (wanted === undefined) return;
    root.value = 0;
    search.value = wanted;
  });
  const { value, error, retry, pending } = useAnswer('view/stacks', {
    ...params,
    ...(root.value > 0 ? { root: root.value } : {}),
  });
  // Work whose launch was not recorded has no stack: where the device's side has nothing to show, the
  // host's opens.
  const isEmpty =
    value !== undefined &&
    value.form !== 'none' &&
    value.weight === 'device' &&
    (value.tree.totalUs <= 0 || value.tree.children.length === 0) &&
    params.search === undefined;
  useEffect(() => {
    if (isEmpty) hostFirst.value = true;
  }, [isEmpty]);
  const roots = useMemo(() => (value === undefined ? [] : [flameOf(value.tree)]), [value]);
  // Ids belong to one tree: another question starts at its root.
  const ask = (change: () => void): void => {
    root.value = 0;
    change();
  };
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={commonTexts.readingStacks} />;
  if (value.form === 'none') {
    return (
      <>
        <Absences title={stacksTexts.noPythonStacks} absences={value.absences} />
      </>
    );
  }
  const rowActions = (row: Row) => [
    ...sourceAction(row),
    ...viewAction('lines', commonTexts.lines, stacksTexts.showLines(text(row, 'function')), {
      groupBy: 'line',
      filter: `function=${filterFor(text(row, 'function'))}`,
    }),
    ...viewAction('timeline', sharedTexts.timeline, commonTexts.findInTimeline, {
      search: text(row, 'function'),
    }),
  ];
  return (
    <>
      <div class="toolbar">
        <FilterBox
          label={stacksTexts.onlyStacksWith}
          value={search.value}
          onChange={(text) => ask(() => (search.value = text))}
        />
        <Segments
          label={stacksTexts.direction}
          value={direction.value}
          choices={{
            down: stacksTexts.callersFirst,
            up: stacksTexts.calleesFirst,
          }}
          onChange={(next) => ask(() => (direction.value = next))}
        />
        {device ? (
          <Segments
            label={commonTexts.time}
            value={used}
            choices={{
              device: commonTexts.deviceTime,
              host: commonTexts.hostTime,
            }}
            onChange={(next) => ask(() => (weight.value = next))}
          />
        ) : null}
        <Check
          label={commonTexts.foldLibraryFrames}
          checked={fold.value}
          onChange={(on) => ask(() => (fold.value = on))}
        />
        {root.value > 0 ? (
          <ActionButton onClick={() => (root.value = 0)}>{stacksTexts.showAllStacks}</ActionButton>
        ) : null}
      </div>
      <Charts
        title={stacksTexts.timeByStack(value.weight, value.totalUs)}
        definition={
          value.weight === 'device' ? stacksTexts.deviceTimeHint : stacksTexts.hostTimeHint
        }
      >
        <div class={pending ? 'stale' : ''} aria-busy={pending}>
          {value.tree.totalUs <= 0 ? (
            <Nothing>{stacksTexts.noMatchingStacks}</Nothing>
          ) : (
            <FlameGraph
              stateKey="pythonStacks"
              name={stacksTexts.pythonStacks}
              levels={7}
              unit="us"
              roots={roots}
              search={search.value}
              identity={(node) => {
                const { file, line, function: called } = node.data as StackNode;
                return file === '' ? called : `${file}(${line}): ${called}`;
              }}
              describe={(node) => {
                const frame = node.data as StackNode;
                return [
                  stacksTexts.self(frame.selfUs),
                  ...(frame.file === '' ? [] : [`${visible(frame.file)}:${frame.line}`]),
                ];
              }}
              actions={(node) => [
                ...nodeActions(node, (id) => (root.value = id)),
                ...(node.parent === undefined
                  ? []
                  : viewAction('timeline', sharedTexts.timeline, commonTexts.findInTimeline, {
                      search: (node.data as StackNode).function,
                    })),
              ]}
            />
          )}
        </div>
      </Charts>
      {fold.value && holdsLibrary(value.tree) ? (
        <p class="note">{stacksTexts.onlyLibrary}</p>
      ) : null}
      <Lacks absences={value.absences} />
      <Panel title={commonTexts.functions}>
        <DataTable
          name={commonTexts.functions}
          rows={commonTexts.functionRows}
          view="stacks"
          stateKey="functions"
          method="view/stackFunctions"
          params={params}
          defaultSort="-selfUs"
          // Functions of one name, `<module>` or `forward`, are told apart by their file.
          lesser={['library', 'share', 'totalUs']}
          // Where they are folded, no row is one of a library.
          hideColumns={() => (fold.value ? ['library'] : [])}
          actions={rowActions}
          empty={stacksTexts.noFunctionOf(used)}
        />
      </Panel>
    </>
  );
}
