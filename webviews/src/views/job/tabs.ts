// The tabs of a job.
import { late, type Late } from '../../host/late.ts';

export interface JobTab {
  name: string;
  title: string;
  body: Late;
}

export const jobTabs: readonly JobTab[] = [
  {
    name: 'overview',
    title: 'Overview',
    body: late(async () => (await import('./overview.tsx')).JobOverview),
  },
  { name: 'steps', title: 'Steps', body: late(async () => (await import('./steps.tsx')).JobSteps) },
  {
    name: 'stragglers',
    title: 'Stragglers',
    body: late(async () => (await import('./stragglers.tsx')).JobStragglers),
  },
  {
    name: 'communication',
    title: 'Communication',
    body: late(async () => (await import('./communication.tsx')).JobCommunication),
  },
  {
    name: 'lanes',
    title: 'Timeline',
    body: late(async () => (await import('./timeline.tsx')).JobTimeline),
  },
  {
    name: 'topology',
    title: 'Topology',
    body: late(async () => (await import('./topology.tsx')).JobTopology),
  },
  {
    name: 'analyses',
    title: 'Analyses',
    body: late(async () => (await import('./analyses.tsx')).JobAnalyses),
  },
];
