// Brings the selected slice into the window and its row onto the screen.
import { reducedMotion } from '../../host/store.ts';
import { rowKey, type Row } from '../../lanes/rows.ts';
import { centered } from '../../lanes/window.ts';
import { detail, prefs, rowFilter, setWindow, shownWindow, togglePref, tracks } from './state.ts';
import { layout } from './status.ts';

const rowOf = (track: number): Row | undefined =>
  layout.peek().rows.find((row) => row.track.id === track);

/** The row of a track, shown and opened where it was not. */
function openedRow(track: number): Row | undefined {
  if (rowOf(track) === undefined) {
    const hidden = tracks.peek()?.tracks.find((one) => one.id === track);
    if (hidden !== undefined && prefs.peek().hidden.includes(rowKey(hidden))) {
      togglePref('hidden', rowKey(hidden));
    }
    rowFilter.value = '';
  }
  const row = rowOf(track);
  if (row === undefined || row.open) return row;
  togglePref('toggled', row.key);
  return rowOf(track);
}

export function revealSelected(viewport: HTMLElement, height: number): void {
  const at = detail.peek();
  if (at === undefined) return;
  const { startNs, endNs } = shownWindow.peek();
  const span = endNs - startNs;
  const end = at.startNs + at.durationNs;
  if (end < startNs || at.startNs > endNs || at.durationNs < span / 2000) {
    const wide = Math.max(at.durationNs * 12, Math.min(span, at.durationNs * 400), 1000);
    const to = centered({ startNs: 0, endNs: wide }, at.startNs + at.durationNs / 2);
    setWindow(to.startNs, to.endNs);
  }
  const row = openedRow(at.track);
  if (row === undefined) return;
  const top = row.y + at.lane * row.laneHeight;
  if (top >= viewport.scrollTop && top + row.laneHeight <= viewport.scrollTop + height) return;
  // The layout may still be growing: scroll once it is in the page.
  requestAnimationFrame(() => {
    viewport.scrollTo({
      top: Math.max(0, top - height / 3),
      behavior: reducedMotion.peek() ? 'instant' : 'auto',
    });
  });
}
