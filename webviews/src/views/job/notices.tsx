// What is missing, twice, broken, or does not belong: no figure of a job may be read without it.
import type { DistributedJobResult } from '#shared/protocol.ts';
import { job } from '../../host/store.ts';
import { viewState } from '../../host/view_state.ts';
import { visible } from '../../lib/format.ts';
import { LinkButton } from '../../widgets/controls.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { notesOf } from './answer.ts';
import { jobTexts } from './texts.ts';

/** `all` of them, or one line with the worst, which leads to the others. */
export function JobNotices({ result, all }: { result: DistributedJobResult; all: boolean }) {
  const tab = viewState('job', 'tab', 'overview');
  const { serious } = notesOf(result, job.value?.path ?? '');
  if (serious.length === 0) return null;
  const shown = all ? serious : serious.slice(0, 1);
  const more = serious.length - shown.length;
  return (
    <div
      class={`trace-notices ${all ? 'job-notices' : ''}`}
      role="note"
      aria-label={jobTexts.aboutTheseRanks}
    >
      <Icon name="warning" />
      <div>
        {shown.map((text, index) => (
          <p key={index}>
            {visible(text)}{' '}
            {more === 0 ? null : (
              <LinkButton onClick={() => (tab.value = 'overview')}>
                {jobTexts.moreNotes(more)}
              </LinkButton>
            )}
          </p>
        ))}
      </div>
    </div>
  );
}
