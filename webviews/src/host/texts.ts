// The texts of the page's state.
export const hostTexts = {
  matrixUnits: 'matrix units',
  matrixCores: 'matrix cores',
  tensorCores: 'tensor cores',

  readingMoreRanks: 'Reading more ranks',
};
