// The buttons above the timeline.
import { sharedTexts } from '#shared/common_texts.ts';
import { writeTimelineLink } from '#shared/timeline_link.ts';
import { copyText, saveFile } from '../../host/host.ts';
import { announce, linkBase, path, requestSelection } from '../../host/store.ts';
import { commonTexts } from '../../lib/texts.ts';
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
import { timelineTexts } from './texts.ts';

/** Says so where there are more arrows than can be drawn. */
function ArrowCount() {
  const { shown, total } = windowArrowCount.value;
  if (!allFlows.value || total <= shown) return null;
  return (
    <span class="tl-dim" role="note">
      {timelineTexts.arrowsSampled(shown, total)}
    </span>
  );
}

/** Says so where a trace has more rows than are listed. */
function UnlistedRows() {
  const { unlistedRows, unlistedSlices } = tracks.value ?? { unlistedRows: 0, unlistedSlices: 0 };
  if (unlistedRows === 0) return null;
  return (
    <span class="tl-dim" role="note">
      {timelineTexts.tracksNotListed(unlistedRows, unlistedSlices)}
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
    <div class="tl-toolbar" role="toolbar" aria-label={sharedTexts.timeline}>
      <FilterBox
        label={timelineTexts.tracks}
        placeholder={timelineTexts.filterTracks}
        value={rowFilter.value}
        onChange={(text) => {
          rowFilter.value = text;
        }}
      />
      <div class="tl-tools">
        <IconButton
          icon="plus"
          label={timelineTexts.zoomIn}
          title={timelineTexts.zoomInHint}
          onClick={() => zoom(0.6)}
        />
        <IconButton
          icon="minus"
          label={timelineTexts.zoomOut}
          title={timelineTexts.zoomOutHint}
          onClick={() => zoom(1 / 0.6)}
        />
        <IconButton
          icon="fit"
          label={timelineTexts.fit}
          title={timelineTexts.fitHint}
          onClick={fitAll}
        />
        <IconButton
          icon="arrow"
          label={timelineTexts.arrows}
          title={timelineTexts.arrowsHint}
          pressed={allFlows.value}
          onClick={() => {
            allFlows.value = !allFlows.value;
          }}
        />
        <IconButton
          icon="reset"
          label={timelineTexts.resetTrackOrder}
          title={timelineTexts.resetTrackOrderHint}
          onClick={() => {
            prefs.value = { pinned: [], hidden: [], toggled: [], order: [] };
          }}
        />
        <IconButton
          icon="image"
          label={timelineTexts.saveImage}
          title={timelineTexts.saveImageHint}
          onClick={() => {
            if (stage !== undefined) saveFile('timeline.png', stage.picture(), true);
          }}
        />
        <IconButton
          icon="link"
          label={commonTexts.copyLink}
          title={timelineTexts.copyLinkHint}
          onClick={() => {
            copyText(link());
            announce(commonTexts.linkCopied);
          }}
        />
        <IconButton
          icon="keyboard"
          label={timelineTexts.shortcuts}
          title={timelineTexts.keyboardShortcutsHint}
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
          {timelineTexts.showHiddenTracks(hidden)}
        </ActionButton>
      )}
      <Segments
        label={timelineTexts.panel}
        of={panel}
        choices={{
          details: commonTexts.details,
          search: commonTexts.search,
          gaps: timelineTexts.idleTime,
          path: commonTexts.criticalPath,
          table: commonTexts.table,
          file: commonTexts.file,
        }}
      />
      <ArrowCount />
      <UnlistedRows />
    </div>
  );
}
