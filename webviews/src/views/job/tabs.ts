// The tabs of a job.
import type { FunctionComponent } from 'preact';
import { JobAnalyses } from './analyses.tsx';
import { JobCommunication } from './communication.tsx';
import { JobOverview } from './overview.tsx';
import { JobSteps } from './steps.tsx';
import { JobStragglers } from './stragglers.tsx';
import { JobTimeline } from './timeline.tsx';
import { JobTopology } from './topology.tsx';

export interface JobTab {
  name: string;
  title: string;
  component: FunctionComponent;
}

export const jobTabs: readonly JobTab[] = [
  { name: 'overview', title: 'Overview', component: JobOverview },
  { name: 'steps', title: 'Steps', component: JobSteps },
  { name: 'stragglers', title: 'Stragglers', component: JobStragglers },
  { name: 'communication', title: 'Communication', component: JobCommunication },
  { name: 'lanes', title: 'Timeline', component: JobTimeline },
  { name: 'topology', title: 'Topology', component: JobTopology },
  { name: 'analyses', title: 'Analyses', component: JobAnalyses },
];
