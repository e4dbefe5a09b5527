// A hierarchy of modules or hooks: the tree with its figures and the flame graph of one of them.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import { openSource } from '../host/host.ts';
import { viewState } from '../host/view_state.ts';
import { trace } from '../host/store.ts';
import type { FlameInput, FlameNode } from '../lib/flame.ts';
import type { ModuleNode, ViewName } from '#shared/protocol.ts';
import { commonTexts } from '../lib/texts.ts';
import { Charts } from '../widgets/charts.tsx';
import { Segments } from '../widgets/controls.tsx';
import { Select } from '../widgets/select.tsx';
import type { RowAction } from '../widgets/table/actions.tsx';
import { moduleSlice } from '../lib/colors.ts';
import { FlameGraph } from '../widgets/flame_graph.tsx';
import { Panel } from '../widgets/panel.tsx';
import { TreeTable, type TreeColumn } from '../widgets/table/tree_table.tsx';
import { viewAction } from './links.ts';
import { viewTexts } from './texts.ts';

type Metric =
  | 'deviceTotalUs'
  | 'hostTotalUs'
  | 'backwardDeviceTotalUs'
  | 'backwardHostUs'
  | 'recomputeDeviceTotalUs'
  | 'recomputeHostUs'
  | 'allocatedBytes';

const metrics: readonly {
  key: Metric;
  title: string;
  /** Title of a chart of it. */
  by: (name: string) => string;
  device: boolean;
}[] = [
  { key: 'deviceTotalUs', title: commonTexts.deviceTime, by: viewTexts.byDeviceTime, device: true },
  { key: 'hostTotalUs', title: commonTexts.hostTime, by: viewTexts.byHostTime, device: false },
  {
    key: 'backwardDeviceTotalUs',
    title: viewTexts.backwardDeviceTime,
    by: viewTexts.byBackwardDeviceTime,
    device: true,
  },
  {
    key: 'backwardHostUs',
    title: viewTexts.backwardHostTime,
    by: viewTexts.byBackwardHostTime,
    device: false,
  },
  {
    key: 'recomputeDeviceTotalUs',
    title: viewTexts.recomputeDeviceTime,
    by: viewTexts.byRecomputeDeviceTime,
    device: true,
  },
  {
    key: 'recomputeHostUs',
    title: viewTexts.recomputeHostTime,
    by: viewTexts.byRecomputeHostTime,
    device: false,
  },
  {
    key: 'allocatedBytes',
    title: viewTexts.allocatedBytes,
    by: viewTexts.byAllocatedBytes,
    device: false,
  },
];

const column = (
  key: keyof ModuleNode & string,
  title: string,
  unit: TreeColumn<ModuleNode>['unit'],
  definition: string,
): TreeColumn<ModuleNode> => ({ key, title, unit, definition, value: (node) => Number(node[key]) });

const hostColumns = [
  column('occurrences', sharedTexts.calls, 'count', viewTexts.callsHint),
  column('operators', sharedTexts.operators, 'count', viewTexts.operatorsHint),
  column('hostTotalUs', viewTexts.hostTotal, 'us', viewTexts.hostTotalHint),
  column('hostSelfUs', commonTexts.hostSelf, 'us', viewTexts.hostSelfHint),
];
const deviceColumns = [
  column('deviceTotalUs', viewTexts.deviceTotal, 'us', viewTexts.deviceTotalHint),
  column('deviceSelfUs', commonTexts.deviceSelf, 'us', viewTexts.deviceSelfHint),
];
const backwardHostColumn = column(
  'backwardHostUs',
  viewTexts.backwardHost,
  'us',
  viewTexts.backwardHostHint,
);
const backwardDeviceColumn = column(
  'backwardDeviceTotalUs',
  viewTexts.backwardDevice,
  'us',
  viewTexts.backwardDeviceHint,
);
const recomputeHostColumn = column(
  'recomputeHostUs',
  viewTexts.recomputeHost,
  'us',
  viewTexts.recomputeHostHint,
);
const recomputeDeviceColumn = column(
  'recomputeDeviceTotalUs',
  viewTexts.recomputeDevice,
  'us',
  viewTexts.recomputeDeviceHint,
);
const memoryColumn = column(
  'allocatedBytes',
  commonTexts.allocated,
  'bytes',
  viewTexts.allocatedHint,
);

function anywhere(nodes: readonly ModuleNode[], key: keyof ModuleNode): boolean {
  const stack = [...nodes];
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (Number(node[key]) > 0) return true;
    stack.push(...node.children);
  }
  return false;
}

function actions(node: ModuleNode): RowAction[] {
  return [
    ...viewAction('operators', sharedTexts.operators, commonTexts.showOperatorsInside(node.name), {
      module: node.name,
    }),
    ...(node.slice === null
      ? []
      : viewAction('timeline', sharedTexts.timeline, viewTexts.showFirstCall, {
          slice: node.slice,
        })),
    ...(node.file === ''
      ? []
      : [
          {
            label: commonTexts.code,
            title: commonTexts.openLine(node.file, node.line),
            run: () =>
              openSource({
                file: node.file,
                line: node.line,
                function: node.function,
                lineIsDefinition: true,
              }),
          },
        ]),
  ];
}

function flameOf(node: ModuleNode, metric: Metric): FlameInput {
  return {
    name: node.name,
    value: node[metric],
    data: node,
    children: node.children.map((child) => flameOf(child, metric)),
  };
}

export function ModuleTree(props: {
  name: string;
  /** Heading of the column of names: what one row is. */
  named: string;
  /** What its rows are called in the middle of a sentence. */
  rows: string;
  view: ViewName;
  stateKey: string;
  nodes: readonly ModuleNode[];
  loadChildren?: (node: ModuleNode) => Promise<ModuleNode[]>;
  loadAll: () => Promise<readonly ModuleNode[]>;
  /** The user went to a row of the tree. */
  onActive?: (node: ModuleNode) => void;
  /** A chart of the same over time, with what stands at the start of its bar. */
  overTime?: (lead: ComponentChildren) => ComponentChildren;
  /** Stands above the tree. */
  children?: ComponentChildren;
}) {
  const { nodes } = props;
  const device = trace.value?.hasDeviceWork === true;
  const chosen = viewState(props.view, `${props.stateKey}Metric`, '');
  const usable = useMemo(
    () => metrics.filter((metric) => (device || !metric.device) && anywhere(nodes, metric.key)),
    [nodes, device],
  );
  const metric = usable.find((one) => one.key === chosen.value) ?? usable[0];
  const roots = useMemo(
    () => (metric === undefined ? [] : nodes.map((node) => flameOf(node, metric.key))),
    [nodes, metric],
  );
  const columns = useMemo(
    () => [
      ...hostColumns,
      ...(device ? deviceColumns : []),
      ...(anywhere(nodes, 'backwardHostUs') ? [backwardHostColumn] : []),
      ...(device && anywhere(nodes, 'backwardDeviceTotalUs') ? [backwardDeviceColumn] : []),
      ...(anywhere(nodes, 'recomputeHostUs') ? [recomputeHostColumn] : []),
      ...(device && anywhere(nodes, 'recomputeDeviceTotalUs') ? [recomputeDeviceColumn] : []),
      ...(anywhere(nodes, 'allocatedBytes') ? [memoryColumn] : []),
    ],
    [nodes, device],
  );
  const { overTime } = props;
  const chart = viewState<'share' | 'time'>(props.view, `${props.stateKey}Chart`, 'share');
  const shareTitle = metric === undefined ? '' : metric.by(props.name);
  const switcher =
    metric === undefined || overTime === undefined ? (
      <span>{metric === undefined ? viewTexts.operatorsOverTime : shareTitle}</span>
    ) : (
      <Segments
        label={viewTexts.chart}
        of={chart}
        choices={{ share: shareTitle, time: viewTexts.operatorsOverTime }}
      />
    );
  const flame = (by: (typeof metrics)[number]) => (
    <section aria-label={shareTitle}>
      <FlameGraph
        stateKey={`${props.stateKey}Flame`}
        name={props.name}
        unit={by.key === 'allocatedBytes' ? 'bytes' : 'us'}
        roots={roots}
        levels={4}
        identity={(node) => moduleSlice(node.name)}
        lead={switcher}
        tools={
          <Select
            label={viewTexts.metric}
            value={by.key}
            choices={usable.map((one) => ({ value: one.key, label: one.title }))}
            onChange={(key) => (chosen.value = key)}
          />
        }
        describe={(node: FlameNode) => {
          const data = node.data as ModuleNode;
          const deviceUs = device ? data.deviceTotalUs : undefined;
          return [
            ...(data.className === '' ? [] : [data.className]),
            viewTexts.callsOnHost(data.occurrences, data.hostTotalUs, deviceUs),
          ];
        }}
        actions={(node) => actions(node.data as ModuleNode)}
      />
    </section>
  );
  return (
    <>
      <Charts>
        {overTime !== undefined && (metric === undefined || chart.value === 'time')
          ? overTime(switcher)
          : metric === undefined
            ? null
            : flame(metric)}
      </Charts>
      {props.children}
      <Panel title={viewTexts.allOf(props.rows)}>
        <TreeTable<ModuleNode>
          name={props.name}
          named={props.named}
          rows={props.rows}
          view={props.view}
          stateKey={props.stateKey}
          nodes={nodes}
          label={(node) => node.name}
          note={(node) =>
            node.className === '' || node.name.startsWith(node.className) ? '' : node.className
          }
          columns={columns}
          lesser={[
            'allocatedBytes',
            'operators',
            'recomputeHostUs',
            'backwardHostUs',
            'hostSelfUs',
            'deviceSelfUs',
          ]}
          {...(metric === undefined ? {} : { main: metric.key })}
          actions={actions}
          loadAll={props.loadAll}
          {...(props.loadChildren === undefined ? {} : { loadChildren: props.loadChildren })}
          {...(props.onActive === undefined ? {} : { onActive: props.onActive })}
        />
      </Panel>
    </>
  );
}
