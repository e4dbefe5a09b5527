// Who comes last, how often, by how much, and what it did instead.
import { viewState } from '../../host/view_state.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Segments } from '../../widgets/controls.tsx';
import { JobTable } from './table.tsx';
import { detailTexts } from './details/texts.ts';
import { jobTexts } from './texts.ts';

type Shown = 'stragglers' | 'reasons' | 'lateWork' | 'lateness';

const names: Record<Shown, string> = {
  stragglers: detailTexts.ranksByLateness,
  reasons: detailTexts.whatLateRanksDid,
  lateWork: detailTexts.lateWorkOfRanks,
  lateness: detailTexts.latenessByRankAndStep,
};

/** Columns that give way before what a late rank did instead does. */
const lesser = [
  'calls',
  'waitingUs',
  'causedUs',
  'latenessUs',
  'straggler',
  'reasonUs',
  'timesLast',
];

export function JobStragglers() {
  const by = viewState<Shown>('job', 'stragglersBy', 'stragglers');
  const shown = names[by.value] === undefined ? 'stragglers' : by.value;
  return (
    <div class="job job-table">
      <JobTable
        name={names[shown]}
        by={shown}
        {...(shown === 'stragglers' ? { lesser } : {})}
        toolbar={
          <Segments
            label={commonTexts.rows}
            of={by}
            choices={{
              stragglers: jobTexts.ranks,
              reasons: detailTexts.reasons,
              lateWork: detailTexts.workBetweenSends,
              lateness: detailTexts.ranksAndSteps,
            }}
          />
        }
      />
    </div>
  );
}
