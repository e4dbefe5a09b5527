// The tabs of a comparison, in their order.
import type { FunctionComponent } from 'preact';
import { Execution } from './execution.tsx';
import { ComparisonOverview } from './overview.tsx';
import { eitherHas } from './state.ts';
import {
  CommunicationTable,
  FunctionsTable,
  KernelsTable,
  LinesTable,
  MemoryTable,
  ModulesTable,
  OperatorsTable,
  StepsTable,
} from './tables.tsx';
import { Timelines } from './timelines/timelines.tsx';

export interface ComparisonTab {
  name: string;
  title: string;
  component: FunctionComponent;
}

export function comparisonTabs(): ComparisonTab[] {
  const tabs: (ComparisonTab | undefined)[] = [
    { name: 'overview', title: 'Overview', component: ComparisonOverview },
    { name: 'execution', title: 'Execution', component: Execution },
    { name: 'timeline', title: 'Timelines', component: Timelines },
    { name: 'steps', title: 'Steps', component: StepsTable },
    eitherHas('hasModules')
      ? { name: 'modules', title: 'Modules', component: ModulesTable }
      : undefined,
    { name: 'operators', title: 'Operators', component: OperatorsTable },
    eitherHas('hasDeviceWork')
      ? { name: 'kernels', title: 'Kernels', component: KernelsTable }
      : undefined,
    eitherHas('hasMemory')
      ? { name: 'memory', title: 'Memory', component: MemoryTable }
      : undefined,
    eitherHas('hasCommunication')
      ? { name: 'communication', title: 'Communication', component: CommunicationTable }
      : undefined,
    { name: 'lines', title: 'Lines', component: LinesTable },
    { name: 'functions', title: 'Functions', component: FunctionsTable },
  ];
  return tabs.filter((tab) => tab !== undefined);
}
