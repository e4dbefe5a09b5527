// The views, in the order of their tabs. A view is one line here and a folder beside.
import type { FunctionComponent } from 'preact';
import type { ViewName } from '#shared/messages.ts';
import type { TraceInfo } from '#shared/protocol.ts';
import { KernelsView } from './kernels/kernels.tsx';
import { LightningView } from './lightning/lightning.tsx';
import { LinesView } from './lines/lines.tsx';
import { MemoryView } from './memory/memory.tsx';
import { ModulesView } from './modules/modules.tsx';
import { OperatorsView } from './operators/operators.tsx';
import { OverviewView } from './overview/overview.tsx';
import { StacksView } from './stacks/stacks.tsx';
import { TimelineView } from './timeline/timeline.tsx';

export interface ViewEntry {
  name: ViewName;
  title: string;
  component: FunctionComponent;
  /** Absent: always shown. A view that is shown without its data says what is missing. */
  shown?: (trace: TraceInfo) => boolean;
}

export const views: readonly ViewEntry[] = [
  { name: 'overview', title: 'Overview', component: OverviewView },
  { name: 'operators', title: 'Operators', component: OperatorsView },
  { name: 'kernels', title: 'Kernels', component: KernelsView },
  { name: 'timeline', title: 'Timeline', component: TimelineView },
  { name: 'memory', title: 'Memory', component: MemoryView },
  { name: 'modules', title: 'Modules', component: ModulesView },
  { name: 'stacks', title: 'Stacks', component: StacksView },
  { name: 'lines', title: 'Lines', component: LinesView },
  {
    name: 'lightning',
    title: 'Lightning',
    component: LightningView,
    shown: (trace) => trace.hasLightning,
  },
];
