// The analyses of single ranks over all ranks, each as a table.
import { viewState } from '../../host/store.ts';
import { Select } from '../../widgets/controls.tsx';
import { useJob } from './overview.tsx';
import { JobTable, type By } from './table.tsx';

/** In their order; what other tabs show is not repeated. */
const analyses: readonly By[] = [
  'temporal',
  'overlap',
  'idle',
  'gaps',
  'kernelTypes',
  'kernels',
  'kernelRanks',
  'launches',
  'queues',
  'copies',
  'sequences',
  'criticalPath',
];

export function JobAnalyses() {
  const result = useJob();
  const by = viewState<By>('job', 'analysis', 'temporal');
  if (result === undefined) return null;
  const known = result.tables.filter((table) => (analyses as readonly string[]).includes(table.by));
  const current = known.find((table) => table.by === by.value) ?? known[0];
  if (current === undefined) return null;
  return (
    <div class="job job-table">
      <JobTable
        name={current.title}
        by={current.by as By}
        toolbar={
          <Select
            label="Analysis"
            value={current.by}
            choices={known.map((table) => ({ value: table.by, label: table.title }))}
            onChange={(next) => (by.value = next as By)}
          />
        }
      />
    </div>
  );
}
