// The frame around the views: banners, tabs, selectors, and what shows before there are views.
import { useEffect, useRef } from 'preact/hooks';
import { openToSide } from '../host/host.ts';
import { late, loadWhenIdle } from '../host/late.ts';
import type { TraceInfo } from '#shared/protocol.ts';
import { announcement, compared, job, part, status, trace, view } from '../host/store.ts';
import { IconButton } from '../widgets/controls.tsx';
import { Notices, Waiting } from '../widgets/notices.tsx';
import { Arriving } from './arriving.tsx';
import { Banner, MissingSource } from './banners.tsx';
import { PartStrip } from './part_strip.tsx';
import { Failed, Loading } from './states.tsx';
import { StatusStrip } from './status_strip.tsx';
import { Tabs, shownViews } from './tabs.tsx';
import { shellTexts } from './texts.ts';
import { ViewBody } from './view_body.tsx';

const comparisonFrame = late(async () => (await import('./comparison.tsx')).Comparison);
const jobFrame = late(async () => (await import('./job.tsx')).Job);

/** "/" goes to the view's filter, as in many lists. The timeline has a search of its own. */
function focusFilter(event: KeyboardEvent): void {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (view.peek() === 'timeline') return;
  // Typing happens inside the shadow trees of form controls.
  if (event.composedPath().some((one) => one instanceof HTMLInputElement)) return;
  const box = document.querySelector<HTMLElement>('#view .filter vscode-textfield');
  if (box === null) return;
  event.preventDefault();
  box.focus();
}

export function Shell() {
  const state = status.value;
  const info = trace.value;
  let content;
  if (state.kind === 'failed') content = <Failed error={state.error} />;
  else if (job.value?.loaded !== undefined)
    content = <Arriving of={jobFrame} given={{ loaded: job.value.loaded }} />;
  else if (state.kind === 'starting')
    content = <Loading stage={shellTexts.starting} percent={undefined} />;
  else if (state.kind === 'loading' && part.value === undefined) {
    content = <Loading stage={state.stage} percent={state.percent} />;
  } else if (compared.value !== undefined) content = <Arriving of={comparisonFrame} given={{}} />;
  else if (info === undefined) content = <Loading stage="" percent={undefined} />;
  else {
    content = <Profile info={info} />;
  }
  return (
    <div class="shell" onKeyDown={focusFilter}>
      <Banner />
      <MissingSource />
      {content}
      <div class="visually-hidden" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </div>
  );
}

function Profile({ info }: { info: TraceInfo }) {
  const entries = shownViews(info);
  const current = entries.find((entry) => entry.name === view.value) ?? entries[0]!;
  const shown = part.value;
  // What takes a part's place keeps its room.
  const roomy = useRef(false);
  roomy.current ||= shown !== undefined;
  useEffect(() => loadWhenIdle(entries.map(({ body }) => body)), []);
  return (
    <main class="profile">
      <header class="shell-header">
        <Tabs entries={entries} current={current} onPick={(name) => (view.value = name)} />
        <div class="shell-tools">
          <IconButton
            icon="side"
            label={shellTexts.openToSide(current.title)}
            title={shellTexts.openToSide(current.title)}
            onClick={() => openToSide(current.name)}
          />
        </div>
      </header>
      {shown === undefined ? (
        <StatusStrip info={info} roomy={roomy.current} />
      ) : (
        <PartStrip shown={shown} />
      )}
      <Notices info={info} />
      {shown === undefined || current.name === 'overview' ? (
        <ViewBody key={current.name} view={current.name} tab={current.name} body={current.body} />
      ) : (
        <div
          class="view-body"
          id="view"
          role="tabpanel"
          aria-labelledby={`tab-${current.name}`}
          tabIndex={-1}
        >
          <div class="view">
            <Waiting what={shellTexts.needsWholeTrace} />
          </div>
        </div>
      )}
    </main>
  );
}
