import type { Metric } from '../workspace/config.ts';
import type { AnnotatedLine, SourceLens } from '#shared/protocol.ts';
import { formatShare, formatUs } from '#shared/numbers.ts';
import { sourceTexts } from '#shared/texts.ts';
import { sharedTexts } from '#shared/common_texts.ts';
import { labelText, shorten } from './format.ts';

/** The cost that a surface shows: whose time, how much, and its share of the whole. */
export interface ShownCost {
  /** "GPU", "NPU", or "CPU". */
  side: string;
  us: number;
  selfUs: number;
  backwardUs: number;
  /** What activation checkpointing ran again, beside backward. */
  recomputeUs: number;
  /** 0..1 of all time on that side. */
  share: number;
}

/** Whether the device's time is shown: by choice, or because there is some. */
export function showsDevice(metric: Metric, hasDeviceWork: boolean): boolean {
  return metric === 'device' || (metric === 'auto' && hasDeviceWork);
}

/** `kind` is what the profile's devices are called. */
export function lineCost(line: AnnotatedLine, device: boolean, kind = 'GPU'): ShownCost {
  return device
    ? {
        side: kind,
        us: line.deviceTotalUs,
        selfUs: line.deviceSelfUs,
        backwardUs: line.backwardDeviceUs,
        recomputeUs: line.recomputeDeviceUs,
        share: line.deviceShare,
      }
    : {
        side: 'CPU',
        us: line.hostTotalUs,
        selfUs: line.hostSelfUs,
        backwardUs: line.backwardHostUs,
        recomputeUs: line.recomputeHostUs,
        share: line.hostShare,
      };
}

/** Share of the whole that is spent in the line itself, 0..1. */
export function ownShare(cost: ShownCost): number {
  return cost.us > 0 ? (cost.share * cost.selfUs) / cost.us : 0;
}

/** `18.4 ms, 11 %`: the rest is in the hover. */
export function lineHint(line: AnnotatedLine, device: boolean): string {
  const cost = lineCost(line, device);
  const unknown =
    line.confidence === 'function' && !line.stale ? `, ${sharedTexts.lineUnknown}` : '';
  return `${formatUs(cost.us)}, ${formatShare(cost.share)}${unknown}`;
}

/** Cells of a full bar. */
const barCells = 6;
const eighths = ['', '\u258f', '\u258e', '\u258d', '\u258c', '\u258b', '\u258a', '\u2589'];

/** A share of the whole as a bar of text: it scales with the editor's font. */
export function shareBar(share: number): string {
  const parts = Math.round(Math.min(1, Math.max(0, share)) * barCells * 8);
  return '\u2588'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '');
}

/** A hint as it is drawn: at most one per line of the document. */
export interface DrawnHint {
  /** 0-based line of the document. */
  line: number;
  text: string;
  /** Less than the text, where that has no room. */
  shorter?: string;
  /** The least that says something of the line, where there is no room for more: its share. */
  brief?: string;
  /**
   * 1 (least) to 4, by the line's own time: a line that only calls a hot function is not hot
   * itself. 0 where there is next to none, and for hints that say nothing of this very line.
   */
  heat: number;
  stale: boolean;
  /** Share of the whole that the bar shows, 0..1. */
  share: number;
  /** The line is not known: it says so, and is longer than others. */
  unplaced?: boolean;
  /** Of a comparison: it takes less time than before. */
  faster?: boolean;
}

/** How hot a share of the whole is, 1 to 4. */
export function heatOf(share: number): number {
  if (share >= 0.25) return 4;
  if (share >= 0.1) return 3;
  if (share >= 0.03) return 2;
  return 1;
}

/** What the changed lines of a function cost, in full and with less. */
function staleTexts(
  lines: AnnotatedLine[],
  device: boolean,
  kind?: string,
): { text: string; shorter: string } {
  const us = lines.reduce((sum, line) => sum + lineCost(line, device).us, 0);
  const side = device ? (kind ?? 'GPU') : 'CPU';
  return {
    text: sourceTexts.costOfChanged(us, side, lines.length),
    shorter: sourceTexts.costOfChangedBriefly(us),
  };
}

function add<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/**
 * The hints of a document: lines below the least share are left out; lines that lost their place
 * are summed up on their function, marked stale, and never drawn on a line of today's text.
 */
export function drawnHints(
  lines: readonly AnnotatedLine[],
  options: { device: boolean; kind?: string; minimumShare: number; lineCount: number },
): DrawnHint[] {
  const fresh = new Map<number, AnnotatedLine[]>();
  const stale = new Map<number, AnnotatedLine[]>();
  for (const line of lines) {
    if (line.line < 1 || line.line > options.lineCount) continue;
    add(line.stale ? stale : fresh, line.line, line);
  }
  const drawn = new Map<number, DrawnHint>();
  for (const [number, costs] of fresh) {
    // Several costs of one line (the same file recorded under two names) show the largest.
    const best = costs.reduce((a, b) =>
      lineCost(b, options.device).us > lineCost(a, options.device).us ? b : a,
    );
    const cost = lineCost(best, options.device);
    if (cost.us <= 0 || cost.share < options.minimumShare) continue;
    const text = lineHint(best, options.device);
    const own = ownShare(cost);
    const placed = best.confidence !== 'function';
    const heat = placed && own >= options.minimumShare ? heatOf(own) : 0;
    drawn.set(number, {
      line: number - 1,
      text,
      brief: formatShare(cost.share),
      heat,
      stale: false,
      share: cost.share,
      ...(placed ? {} : { unplaced: true }),
    });
  }
  for (const [number, costs] of stale) {
    const shown = costs.filter((line) => {
      const cost = lineCost(line, options.device);
      return cost.us > 0 && cost.share >= options.minimumShare;
    });
    const first = shown[0];
    if (first === undefined || drawn.has(number)) continue;
    drawn.set(number, {
      line: number - 1,
      ...staleTexts(shown, options.device, options.kind),
      brief: sourceTexts.changedBriefly,
      heat: 0,
      stale: true,
      share: lineCost(first, options.device).share,
    });
  }
  return [...drawn.values()].sort((a, b) => a.line - b.line);
}

/** Columns that a line of text takes on the screen. Wide characters count double. */
export function visualWidth(text: string, tabSize: number): number {
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 9) width += tabSize - (width % tabSize);
    else width += code >= 0x1100 && isWide(code) ? 2 : 1;
  }
  return width;
}

function isWide(code: number): boolean {
  return (
    code <= 0x115f ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff)
  );
}

/**
 * The column at which the hints of a document begin, so that they stand below each other: after
 * the longest of their lines, but no further right than most lines need. In an editor beside another
 * one they stand near their lines instead: a common column would lie beyond its right edge.
 */
export function hintColumn(widths: readonly number[], narrow = false): number {
  const longest = widths.reduce((a, b) => Math.max(a, b), 0);
  return Math.min(longest, narrow ? 24 : 64) + 4;
}

/** What is drawn for each hint: its text, then its bar; the bars of a document begin below each other. */
export function hintTexts(hints: readonly DrawnHint[]): string[] {
  const bars = hints.map(({ stale, share }) => (stale ? '' : shareBar(share)));
  const longest = hints.reduce(
    (most, { text, unplaced }, index) =>
      bars[index] === '' || unplaced === true ? most : Math.max(most, text.length),
    0,
  );
  return hints.map(({ text }, index) =>
    bars[index] === '' ? text : `${text.padEnd(longest, '\u00a0')}\u00a0\u00a0${bars[index]}`,
  );
}

/** Text of the CodeLens of a definition. */
export function lensTitle(lens: SourceLens, device: boolean, kind = 'GPU'): string {
  const us = device ? lens.deviceUs : lens.hostUs;
  const share = device ? lens.deviceShare : lens.hostShare;
  const parts = [`${formatUs(us)} ${device ? kind : 'CPU'}, ${formatShare(share)}`];
  if (lens.backwardUs > 0) parts.push(sourceTexts.backwardShare(lens.backwardShare));
  if (lens.recomputeUs > 0) parts.push(sourceTexts.recomputeTime(lens.recomputeUs));
  if (lens.calls > 0) parts.push(sharedTexts.callCount(lens.calls));
  const hottest = lens.operators.slice(0, 3).map((name) => labelText(shorten(name, 40)));
  if (hottest.length > 0) parts.push(hottest.join(', '));
  if (lens.stale) parts.push(sourceTexts.changed);
  return parts.join(' · ');
}

/** The hottest placed lines by their own time, hottest first. */
export function hottestLines(
  lines: readonly AnnotatedLine[],
  options: { device: boolean; count: number; minimumShare: number },
): AnnotatedLine[] {
  return lines
    .filter((line) => {
      const cost = lineCost(line, options.device);
      return (
        !line.stale &&
        line.confidence !== 'function' &&
        cost.selfUs > 0 &&
        cost.share >= options.minimumShare
      );
    })
    .sort((a, b) => lineCost(b, options.device).selfUs - lineCost(a, options.device).selfUs)
    .slice(0, options.count);
}

/** The hot line after (or before) a line, going around at the end. Lines are 0-based. */
export function neighborHint(
  hints: readonly DrawnHint[],
  from: number,
  direction: 1 | -1,
): DrawnHint | undefined {
  const placed = hints.filter((hint) => hint.heat > 0);
  if (direction === 1) return placed.find((hint) => hint.line > from) ?? placed[0];
  return placed.filter((hint) => hint.line < from).at(-1) ?? placed.at(-1);
}

/**
 * Where a line as recorded is in the text of now, 1-based: undefined when it was not followed
 * there, or lost its place.
 */
export function lineNow(
  lines: readonly AnnotatedLine[],
  file: string,
  recordedLine: number,
): number | undefined {
  return lines.find(
    (line) => line.recordedLine === recordedLine && line.file === file && !line.stale,
  )?.line;
}

/**
 * Where a line that lost its place most likely was, 1-based: as far from the nearest line that was followed
 * to the text of now as when it was recorded.
 */
export function lineBeside(
  lines: readonly AnnotatedLine[],
  file: string,
  recordedLine: number,
): number {
  const distance = (line: AnnotatedLine) => Math.abs(line.recordedLine - recordedLine);
  let nearest: AnnotatedLine | undefined;
  for (const line of lines) {
    if (line.stale || line.file !== file) continue;
    if (nearest === undefined || distance(line) < distance(nearest)) nearest = line;
  }
  return recordedLine + (nearest === undefined ? 0 : nearest.line - nearest.recordedLine);
}
