// What draws each view. Names, titles and order are the protocol's; a new view is one line here and a
// folder beside.
import type { FunctionComponent } from 'preact';
import { views as known, type TraceInfo, type ViewName } from '#shared/protocol.ts';
import { KernelsView } from './kernels/kernels.tsx';
import { LightningView } from './lightning/lightning.tsx';
import { LinesView } from './lines/lines.tsx';
import { MemoryView } from './memory/memory.tsx';
import { ModulesView } from './modules/modules.tsx';
import { OperatorsView } from './operators/operators.tsx';
import { OverviewView } from './overview/overview.tsx';
import { RooflineView } from './roofline/roofline.tsx';
import { StacksView } from './stacks/stacks.tsx';
import { TimelineView } from './timeline/timeline.tsx';

interface Drawn {
  component: FunctionComponent;
  /** Absent: always shown. A view that is shown without its data says what is missing. */
  shown?: (trace: TraceInfo) => boolean;
}

const drawn: Record<ViewName, Drawn> = {
  overview: { component: OverviewView },
  operators: { component: OperatorsView },
  kernels: { component: KernelsView },
  roofline: { component: RooflineView },
  timeline: { component: TimelineView },
  memory: { component: MemoryView },
  modules: { component: ModulesView },
  stacks: { component: StacksView },
  lines: { component: LinesView },
  lightning: { component: LightningView, shown: (trace) => trace.hasLightning },
};

export interface ViewEntry extends Drawn {
  name: ViewName;
  title: string;
}

/** In the order of their tabs. */
export const views: readonly ViewEntry[] = known.map((view) => ({ ...view, ...drawn[view.name] }));
