// What draws each view. Names, titles and order are the protocol's; a new view is one line here and a
// folder beside.
import { views as known, type TraceInfo, type ViewName } from '#shared/protocol.ts';
import { late, type Late } from '../host/late.ts';

interface Drawn {
  body: Late;
  /** Absent: always shown. A view that is shown without its data says what is missing. */
  shown?: (trace: TraceInfo) => boolean;
}

const drawn: Record<ViewName, Drawn> = {
  overview: { body: late(async () => (await import('./overview/overview.tsx')).OverviewView) },
  operators: { body: late(async () => (await import('./operators/operators.tsx')).OperatorsView) },
  kernels: { body: late(async () => (await import('./kernels/kernels.tsx')).KernelsView) },
  roofline: { body: late(async () => (await import('./roofline/roofline.tsx')).RooflineView) },
  timeline: { body: late(async () => (await import('./timeline/timeline.tsx')).TimelineView) },
  memory: { body: late(async () => (await import('./memory/memory.tsx')).MemoryView) },
  modules: { body: late(async () => (await import('./modules/modules.tsx')).ModulesView) },
  stacks: { body: late(async () => (await import('./stacks/stacks.tsx')).StacksView) },
  lines: { body: late(async () => (await import('./lines/lines.tsx')).LinesView) },
  lightning: {
    body: late(async () => (await import('./lightning/lightning.tsx')).LightningView),
    shown: (trace) => trace.hasLightning,
  },
};

export interface ViewEntry extends Drawn {
  name: ViewName;
  title: string;
}

/** In the order of their tabs. */
export const views: readonly ViewEntry[] = known.map((view) => ({ ...view, ...drawn[view.name] }));
