// The names of the rows beside the drawing, with what can be done to a row.
import { visible } from '../../lib/format.ts';
import type { Row } from '../../lanes/rows.ts';
import { Icon } from '../../widgets/icon.tsx';
import { TrackName } from '../../widgets/name.tsx';
import { movedOrder } from '../../lanes/layout.ts';
import { commonTexts } from '../../lib/texts.ts';
import { prefs, togglePref, tracks } from './state.ts';
import { layout, namesPx } from './status.ts';
import { timelineTexts } from './texts.ts';

function moveRow(row: Row, by: -1 | 1): void {
  const all = tracks.peek();
  if (all === undefined) return;
  const order = movedOrder(all.tracks, prefs.peek(), layout.peek().rows, row.key, by);
  prefs.value = { ...prefs.peek(), order };
}

export function Labels() {
  const { rows, headings } = layout.value;
  return (
    <div class="tl-labels" style={{ width: `${namesPx.value}px` }}>
      {headings.map((heading) => (
        <div
          key={heading.text}
          class="tl-heading"
          role="heading"
          aria-level={3}
          style={{ top: `${heading.y}px` }}
          title={heading.text}
        >
          {visible(heading.text)}
        </div>
      ))}
      {rows.map((row) => (
        <div
          key={row.track.id}
          class={`tl-label ${row.open ? 'open' : ''}`}
          role="group"
          aria-label={visible(row.track.name)}
          style={{ top: `${row.y}px`, height: `${row.height}px` }}
        >
          <button
            type="button"
            class="tl-fold"
            aria-expanded={row.open}
            aria-label={`${row.track.name}, ${commonTexts.slices(row.track.slices)}`}
            title={`${row.track.name}\n${row.track.detail}`}
            onClick={() => togglePref('toggled', row.key)}
          >
            <span class={`codicon-chevron ${row.open ? 'down' : ''}`} aria-hidden="true" />
            <span class="tl-name" aria-hidden="true">
              <TrackName name={row.track.name} />
            </span>
          </button>
          <span class="tl-actions">
            <button
              type="button"
              title={row.pinned ? timelineTexts.unpin : timelineTexts.pinToTop}
              aria-label={timelineTexts.pinTrack(row.pinned, row.track.name)}
              aria-pressed={row.pinned}
              onClick={() => togglePref('pinned', row.key)}
            >
              <Icon name="pin" />
            </button>
            <button
              type="button"
              title={timelineTexts.moveUp}
              aria-label={timelineTexts.moveTrackUp(row.track.name)}
              onClick={() => moveRow(row, -1)}
            >
              <Icon name="up" />
            </button>
            <button
              type="button"
              title={timelineTexts.moveDown}
              aria-label={timelineTexts.moveTrackDown(row.track.name)}
              onClick={() => moveRow(row, 1)}
            >
              <Icon name="down" />
            </button>
            <button
              type="button"
              title={timelineTexts.hide}
              aria-label={timelineTexts.hideTrack(row.track.name)}
              onClick={() => togglePref('hidden', row.key)}
            >
              <Icon name="close" />
            </button>
          </span>
        </div>
      ))}
    </div>
  );
}
