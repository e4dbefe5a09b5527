// The analyses of single ranks over all ranks, each as a table.
import { viewState } from '../../host/view_state.ts';
import { job } from '../../host/store.ts';
import { FilterBox } from '../../widgets/fields.tsx';
import { Select } from '../../widgets/select.tsx';
import { useJob } from './overview.tsx';
import type { By } from './ranks.tsx';
import { JobTable } from './table.tsx';
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
  'launchRows',
  'queues',
  'copies',
  'sequences',
  'operatorKernels',
  'annotations',
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
  const rank = viewState('job', 'launchesRank', -1);
  if (result === undefined) return null;
  // Digests hold no single launches.
  const hasTraces = job.value?.digests === false;
  const known = result.tables.filter(
    (table) =>
      (analyses as readonly string[]).includes(table.by) &&
      (hasTraces || table.by !== 'launchRows'),
  );
  const current = known.find((table) => table.by === by.value) ?? known[0];
  if (current === undefined) return null;
  // Digests hold the innermost operators alone.
  const named = current.by === 'sequences' && hasTraces;
  const ofRank = current.by === 'launchRows';
  const ranks = result.ranks.map((one) => one.rank);
  const chosen = ranks.includes(rank.value) ? rank.value : (ranks[0] ?? -1);
  return (
    <div class="job job-table">
      <JobTable
        name={current.title}
        by={current.by as By}
        {...(named && operator.value !== '' ? { operator: operator.value } : {})}
        {...(ofRank ? { rank: chosen } : {})}
        toolbar={
          <>
            <Select
              label={jobTexts.analysis}
              value={current.by}
              choices={known.map((table) => ({ value: table.by, label: table.title }))}
              onChange={(next) => (by.value = next as By)}
            />
            {ofRank && ranks.length > 1 ? (
              <Select
                label={jobTexts.rank}
                value={String(chosen)}
                choices={ranks.map((one) => ({ value: String(one), label: String(one) }))}
                onChange={(next) => (rank.value = Number(next))}
              />
            ) : null}
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
