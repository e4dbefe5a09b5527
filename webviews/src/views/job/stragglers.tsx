// Who comes last, how often, by how much, and what it did instead.
import { viewState } from '../../host/store.ts';
import { Segments } from '../../widgets/controls.tsx';
import { JobTable } from './table.tsx';

type Shown = 'stragglers' | 'reasons' | 'lateness';

const names: Record<Shown, string> = {
  stragglers: 'Ranks by lateness',
  reasons: 'What late ranks did instead',
  lateness: 'Lateness by rank and step',
};

export function JobStragglers() {
  const by = viewState<Shown>('job', 'stragglersBy', 'stragglers');
  const shown = names[by.value] === undefined ? 'stragglers' : by.value;
  return (
    <div class="job job-table">
      <JobTable
        name={names[shown]}
        by={shown}
        toolbar={
          <Segments
            label="Rows"
            of={by}
            choices={{ stragglers: 'Ranks', reasons: 'Reasons', lateness: 'Ranks and steps' }}
          />
        }
      />
    </div>
  );
}
