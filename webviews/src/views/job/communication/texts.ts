// The texts of a job's communication and of a collective's ranks: with the views that need them, so that
// the first view need not wait for them.
import { fixed, plural, quantity } from '#shared/numbers.ts';

export const communicationTexts = {
  readingCollective: 'Reading the collective',
  ranksOfCollective: (call: number) => `Ranks of collective ${call}`,
  came: 'Arrived',
  cameHint: 'Time after the first rank.',
  waited: 'Waited',
  waitedHint: 'Time beyond the shortest call.',
  beforeThat: 'Before that',
  beforeThatHint: 'What took most of the time since its previous collective.',
  rankAndWhetherLast: (rank: number, lastRank: number | null) =>
    `${rank}${rank === lastRank ? '\u00a0(last)' : ''}`,
  madeNoCall: (ranks: string) => `No such call on rank ${ranks}, though it was recording.`,
  operationOfSize: (operation: string, bytes: number | undefined) =>
    `${operation} of ${quantity(bytes, 'bytes')}`,
  busBandwidthOf: (gbPerS: number | undefined) => `Bus bandwidth ${quantity(gbPerS, 'gbPerS')}`,
  algorithmBandwidthOf: (gbPerS: number | undefined) =>
    `Algorithm bandwidth ${quantity(gbPerS, 'gbPerS')}`,
  bandwidthBySize: 'Bandwidth by size',
  bandwidthBySizeHint:
    'Bytes divided by the shortest call, for collectives found on all their ranks. Bus bandwidth is what the links carry, whatever the number of ranks.',
  bandwidth: 'Bandwidth',
  bus: 'Bus',
  algorithm: 'Algorithm',
  addingUpSizes: 'Summing up sizes',
  noSizes: 'Sizes were not recorded, or no collective was found on several ranks.',
  operation: 'Operation',
  busBandwidth: 'Bus bandwidth',
  algorithmBandwidth: 'Algorithm bandwidth',
  bandwidthOfCollectives: 'Bandwidth of collectives by their size',
  sizeAxis: 'Largest size on any rank',
  whoTalksToWhom: 'Traffic between ranks',
  tooManyPairs: (ranks: number) =>
    `${fixed(ranks, 0)} ranks have more pairs than a chart can show: the table of pairs lists them.`,
  fromRankToRank: (from: string, to: string) => `From rank ${from} to rank ${to}`,
  betweenMachines: 'Traffic between machines',
  fromMachine: (from: string, to: string) =>
    from === to ? `Within ${from}` : `From ${from} to ${to}`,
  otherMachine: 'ranks without a trace',
  bytesBetweenMachines: 'Bytes from machine to machine',
  toMachine: 'To machine',
  fromMachineTitle: 'From machine',
  nothing: 'Nothing',
  bytesInCalls: (bytes: number | undefined, calls: number) =>
    `${quantity(bytes, 'bytes')} in ${plural(calls, 'call')}`,
  collectivesInParts: 'Collectives counted as if each rank sent equal parts to the others',
  whoTalksToWhomHint:
    'Bytes from rank to rank: sends, receives and all-to-all exchanges as recorded, other collectives in equal parts.',
  addingUpPairs: 'Summing up pairs',
  noPairs: 'No communication between two ranks was found.',
  from: 'From',
  to: 'To',
  bytesFromRankToRank: 'Bytes from rank to rank',
  toRank: 'To rank',
  fromRank: 'From rank',
  sizes: 'Sizes',
  pairs: 'Pairs',
};
