// The analyses of single ranks over all ranks, each as a table.
import { viewState } from '../../host/view_state.ts';
import { job } from '../../host/store.ts';
import { FilterBox } from '../../widgets/fields.tsx';
import { Select } from '../../widgets/select.tsx';
import { useJob } from './overview.tsx';
import { JobTable, type By } from './table.tsx';
import { jobTexts } from './texts.ts';

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
  'counters',
  'criticalPath',
  'criticalOperators',
  'criticalLines',
  'criticalKernels',
];

export function JobAnalyses() {
  const result = useJob();
  const by = viewState<By>('job', 'analysis', 'temporal');
  const operator = viewState('job', 'sequencesOperator', '');
  if (result === undefined) return null;
  const known = result.tables.filter((table) => (analyses as readonly string[]).includes(table.by));
  const current = known.find((table) => table.by === by.value) ?? known[0];
  if (current === undefined) return null;
  // Digests hold the innermost operators alone.
  const named = current.by === 'sequences' && job.value?.digests === false;
  return (
    <div class="job job-table">
      <JobTable
        name={current.title}
        by={current.by as By}
        {...(named && operator.value !== '' ? { operator: operator.value } : {})}
        toolbar={
          <>
            <Select
              label={jobTexts.analysis}
              value={current.by}
              choices={known.map((table) => ({ value: table.by, label: table.title }))}
              onChange={(next) => (by.value = next as By)}
            />
            {named ? (
              <FilterBox
                label={jobTexts.inOperatorsNamed}
                value={operator.value}
                onChange={(name) => (operator.value = name)}
                title={jobTexts.inOperatorsNamedHint}
              />
            ) : null}
          </>
        }
      />
    </div>
  );
}
