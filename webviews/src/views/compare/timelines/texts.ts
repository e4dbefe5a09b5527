// The texts of the two timelines of a comparison.
const keys = 'W and S zoom, A and D move, arrow keys go between slices, F fits, L locks.';

export const pairTexts = {
  moveTogether: 'Both timelines move together',
  moveAlone: 'Each timeline moves alone',
  sameIsMarked: (other: string) => `The same slice is marked on the ${other}.`,
  replacedUnmarked: (other: string) => `Something else runs in its place on the ${other}.`,
  replacedElsewhere: (other: string, by: string) =>
    `Replaced: on the ${other}, ${by} runs in its place elsewhere.`,
  replacedIsMarked: (other: string) =>
    `Replaced: what runs in its place on the ${other} is marked.`,
  isNew: 'New: the baseline has nothing that matches it.',
  isGone: 'Gone: the candidate has nothing that matches it.',
  noFurtherSlice: 'No further slice in this direction',

  timelineOf: (side: string) => `Timeline of the ${side}`,
  arrangingRows: 'Arranging rows...',
  timelineAndKeys: (side: string, chosen: string) => `Timeline of the ${side}.${chosen} ${keys}`,

  clickAndKeys: `Click a slice to see its match on the other side. ${keys}`,
  durationDiffers: (delta: number, difference: string) =>
    `Duration ${delta === 0 ? 'the same' : difference}.`,
  selectedSlice: 'Selected slice',
  side: 'Side',
  startHint: 'Since the start of its trace.',
  showInProfile: 'Show in its profile',
  lockOnMatchedPoints: 'Lock on matched points',
  wholeTraces: 'Whole traces',
  wholeTracesHint: 'Show both traces in full',
  nothingMatches: 'Nothing matches, so both timelines move by the same amount of time.',
  selectedSliceAndMatch: 'Selected slice and its match',
};
