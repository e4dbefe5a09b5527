// Which rows the timeline has, in which order, and where each stands. Pure.
import type { TimelineTrack } from '#shared/protocol.ts';
import { laneHeight, rowKey, type Heading, type Layout, type Row } from './rows.ts';
import { laneTexts } from './texts.ts';

/** What the user did to the rows, by their keys; remembered with the view. */
export interface RowPrefs {
  pinned: string[];
  hidden: string[];
  /** Rows whose folding differs from the suggestion. */
  toggled: string[];
  /** Rows in the user's order; the others follow in the suggested one. */
  order: string[];
}

const headingHeight = 22;
const foldedHeight = 20;
const seriesHeight = 40;
const gap = 3;
/** Deeper rows are squeezed, so that one damaged track cannot push all others away. */
const maxOpenHeight = 2400;

export function isSeries(track: TimelineTrack): boolean {
  return track.kind === 'counter' || track.kind === 'derived';
}

export function isOpen(track: TimelineTrack, prefs: RowPrefs): boolean {
  return track.folded === prefs.toggled.includes(rowKey(track));
}

function sized(track: TimelineTrack, open: boolean): { height: number; laneHeight: number } {
  if (isSeries(track)) return { height: open ? seriesHeight : foldedHeight, laneHeight: 0 };
  const lanes = Math.max(1, track.lanes);
  if (!open) return { height: foldedHeight, laneHeight: foldedHeight / Math.min(lanes, 8) };
  const height = Math.min(maxOpenHeight, lanes * laneHeight);
  return { height, laneHeight: height / lanes };
}

/** Rows by section: pinned ones first, then group by group; each in the user's order. */
function sections(
  tracks: readonly TimelineTrack[],
  prefs: RowPrefs,
): { pinned: TimelineTrack[]; groups: Map<string, TimelineTrack[]> } {
  const rank = new Map(prefs.order.map((key, index) => [key, index]));
  const ordered = tracks
    .map((track, index) => ({ track, at: rank.get(rowKey(track)) ?? prefs.order.length + index }))
    .sort((a, b) => a.at - b.at)
    .map(({ track }) => track);
  const pinned: TimelineTrack[] = [];
  const groups = new Map<string, TimelineTrack[]>();
  for (const track of ordered) {
    if (prefs.pinned.includes(rowKey(track))) {
      pinned.push(track);
      continue;
    }
    const group = groups.get(track.group);
    if (group === undefined) groups.set(track.group, [track]);
    else group.push(track);
  }
  return { pinned, groups };
}

/** Rows in order: pinned ones first under a heading of their own, then group by group. */
export function layoutRows(
  tracks: readonly TimelineTrack[],
  prefs: RowPrefs,
  filter: string,
): Layout {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const shown = tracks.filter((track) => {
    if (prefs.hidden.includes(rowKey(track))) return false;
    const text = `${track.group} ${track.name} ${track.detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const { pinned, groups } = sections(shown, prefs);
  const rows: Row[] = [];
  const headings: Heading[] = [];
  let y = 0;
  const place = (heading: string, list: readonly TimelineTrack[], isPinned: boolean): void => {
    if (list.length === 0) return;
    headings.push({ text: heading, y });
    y += headingHeight;
    for (const track of list) {
      const open = isOpen(track, prefs);
      const size = sized(track, open);
      rows.push({ track, key: rowKey(track), y, open, pinned: isPinned, ...size });
      y += size.height + gap;
    }
  };
  place(laneTexts.pinned, pinned, true);
  for (const [group, list] of groups) place(group, list, false);
  return { rows, headings, height: y + 8, hidden: tracks.length - shown.length };
}

/**
 * The order of all rows after one of those that are shown was moved up or down: past the next row of
 * its group, or, at the group's edge, with its group past the next group.
 */
export function movedOrder(
  tracks: readonly TimelineTrack[],
  prefs: RowPrefs,
  shown: readonly Row[],
  key: string,
  by: -1 | 1,
): string[] {
  const { pinned, groups } = sections(tracks, prefs);
  const at = shown.findIndex((row) => row.key === key);
  const row = shown[at];
  const other = shown[at + by];
  const together = (a: Row, b: Row): boolean =>
    a.pinned === b.pinned && (a.pinned || a.track.group === b.track.group);
  const lists = [pinned, ...groups.values()];
  if (row !== undefined && other !== undefined) {
    if (together(row, other)) {
      const list = lists.find((one) => one.includes(row.track))!;
      const from = list.indexOf(row.track);
      const to = list.indexOf(other.track);
      list.splice(from, 1);
      list.splice(to, 0, row.track);
    } else if (!row.pinned && !other.pinned) {
      const from = lists.indexOf(groups.get(row.track.group)!);
      const to = lists.indexOf(groups.get(other.track.group)!);
      const [moved] = lists.splice(from, 1);
      lists.splice(to, 0, moved!);
    }
  }
  return lists.flat().map(rowKey);
}
