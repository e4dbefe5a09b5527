// The timeline: toolbar, stage, and one panel beside it.
import { batch, effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FailureData } from '#shared/messages.ts';
import { CancelledError, failureOf } from '../../host/host.ts';
import { ask } from '../../host/query.ts';
import { epoch, navigations, requestSelection } from '../../host/store.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ActionButton, IconButton } from '../../widgets/controls.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { follow } from './follow.ts';
import { Help } from './help.tsx';
import { onTimelineKey } from './keys.ts';
import { DetailsPanel } from './panels/details.tsx';
import { FilePanel } from './panels/file.tsx';
import { GapsPanel } from './panels/gaps.tsx';
import { PathPanel } from './panels/path.tsx';
import { SearchPanel } from './panels/search.tsx';
import { TablePanel } from './panels/table.tsx';
import type { Stage } from './stage.ts';
import { StageView } from './stage_view.tsx';
import {
  forgetTrace,
  helpOpen,
  panel,
  rowFilter,
  scrollTop,
  select,
  selectedSlice,
  setWindow,
  shownWindow,
  stateOf,
  tracks,
} from './state.ts';
import { failed, layout, problem, settled } from './status.ts';
import { timelineTexts } from './texts.ts';
import { Toolbar } from './toolbar.tsx';

/** The last navigation that was followed: coming back to the tab does not repeat it. */
let followed = 0;

/** That a filter leaves no track, where they would be. */
function NoMatch() {
  const filtered = rowFilter.value.trim() !== '' && layout.value.rows.length === 0;
  return filtered && (tracks.value?.tracks.length ?? 0) > 0 ? (
    <Nothing>{timelineTexts.noMatchingTracks}</Nothing>
  ) : null;
}

export function TimelineView() {
  const [stage, setStage] = useState<Stage | undefined>(undefined);
  const [failure, setFailure] = useState<FailureData | undefined>(undefined);
  const [attempt, setAttempt] = useState(0);
  const all = tracks.value;
  const key = `${epoch.value} ${JSON.stringify({ ...requestSelection.value, steps: undefined })} ${attempt}`;

  useEffect(() => {
    const abort = new AbortController();
    setFailure(undefined);
    const { run, worker, span } = requestSelection.peek();
    ask('timeline/tracks', {}, abort.signal).then(
      (next) => {
        // The window, selection and marks of another trace mean nothing here; after a restart of the
        // daemon they do.
        const identity = JSON.stringify([
          [run, worker, span],
          next.totalSlices,
          [next.startNs, next.endNs],
        ]);
        const known = stateOf.peek() === '' || stateOf.peek() === identity;
        stateOf.value = identity;
        batch(() => {
          tracks.value = next;
          const { startNs, endNs } = shownWindow.peek();
          if (!known) {
            forgetTrace();
            scrollTop.value = 0;
          }
          if (!known || !(endNs > startNs) || startNs > next.endNs || endNs < next.startNs)
            setWindow(next.workStartNs, next.workEndNs);
        });
        // What is known of it may be of before the restart, or not be there after a reload.
        if (selectedSlice.peek() >= 0)
          void select(selectedSlice.peek(), false).catch(() => select(-1));
      },
      (error: unknown) => {
        if (!(error instanceof CancelledError)) setFailure(failureOf(error));
      },
    );
    return () => abort.abort();
  }, [key]);

  const wanted = navigations.value.timeline;
  useEffect(() => {
    if (
      all === undefined ||
      stage === undefined ||
      wanted === undefined ||
      wanted.serial === followed
    )
      return;
    followed = wanted.serial;
    follow(wanted.to).catch(failed);
  }, [wanted?.serial, all, stage]);

  // A frame may change only these: the toolbar and the panel are not rendered again for them.
  const root = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      effect(() => {
        const { startNs, endNs } = shownWindow.value;
        if (root.current === null) return;
        root.current.dataset.window = `${startNs} ${endNs}`;
        root.current.dataset.settled = settled.value ? 'true' : 'false';
      }),
    [],
  );

  const shownPanel = panel.value;
  return (
    <div ref={root} class="tl">
      <Toolbar stage={stage} />
      {failure === undefined ? null : (
        <Failure error={failure} retry={() => setAttempt(attempt + 1)} />
      )}
      {problem.value === '' ? null : (
        <p class="failure" role="alert">
          {problem.value}{' '}
          <ActionButton
            onClick={() => {
              problem.value = '';
            }}
          >
            {commonTexts.dismiss}
          </ActionButton>
        </p>
      )}
      {all === undefined && failure === undefined ? (
        <Waiting what={timelineTexts.arrangingTracks} />
      ) : null}
      {all !== undefined && all.tracks.length === 0 ? (
        <Nothing>{timelineTexts.noEvents}</Nothing>
      ) : null}
      <NoMatch />
      <div class={`tl-main ${shownPanel === 'none' ? '' : 'with-panel'}`}>
        <StageView onReady={setStage} onKeyDown={(event) => onTimelineKey(event, stage)} />
        {shownPanel === 'none' ? null : (
          <aside class="tl-panel" aria-label={timelineTexts.aboutTimeline} tabIndex={0}>
            <span class="tl-close">
              <IconButton
                icon="close"
                label={timelineTexts.hidePanel}
                title={timelineTexts.hidePanel}
                onClick={() => (panel.value = 'none')}
              />
            </span>
            {shownPanel === 'details' ? <DetailsPanel /> : null}
            {shownPanel === 'search' ? <SearchPanel /> : null}
            {shownPanel === 'gaps' ? <GapsPanel /> : null}
            {shownPanel === 'path' ? <PathPanel /> : null}
            {shownPanel === 'table' ? <TablePanel stage={stage} rows={layout.value.rows} /> : null}
            {shownPanel === 'file' ? <FilePanel /> : null}
          </aside>
        )}
      </div>
      {helpOpen.value ? <Help /> : null}
    </div>
  );
}
