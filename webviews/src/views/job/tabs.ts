// The tabs of a job.
import { sharedTexts } from '#shared/common_texts.ts';
import { late, type Late } from '../../host/late.ts';
import { commonTexts } from '../../lib/texts.ts';
import { jobTexts } from './texts.ts';

export interface JobTab {
  name: string;
  title: string;
  body: Late;
}

export const jobTabs: readonly JobTab[] = [
  {
    name: 'overview',
    title: commonTexts.overview,
    body: late(async () => (await import('./overview.tsx')).JobOverview),
  },
  {
    name: 'steps',
    title: commonTexts.steps,
    body: late(async () => (await import('./steps.tsx')).JobSteps),
  },
  {
    name: 'stragglers',
    title: jobTexts.stragglers,
    body: late(async () => (await import('./stragglers.tsx')).JobStragglers),
  },
  {
    name: 'communication',
    title: commonTexts.communication,
    body: late(async () => (await import('./communication.tsx')).JobCommunication),
  },
  {
    name: 'lanes',
    title: sharedTexts.timeline,
    body: late(async () => (await import('./timeline.tsx')).JobTimeline),
  },
  {
    name: 'topology',
    title: jobTexts.topology,
    body: late(async () => (await import('./topology.tsx')).JobTopology),
  },
  {
    name: 'analyses',
    title: jobTexts.analyses,
    body: late(async () => (await import('./analyses.tsx')).JobAnalyses),
  },
];
