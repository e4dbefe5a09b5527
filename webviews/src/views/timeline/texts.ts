// The texts of the timeline.
import type { WheelHabit } from '#shared/messages.ts';
import { fixed, plural, quantity } from '#shared/numbers.ts';
import type { BoxRenderer } from '../../gl/boxes.ts';

export const timelineTexts = {
  noEvents: 'The trace contains no events.',
  noMatchingTracks: 'No matching tracks',
  noSliceFound: 'No slice found',

  showingAllArrows: 'Showing all flow arrows',
  showingArrowsOfSelection: 'Showing flow arrows of the selection',

  sliceSaid: (name: string, kind: string, durationNs: number, startNs: number, track: string) =>
    `${name}, ${kind}, ${quantity(durationNs, 'ns')} at ${quantity(startNs, 'ns')} on ${track}`,
  instantSaid: (name: string, ns: number) => `${name} at ${quantity(ns, 'ns')}`,
  noMoreInstants: 'No more instants in this direction',
  noParentSlice: 'No parent slice',
  launchedNothing: 'This slice launched nothing',

  zoomAtPointerKeys: 'Ctrl + wheel, pinch',
  zoomAtPointer: 'Zoom at the pointer',
  wheelHelp: (habit: WheelHabit) => {
    const does =
      habit === 'auto'
        ? 'Zoom with a mouse, scroll with a trackpad'
        : habit === 'zoom'
          ? 'Zoom'
          : 'Scroll the tracks';
    return `${does} (setting: Timeline: Wheel)`;
  },
  zoomKeys: 'w, s',
  zoomInAndOut: 'Zoom in and out',
  moveKeys: 'drag, a, d',
  move: 'Move',
  scrollTracksKeys: 'Shift + wheel',
  scrollTracks: 'Scroll the tracks',
  markRangeKeys: 'Shift + drag',
  markRange: 'Mark a range; across tracks: a box',
  selectKeys: 'click, double click',
  selectHelp: 'Select a slice; zoom to it',
  neighborsHelp: 'Previous and next slice or instant of the track; without a selection: pan',
  parentAndChild: 'Parent slice, first child',
  fitHelp: 'Zoom to the selection or marked range; again: the whole trace',
  markSelected: 'Mark the selected slice as a range; again: clear it',
  followKeys: 'l, Shift + l',
  followHelp: 'Go from kernel to launch to operator to forward operator or module; go back',
  showAllFlowArrows: 'Show all flow arrows',
  openCode: 'Open the code of the selected slice',
  escape: 'Esc',
  clearSelection: 'Clear selection and range',
  keyboardShortcuts: 'Keyboard shortcuts',
  timelineShortcuts: 'Timeline shortcuts',
  drawnWith: (renderer: BoxRenderer['kind'], frames: number, ms: string) =>
    `Drawn with ${renderer === 'webgl2' ? 'WebGL 2' : 'Canvas 2D'}; the last ${frames} frames took ${ms} ms each.`,

  unpin: 'Unpin',
  pinToTop: 'Pin to the top',
  pinTrack: (pinned: boolean, name: string) => `${pinned ? 'Unpin' : 'Pin'} ${name}`,
  moveUp: 'Move up',
  moveTrackUp: (name: string) => `Move ${name} up`,
  moveDown: 'Move down',
  moveTrackDown: (name: string) => `Move ${name} down`,
  hide: 'Hide',
  hideTrack: (name: string) => `Hide ${name}`,

  minimapHint:
    'Whole trace: device work over time, with the window that is shown. Drag to move it.',
  timeWithSteps: 'Time since the start of the trace, with the steps',
  tracksLabel:
    'Timeline. Press question mark for shortcuts; the visible slices are also in the Table panel.',

  arrangingTracks: 'Arranging tracks...',
  aboutTimeline: 'About the timeline',
  hidePanel: 'Hide panel',

  arrowsSampled: (shown: number, total: number) =>
    `${fixed(shown, 0)} of ${fixed(total, 0)} arrows, sampled evenly`,
  tracksNotListed: (tracks: number, slices: number) =>
    `${plural(tracks, 'more track')} with ${plural(slices, 'slice')} not listed`,
  tracks: 'Tracks',
  filterTracks: 'Filter tracks',
  zoomIn: 'Zoom in',
  zoomInHint: 'Zoom in (w)',
  zoomOut: 'Zoom out',
  zoomOutHint: 'Zoom out (s)',
  fit: 'Fit',
  fitHint: 'Show the whole trace (f)',
  arrows: 'Arrows',
  arrowsHint: 'Show all flow arrows (e)',
  resetTrackOrder: 'Reset track order',
  resetTrackOrderHint: 'Restore the original order and visibility of tracks',
  saveImage: 'Save image',
  saveImageHint: 'Save the visible timeline as PNG',
  copyLinkHint: 'Copy a link to this file, time window and selection',
  shortcuts: 'Shortcuts',
  keyboardShortcutsHint: 'Keyboard shortcuts (?)',
  showHiddenTracks: (tracks: number) => `Show ${plural(tracks, 'hidden track')}`,
  panel: 'Panel',
  idleTime: 'Idle time',
};
