// The buttons above the timeline.
import { writeTimelineLink } from '#shared/timeline_link.ts';
import { copyText, saveFile } from '../../host/host.ts';
import { announce, linkBase, path, requestSelection } from '../../host/store.ts';
import { fixed, plural } from '#shared/numbers.ts';
import { ActionButton, IconButton, Segments } from '../../widgets/controls.tsx';
import { FilterBox } from '../../widgets/fields.tsx';
import type { Stage } from './stage.ts';
import {
  allFlows,
  fitAll,
  helpOpen,
  panel,
  prefs,
  rowFilter,
  selectedSlice,
  shownWindow,
  tracks,
  zoom,
} from './state.ts';
import { windowArrowCount } from './status.ts';

/** Says so where there are more arrows than can be drawn. */
function ArrowCount() {
  const { shown, total } = windowArrowCount.value;
  if (!allFlows.value || total <= shown) return null;
  return (
    <span class="tl-dim" role="note">
      {fixed(shown, 0)} of {fixed(total, 0)} arrows, sampled evenly
    </span>
  );
}

/** Says so where a trace has more rows than are listed. */
function UnlistedRows() {
  const { unlistedRows, unlistedSlices } = tracks.value ?? { unlistedRows: 0, unlistedSlices: 0 };
  if (unlistedRows === 0) return null;
  return (
    <span class="tl-dim" role="note">
      {plural(unlistedRows, 'more track')} with {plural(unlistedSlices, 'slice')} not listed
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

export function Toolbar(props: { stage: Stage | undefined }) {
  const { stage } = props;
  const hidden = prefs.value.hidden.length;
  return (
    <div class="tl-toolbar" role="toolbar" aria-label="Timeline">
      <FilterBox
        label="Tracks"
        placeholder="Filter tracks"
        value={rowFilter.value}
        onChange={(text) => {
          rowFilter.value = text;
        }}
      />
      <div class="tl-tools">
        <IconButton icon="plus" label="Zoom in" title="Zoom in (w)" onClick={() => zoom(0.6)} />
        <IconButton
          icon="minus"
          label="Zoom out"
          title="Zoom out (s)"
          onClick={() => zoom(1 / 0.6)}
        />
        <IconButton icon="fit" label="Fit" title="Show the whole trace (f)" onClick={fitAll} />
        <IconButton
          icon="arrow"
          label="Arrows"
          title="Show all flow arrows (e)"
          pressed={allFlows.value}
          onClick={() => {
            allFlows.value = !allFlows.value;
          }}
        />
        <IconButton
          icon="reset"
          label="Reset track order"
          title="Restore the original order and visibility of tracks"
          onClick={() => {
            prefs.value = { pinned: [], hidden: [], toggled: [], order: [] };
          }}
        />
        <IconButton
          icon="image"
          label="Save image"
          title="Save the visible timeline as PNG"
          onClick={() => {
            if (stage !== undefined) saveFile('timeline.png', stage.picture(), true);
          }}
        />
        <IconButton
          icon="link"
          label="Copy link"
          title="Copy a link to this file, time window and selection"
          onClick={() => {
            copyText(link());
            announce('Link copied');
          }}
        />
        <IconButton
          icon="keyboard"
          label="Shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={() => {
            helpOpen.value = true;
          }}
        />
      </div>
      {hidden === 0 ? null : (
        <ActionButton
          onClick={() => {
            prefs.value = { ...prefs.value, hidden: [] };
          }}
        >
          Show {plural(hidden, 'hidden track')}
        </ActionButton>
      )}
      <Segments
        label="Panel"
        of={panel}
        choices={{
          details: 'Details',
          search: 'Search',
          gaps: 'Idle time',
          path: 'Critical path',
          table: 'Table',
          file: 'File',
        }}
      />
      <ArrowCount />
      <UnlistedRows />
    </div>
  );
}
