// The tabs of a comparison, in their order.
import { sharedTexts } from '#shared/common_texts.ts';
import { late, type Late } from '../../host/late.ts';
import { commonTexts } from '../../lib/texts.ts';
import { eitherHas } from './state.ts';
import { comparisonTexts } from './texts.ts';

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
    title: commonTexts.overview,
    body: late(async () => (await import('./overview.tsx')).ComparisonOverview),
  },
  {
    name: 'execution',
    title: comparisonTexts.execution,
    body: late(async () => (await import('./execution.tsx')).Execution),
  },
  {
    name: 'timeline',
    title: comparisonTexts.timelines,
    body: late(async () => (await import('./timelines/timelines.tsx')).Timelines),
  },
  { name: 'steps', title: commonTexts.steps, body: late(async () => (await tables()).StepsTable) },
  {
    name: 'modules',
    title: commonTexts.modules,
    body: late(async () => (await tables()).ModulesTable),
    needs: 'hasModules',
  },
  {
    name: 'operators',
    title: sharedTexts.operators,
    body: late(async () => (await tables()).OperatorsTable),
  },
  {
    name: 'kernels',
    title: sharedTexts.kernels,
    body: late(async () => (await tables()).KernelsTable),
    needs: 'hasDeviceWork',
  },
  {
    name: 'memory',
    title: commonTexts.memory,
    body: late(async () => (await tables()).MemoryTable),
    needs: 'hasMemory',
  },
  {
    name: 'communication',
    title: commonTexts.communication,
    body: late(async () => (await tables()).CommunicationTable),
    needs: 'hasCommunication',
  },
  { name: 'lines', title: commonTexts.lines, body: late(async () => (await tables()).LinesTable) },
  {
    name: 'functions',
    title: commonTexts.functions,
    body: late(async () => (await tables()).FunctionsTable),
  },
];

export function comparisonTabs(): ComparisonTab[] {
  return tabs.filter(({ needs }) => needs === undefined || eitherHas(needs));
}
