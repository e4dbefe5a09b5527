// A hierarchy of modules or hooks: the tree with its figures and the flame graph of one of them.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { openSource } from '../host/host.ts';
import { trace, viewState } from '../host/store.ts';
import { plural, quantity } from '#shared/numbers.ts';
import type { FlameInput, FlameNode } from '../lib/flame.ts';
import type { ModuleNode, ViewName } from '#shared/protocol.ts';
import { Charts } from '../widgets/charts.tsx';
import { Segments } from '../widgets/controls.tsx';
import { Select } from '../widgets/select.tsx';
import type { RowAction } from '../widgets/table/actions.tsx';
import { FlameGraph } from '../widgets/flame_graph.tsx';
import { Panel } from '../widgets/panel.tsx';
import { TreeTable, type TreeColumn } from '../widgets/table/tree_table.tsx';
import { viewAction } from './links.ts';

type Metric =
  | 'deviceTotalUs'
  | 'hostTotalUs'
  | 'backwardDeviceTotalUs'
  | 'backwardHostUs'
  | 'recomputeDeviceTotalUs'
  | 'recomputeHostUs'
  | 'allocatedBytes';

const metrics: readonly { key: Metric; title: string; device: boolean }[] = [
  { key: 'deviceTotalUs', title: 'Device time', device: true },
  { key: 'hostTotalUs', title: 'Host time', device: false },
  { key: 'backwardDeviceTotalUs', title: 'Backward device time', device: true },
  { key: 'backwardHostUs', title: 'Backward host time', device: false },
  { key: 'recomputeDeviceTotalUs', title: 'Recompute device time', device: true },
  { key: 'recomputeHostUs', title: 'Recompute host time', device: false },
  { key: 'allocatedBytes', title: 'Allocated bytes', device: false },
];

const column = (
  key: keyof ModuleNode & string,
  title: string,
  unit: TreeColumn<ModuleNode>['unit'],
  definition: string,
): TreeColumn<ModuleNode> => ({ key, title, unit, definition, value: (node) => Number(node[key]) });

const hostColumns = [
  column('occurrences', 'Calls', 'count', 'Forward calls of the module.'),
  column('operators', 'Operators', 'count', 'Operators called directly by the module.'),
  column('hostTotalUs', 'Host total', 'us', 'Host time of its forward calls.'),
  column('hostSelfUs', 'Host self', 'us', 'Host time of its forward calls, excluding submodules.'),
];
const deviceColumns = [
  column('deviceTotalUs', 'Device total', 'us', 'Device work launched by its forward calls.'),
  column(
    'deviceSelfUs',
    'Device self',
    'us',
    'Device work launched by its forward calls, excluding submodules.',
  ),
];
const backwardHostColumn = column(
  'backwardHostUs',
  'Backward host',
  'us',
  'Host time of the backward operators that belong to its calls.',
);
const backwardDeviceColumn = column(
  'backwardDeviceTotalUs',
  'Backward device',
  'us',
  'Device work of the backward operators that belong to its calls.',
);
const recomputeHostColumn = column(
  'recomputeHostUs',
  'Recompute host',
  'us',
  'Host time of work that activation checkpointing reran in backward.',
);
const recomputeDeviceColumn = column(
  'recomputeDeviceTotalUs',
  'Recompute device',
  'us',
  'Device work that activation checkpointing reran in backward.',
);
const memoryColumn = column(
  'allocatedBytes',
  'Allocated',
  'bytes',
  'Bytes allocated during its calls, reruns included; releases are not subtracted.',
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
    ...viewAction('operators', 'Operators', `Show the operators inside ${node.name}`, {
      module: node.name,
    }),
    ...(node.slice === null
      ? []
      : viewAction('timeline', 'Timeline', 'Show its first call in the timeline', {
          slice: node.slice,
        })),
    ...(node.file === ''
      ? []
      : [
          {
            label: 'Code',
            title: `Open ${node.file}:${node.line}`,
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
  const shareTitle = metric === undefined ? '' : `${props.name} by ${metric.title.toLowerCase()}`;
  const switcher =
    metric === undefined || overTime === undefined ? (
      <span>{metric === undefined ? 'Operators over time' : shareTitle}</span>
    ) : (
      <Segments
        label="Chart"
        of={chart}
        choices={{ share: shareTitle, time: 'Operators over time' }}
      />
    );
  const flame = (by: (typeof metrics)[number]) => (
    <section aria-label={shareTitle}>
      <FlameGraph
        name={props.name}
        unit={by.key === 'allocatedBytes' ? 'bytes' : 'us'}
        roots={roots}
        low={{
          lead: switcher,
          tools: (
            <Select
              label="Metric"
              value={by.key}
              choices={usable.map((one) => ({ value: one.key, label: one.title }))}
              onChange={(key) => (chosen.value = key)}
            />
          ),
        }}
        describe={(node: FlameNode) => {
          const data = node.data as ModuleNode;
          return [
            ...(data.className === '' ? [] : [data.className]),
            `${plural(data.occurrences, 'call')}, host ${quantity(data.hostTotalUs, 'us')}` +
              (device ? `, device ${quantity(data.deviceTotalUs, 'us')}` : ''),
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
      <Panel title={`All ${props.name.toLowerCase()}`}>
        <TreeTable<ModuleNode>
          name={props.name}
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
          actions={actions}
          loadAll={props.loadAll}
          {...(props.loadChildren === undefined ? {} : { loadChildren: props.loadChildren })}
          {...(props.onActive === undefined ? {} : { onActive: props.onActive })}
        />
      </Panel>
    </>
  );
}
