// The frame of a job: which of a folder's jobs shows, how far it is loaded, and the tabs.
import type { LoadedJob } from '#shared/messages.ts';
import { useEffect } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import { tellHost } from '../host/host.ts';
import { loadWhenIdle } from '../host/late.ts';
import { selectJob } from '../host/choices.ts';
import { viewState } from '../host/view_state.ts';
import { job, selection, status } from '../host/store.ts';
import { fileName, visible } from '../lib/format.ts';
import { commonTexts } from '../lib/texts.ts';
import { JobNotices } from '../views/job/notices.tsx';
import { jobTabs } from '../views/job/tabs.ts';
import { ActionButton, Progress } from '../widgets/controls.tsx';
import { Select } from '../widgets/select.tsx';
import { Tabs } from './tabs.tsx';
import { shellTexts } from './texts.ts';
import { ViewBody } from './view_body.tsx';

/** Run and capture span, where the folder has more than one. */
function JobSelectors({ loaded }: { loaded: LoadedJob }) {
  const runs = loaded.profile?.runs ?? [];
  const run = runs.find(({ name }) => name === selection.value.run) ?? runs[0];
  const spans = (run?.workers ?? [])
    .map((worker) => worker.spans ?? [])
    .reduce((most, spans) => (spans.length > most.length ? spans : most), []);
  return (
    <>
      {runs.length > 1 && run !== undefined ? (
        <Select
          label={shellTexts.run}
          value={run.name}
          choices={runs.map(({ name }) => ({ value: name, label: name || shellTexts.unnamed }))}
          onChange={(name) => selectJob({ run: name })}
        />
      ) : null}
      {spans.length > 1 && run !== undefined ? (
        <Select
          label={shellTexts.span}
          value={selection.value.span ?? spans[0]!.span}
          choices={spans.map(({ span }) => ({ value: span, label: span }))}
          onChange={(span) => selectJob({ run: run.name, span })}
        />
      ) : null}
    </>
  );
}

/** Shows while more ranks are read than the page is made of, and after that was ended. */
function More({ loaded }: { loaded: LoadedJob }) {
  const state = status.value;
  const { result, stopped } = loaded;
  const ranks = commonTexts.ranksOf(result.loaded, result.files);
  if (stopped) {
    return (
      <div class="job-more" role="status">
        <span>{shellTexts.readingStopped(ranks)}</span>
        <ActionButton onClick={() => tellHost('retry')}>{shellTexts.readRest}</ActionButton>
      </div>
    );
  }
  if (state.kind !== 'loading') return null;
  const { percent } = state;
  return (
    <div class="job-more" role="status">
      <span>{shellTexts.readingContinues(ranks, percent)}</span>
      <Progress label={shellTexts.readingOtherRanks} percent={percent} />
      <ActionButton onClick={() => tellHost('cancelLoad')}>{shellTexts.stop}</ActionButton>
    </div>
  );
}

export function Job({ loaded }: { loaded: LoadedJob }) {
  const tab = viewState('job', 'tab', 'overview');
  const current = jobTabs.find(({ name }) => name === tab.value) ?? jobTabs[0]!;
  const about = job.value;
  useEffect(() => loadWhenIdle(jobTabs.map(({ body }) => body)), []);
  const several = (loaded.profile?.runs ?? []).length > 1;
  return (
    <main class="profile">
      <div class="job-head">
        <span class="side-name" title={visible(about?.path ?? '')}>
          <strong>{visible(fileName(about?.path ?? ''))}</strong>
          <span class="side-folder">
            {shellTexts.ofFiles(
              loaded.result.ranks.length,
              loaded.result.files,
              about?.digests === true
                ? sharedTexts.digests(loaded.result.files)
                : sharedTexts.traces(loaded.result.files),
            )}
          </span>
        </span>
        <div
          class="selectors"
          role="group"
          aria-label={several ? shellTexts.selection : shellTexts.span}
        >
          <JobSelectors loaded={loaded} />
        </div>
      </div>
      <More loaded={loaded} />
      <header class="shell-header">
        <Tabs entries={jobTabs} current={current} onPick={(name) => (tab.value = name)} />
      </header>
      {current.name === 'overview' ? null : <JobNotices result={loaded.result} all={false} />}
      <ViewBody key={current.name} view="job" tab={current.name} body={current.body} />
    </main>
  );
}
