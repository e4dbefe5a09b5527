// The timeline: toolbar, stage, and one panel beside it.
import './timeline.css';
import { batch, effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { copyText, saveFile } from '../../host/host.ts';
import { CancelledError } from '../../host/host.ts';
import { ask } from '../../host/query.ts';
import {
  announce,
  epoch,
  failureOf,
  linkBase,
  navigations,
  path,
  requestSelection,
} from '../../host/store.ts';
import { fixed, plural } from '../../lib/format.ts';
import type { FailureData, Navigation } from '#shared/messages.ts';
import { writeTimelineLink } from '#shared/timeline_link.ts';
import { Button, FilterBox, LinkButton, Segments } from '../../widgets/controls.tsx';
import { Failure, Waiting } from '../../widgets/notices.tsx';
import {
  DetailsPanel,
  FilePanel,
  GapsPanel,
  SearchPanel,
  TablePanel,
  lineParams,
} from './panels.tsx';
import {
  failed,
  frameStats,
  layout,
  problem,
  settled,
  StageView,
  windowArrowCount,
  type Stage,
} from './stage.tsx';
import {
  allFlows,
  detail,
  fit,
  fitAll,
  followCause,
  followEffect,
  forgetTrace,
  go,
  helpOpen,
  markedRange,
  pan,
  panel,
  prefs,
  rowFilter,
  scrollTop,
  searchExact,
  select,
  selectedSlice,
  setWindow,
  shownInstant,
  shownWindow,
  stateOf,
  tracks,
  zoom,
} from './state.ts';

const keys: readonly [string, string][] = [
  ['wheel, pinch, w, s', 'Zoom at the pointer (keys: at the middle)'],
  ['drag, a, d', 'Move'],
  ['Shift + wheel', 'Scroll the rows'],
  ['Shift + drag', 'Mark a range, over rows: a box'],
  ['click, double click', 'Select a slice, zoom to it'],
  ['\u2190 \u2192', 'Previous and next slice (or instant) of the row; without a selection: move'],
  ['\u2191 \u2193', 'The slice around, the first slice inside'],
  ['f', 'Fit the selection or the marked range; again: the whole trace'],
  ['m', 'Mark the selected slice as range; again: clear it'],
  ['l, Shift + l', 'Follow: kernel to launch to operator to forward operator or module; back'],
  ['e', 'Arrows of everything in the window'],
  ['c', 'Open the code of the selected slice'],
  ['/', 'Search'],
  ['Esc', 'Clear selection and range'],
  ['?', 'This list'],
];

function Help() {
  const recent = frameStats.drawMs.slice(-120);
  const mean = recent.length === 0 ? 0 : recent.reduce((a, b) => a + b, 0) / recent.length;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = (): void => {
    helpOpen.value = false;
  };
  return (
    <dialog
      ref={dialog}
      class="tl-help"
      aria-label="Keys of the timeline"
      onClose={close}
      onCancel={close}
    >
      <h2>Keys of the timeline</h2>
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="tl-dim">
        Drawn with {frameStats.renderer}; the last {recent.length} frames took {mean.toFixed(1)} ms
        each.
      </p>
      <Button onClick={() => dialog.current?.close()}>Close</Button>
    </dialog>
  );
}

async function follow(to: Navigation): Promise<void> {
  if (to.range !== undefined) setWindow(to.range.startNs, to.range.endNs);
  if (to.slice !== undefined) {
    await select(to.slice);
    panel.value = 'details';
  } else if (to.line !== undefined || to.search !== undefined) {
    searchExact.value = to.line !== undefined ? { line: to.line } : { name: to.search! };
    panel.value = 'search';
    const results =
      to.line !== undefined
        ? (await ask('source/lineSlices', lineParams(to.line))).slices
        : (await ask('timeline/search', { name: to.search!, limit: 200 })).results;
    const first = results[0];
    if (first !== undefined) await select(first.slice);
    else announce('No slice found');
  }
}

/** Says so where there are more arrows than can be drawn. */
function ArrowCount() {
  const { shown, total } = windowArrowCount.value;
  if (!allFlows.value || total <= shown) return null;
  return (
    <span class="tl-dim" role="note">
      {fixed(shown, 0)} of {fixed(total, 0)} arrows: zoom in
    </span>
  );
}

/** Says so where a trace has more rows than are listed. */
function UnlistedRows() {
  const { unlistedRows, unlistedSlices } = tracks.value ?? { unlistedRows: 0, unlistedSlices: 0 };
  if (unlistedRows === 0) return null;
  return (
    <span class="tl-dim" role="note">
      {plural(unlistedRows, 'more row')} with {plural(unlistedSlices, 'slice')} not listed
    </span>
  );
}

/** A link that opens this file, window and selection again. */
function link(): string {
  const slice = selectedSlice.peek();
  return writeTimelineLink(linkBase.peek(), {
    path: path.peek(),
    selection: requestSelection.peek(),
    to: { view: 'timeline', range: shownWindow.peek(), ...(slice >= 0 ? { slice } : {}) },
  });
}

/** The last navigation that was followed: coming back to the tab does not repeat it. */
let followed = 0;

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

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const chosen = selectedSlice.peek() >= 0 || shownInstant.peek() !== undefined;
    const walk = (direction: Parameters<typeof go>[0]): void => void go(direction).catch(failed);
    const actions: Record<string, () => void> = {
      w: () => zoom(0.7),
      s: () => zoom(1 / 0.7),
      a: () => pan(-0.2),
      d: () => pan(0.2),
      ArrowLeft: () => (chosen ? walk('previous') : pan(-0.1)),
      ArrowRight: () => (chosen ? walk('next') : pan(0.1)),
      ArrowUp: () => (chosen ? walk('out') : undefined),
      ArrowDown: () => (chosen ? walk('in') : void selectFirst().catch(failed)),
      f: () => {
        const at = detail.peek();
        const range = markedRange.peek();
        const target =
          at !== undefined ? { startNs: at.startNs, endNs: at.startNs + at.durationNs } : range;
        const before = shownWindow.peek();
        if (target === null) fitAll();
        else {
          fit(target.startNs, target.endNs);
          const after = shownWindow.peek();
          if (
            Math.abs(after.startNs - before.startNs) < 1 &&
            Math.abs(after.endNs - before.endNs) < 1
          )
            fitAll();
        }
      },
      m: () => {
        const at = detail.peek();
        markedRange.value =
          markedRange.peek() !== null || at === undefined
            ? null
            : { startNs: at.startNs, endNs: at.startNs + at.durationNs };
        if (markedRange.peek() !== null) panel.value = 'details';
      },
      l: () => void followCause().catch(failed),
      L: () => void followEffect().catch(failed),
      e: () => {
        allFlows.value = !allFlows.peek();
        announce(allFlows.peek() ? 'All arrows shown' : 'Arrows of the selection shown');
      },
      c: () => document.querySelector<HTMLButtonElement>('.tl-stack button')?.click(),
      '/': () => {
        panel.value = 'search';
        searchExact.value = undefined;
        requestAnimationFrame(() =>
          document.querySelector<HTMLElement>('.tl-search vscode-textfield')?.focus(),
        );
      },
      '?': () => {
        helpOpen.value = true;
      },
      Escape: () => {
        markedRange.value = null;
        void select(-1);
      },
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };

  /** Where nothing is selected, the keyboard starts at the first slice on the screen. */
  const selectFirst = async (): Promise<void> => {
    for (const row of layout.peek().rows) {
      const boxes = stage?.source.rows.get(row.track.id)?.boxes;
      const index =
        boxes?.slice.findIndex(
          (slice, i) => slice >= 0 && boxes.start[i]! >= shownWindow.peek().startNs,
        ) ?? -1;
      if (index >= 0) {
        await select(boxes!.slice[index]!);
        return;
      }
    }
  };

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
  const hidden = prefs.value.hidden.length;
  return (
    <div ref={root} class="tl">
      <div class="tl-toolbar" role="toolbar" aria-label="Timeline">
        <FilterBox
          label="Rows"
          placeholder="Filter rows"
          value={rowFilter.value}
          onChange={(text) => {
            rowFilter.value = text;
          }}
        />
        <LinkButton title="Zoom in (w)" label="Zoom in" onClick={() => zoom(0.6)}>
          +
        </LinkButton>
        <LinkButton title="Zoom out (s)" label="Zoom out" onClick={() => zoom(1 / 0.6)}>
          {'\u2212'}
        </LinkButton>
        <LinkButton title="Show the whole trace (f)" onClick={fitAll}>
          Fit
        </LinkButton>
        <LinkButton
          title="Arrows of everything in the window (e)"
          pressed={allFlows.value}
          onClick={() => {
            allFlows.value = !allFlows.value;
          }}
        >
          Arrows
        </LinkButton>
        <ArrowCount />
        <UnlistedRows />
        {hidden === 0 ? null : (
          <LinkButton
            onClick={() => {
              prefs.value = { ...prefs.value, hidden: [] };
            }}
          >
            Show {plural(hidden, 'hidden row')}
          </LinkButton>
        )}
        <LinkButton
          title="Rows as suggested"
          onClick={() => {
            prefs.value = { pinned: [], hidden: [], toggled: [], order: [] };
          }}
        >
          Reset rows
        </LinkButton>
        <LinkButton
          title="Save the picture as PNG"
          onClick={() => {
            if (stage !== undefined) saveFile('timeline.png', stage.picture(), true);
          }}
        >
          Picture
        </LinkButton>
        <LinkButton
          title="Copy a link that opens this file, window and selection again"
          onClick={() => {
            copyText(link());
            announce('Link copied');
          }}
        >
          Copy link
        </LinkButton>
        <LinkButton
          title="Keys (?)"
          onClick={() => {
            helpOpen.value = true;
          }}
        >
          Keys
        </LinkButton>
        <Segments
          label="Panel"
          value={shownPanel}
          choices={[
            { value: 'details', label: 'Details' },
            { value: 'search', label: 'Search' },
            { value: 'gaps', label: 'Idle time' },
            { value: 'table', label: 'Table' },
            { value: 'file', label: 'File' },
            { value: 'none', label: 'Hide' },
          ]}
          onChange={(next) => {
            panel.value = next as typeof shownPanel;
          }}
        />
      </div>
      {failure === undefined ? null : (
        <Failure error={failure} retry={() => setAttempt(attempt + 1)} />
      )}
      {problem.value === '' ? null : (
        <p class="failure" role="alert">
          {problem.value}{' '}
          <LinkButton
            onClick={() => {
              problem.value = '';
            }}
          >
            Dismiss
          </LinkButton>
        </p>
      )}
      {all === undefined && failure === undefined ? <Waiting what="Arranging rows..." /> : null}
      <div class={`tl-main ${shownPanel === 'none' ? '' : 'with-panel'}`}>
        <StageView onReady={setStage} onKeyDown={onKeyDown} />
        {shownPanel === 'none' ? null : (
          <aside class="tl-panel" aria-label="About the timeline" tabIndex={0}>
            {shownPanel === 'details' ? <DetailsPanel /> : null}
            {shownPanel === 'search' ? <SearchPanel /> : null}
            {shownPanel === 'gaps' ? <GapsPanel /> : null}
            {shownPanel === 'table' ? <TablePanel stage={stage} rows={layout.value.rows} /> : null}
            {shownPanel === 'file' ? <FilePanel /> : null}
          </aside>
        )}
      </div>
      {helpOpen.value ? <Help /> : null}
    </div>
  );
}
