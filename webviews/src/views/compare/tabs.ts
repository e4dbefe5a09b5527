// The tabs of a comparison, in their order.
import { late, type Late } from '../../host/late.ts';
import { eitherHas } from './state.ts';

export interface ComparisonTab {
  name: string;
  title: string;
  body: Late;
  /** What one of the traces must have recorded. */
  needs?: Parameters<typeof eitherHas>[0];
}

const tables = () => import('./tables.tsx');

const tabs: readonly ComparisonTab[] = [
  {
    name: 'overview',
    title: 'Overview',
    body: late(async () => (await import('./overview.tsx')).ComparisonOverview),
  },
  {
    name: 'execution',
    title: 'Execution',
    body: late(async () => (await import('./execution.tsx')).Execution),
  },
  {
    name: 'timeline',
    title: 'Timelines',
    body: late(async () => (await import('./timelines/timelines.tsx')).Timelines),
  },
  { name: 'steps', title: 'Steps', body: late(async () => (await tables()).StepsTable) },
  {
    name: 'modules',
    title: 'Modules',
    body: late(async () => (await tables()).ModulesTable),
    needs: 'hasModules',
  },
  {
    name: 'operators',
    title: 'Operators',
    body: late(async () => (await tables()).OperatorsTable),
  },
  {
    name: 'kernels',
    title: 'Kernels',
    body: late(async () => (await tables()).KernelsTable),
    needs: 'hasDeviceWork',
  },
  {
    name: 'memory',
    title: 'Memory',
    body: late(async () => (await tables()).MemoryTable),
    needs: 'hasMemory',
  },
  {
    name: 'communication',
    title: 'Communication',
    body: late(async () => (await tables()).CommunicationTable),
    needs: 'hasCommunication',
  },
  { name: 'lines', title: 'Lines', body: late(async () => (await tables()).LinesTable) },
  {
    name: 'functions',
    title: 'Functions',
    body: late(async () => (await tables()).FunctionsTable),
  },
];

export function comparisonTabs(): ComparisonTab[] {
  return tabs.filter(({ needs }) => needs === undefined || eitherHas(needs));
}
