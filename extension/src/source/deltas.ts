// What a comparison says about the lines and functions of a document, as text and marks.
import type { CompareAnnotationsResult, ComparedPlace } from '#shared/protocol.ts';
import { fixed, formatCount, formatShare, formatUs, minus } from '#shared/numbers.ts';
import { sourceTexts } from '#shared/texts.ts';
import { sharedTexts } from '#shared/common_texts.ts';
import { escapeMarkdown, staleNote } from './format.ts';
import { heatOf, type DrawnHint } from './hints.ts';

/** The whole that differences are shares of: the longer of the two sides. */
function wholeOf({ baselineUs, candidateUs }: CompareAnnotationsResult): number {
  return Math.max(baselineUs, candidateUs);
}

/** `+49 %`; undefined where the baseline has none. */
function percent({ total }: ComparedPlace): string | undefined {
  const { baselineUs, deltaUs } = total;
  if (baselineUs <= 0) return undefined;
  const text = formatShare(Math.abs(deltaUs) / baselineUs);
  return `${deltaUs < 0 ? minus : '+'}${text}`;
}

/** `60.3 ms slower (+493 %)`, `new, 934 us`, `gone, was 30 ms`. */
export function deltaText(place: ComparedPlace): string {
  const { status, total } = place;
  const { baselineUs, candidateUs, deltaUs } = total;
  if (status === 'new') return sourceTexts.isNew(candidateUs);
  if (status === 'gone') return sourceTexts.isGone(baselineUs);
  const how = deltaUs < 0 ? sharedTexts.faster : sharedTexts.slower;
  const part = percent(place);
  return `${formatUs(Math.abs(deltaUs))} ${how}${part === undefined ? '' : ` (${part})`}`;
}

function staleText(places: readonly ComparedPlace[]): string {
  const deltaUs = places.reduce((sum, { self }) => sum + self.deltaUs, 0);
  const how = deltaUs < 0 ? sharedTexts.faster : sharedTexts.slower;
  return sourceTexts.linesChanged(`${formatUs(Math.abs(deltaUs))} ${how}`, places.length);
}

/** The places of each line, those that changed most first. */
function byLine(places: readonly ComparedPlace[]): Map<number, ComparedPlace[]> {
  const lines = new Map<number, ComparedPlace[]>();
  const most = (a: ComparedPlace, b: ComparedPlace): number =>
    Math.abs(b.total.deltaUs) - Math.abs(a.total.deltaUs);
  for (const place of [...places].sort(most)) {
    lines.set(place.line, [...(lines.get(place.line) ?? []), place]);
  }
  return lines;
}

/**
 * A hint for each line whose time differs by at least `minimumShare` of the whole. Heat is by what
 * the line itself takes more or less.
 */
export function drawnDeltas(
  result: CompareAnnotationsResult,
  options: { minimumShare: number; lineCount: number },
): DrawnHint[] {
  const whole = wholeOf(result);
  const drawn: DrawnHint[] = [];
  for (const [line, places] of byLine(result.lines)) {
    if (line < 1 || line > options.lineCount || whole <= 0) continue;
    const fresh = places.filter(({ stale }) => !stale);
    const [place = places[0]] = fresh;
    if (place === undefined) continue;
    const share = Math.abs(place.total.deltaUs) / whole;
    if (share < options.minimumShare || share === 0) continue;
    const own = Math.abs(place.self.deltaUs) / whole;
    const brief = place.stale || place.status !== 'both' ? undefined : percent(place);
    drawn.push({
      line: line - 1,
      text: place.stale ? staleText(places) : deltaText(place),
      ...(brief === undefined ? {} : { brief }),
      heat: !place.stale && own > 0 && own >= options.minimumShare ? heatOf(own) : 0,
      stale: place.stale,
      faster: place.total.deltaUs < 0,
      share,
    });
  }
  return drawn.sort((a, b) => a.line - b.line);
}

/** Whose time is compared: "GPU", "NPU", or "CPU". */
export function comparedSide({ time, deviceKind }: CompareAnnotationsResult): string {
  return time === 'device' ? deviceKind : 'CPU';
}

/** A CodeLens of a function or class: how much slower or faster it is; `side` as comparedSide has it. */
export function lensDelta(place: ComparedPlace, side: string): string {
  const { baselineUs, candidateUs } = place.total;
  const times =
    place.status === 'both'
      ? [`${side} ${formatUs(baselineUs)} \u2192 ${formatUs(candidateUs)}`]
      : [];
  const calls =
    place.baselineCalls === place.candidateCalls
      ? sharedTexts.callCount(place.candidateCalls)
      : `${fixed(place.baselineCalls, 0)} \u2192 ${sharedTexts.callCount(place.candidateCalls)}`;
  const stale = place.stale ? [sourceTexts.changed] : [];
  return [deltaText(place), ...times, calls, ...stale].join(' \u00b7 ');
}

/** The functions and classes worth a lens, by line. */
export function lensPlaces(
  result: CompareAnnotationsResult,
  options: { minimumShare: number; lineCount: number },
): ComparedPlace[] {
  const least = options.minimumShare * wholeOf(result);
  return [...byLine([...result.functions, ...result.classes])]
    .filter(([line]) => line >= 1 && line <= options.lineCount)
    .flatMap(([, [place]]) => place ?? [])
    .filter(({ total }) => total.deltaUs !== 0 && Math.abs(total.deltaUs) >= least);
}

function cells(name: string, texts: readonly string[]): string {
  return `| ${[name, ...texts].join(' &nbsp;&nbsp;| ')} |`;
}

/** The hover of a line: both sides and their difference. Undefined where the line is of neither. */
export function deltaMarkdown(
  result: CompareAnnotationsResult,
  line: number,
  titles: { baseline: string; candidate: string },
): string | undefined {
  const place = byLine(result.lines).get(line)?.[0];
  if (place === undefined) return undefined;
  const { total, self, baselineCalls, candidateCalls } = place;
  const signed = (value: number, text: string): string =>
    value === 0 ? '0' : `${value < 0 ? minus : '+'}${text}`;
  const time = (name: string, { baselineUs, candidateUs, deltaUs }: typeof total): string =>
    cells(name, [
      formatUs(baselineUs),
      formatUs(candidateUs),
      signed(deltaUs, formatUs(Math.abs(deltaUs))),
    ]);
  const calls = candidateCalls - baselineCalls;
  const rows = [
    cells('', [sharedTexts.baseline, sharedTexts.candidate, sharedTexts.delta]),
    '|:--|--:|--:|--:|',
    time(comparedSide(result), total),
    ...(self.deltaUs === total.deltaUs && self.candidateUs === total.candidateUs
      ? []
      : [time(sharedTexts.self, self)]),
    cells(sharedTexts.calls, [
      formatCount(baselineCalls),
      formatCount(candidateCalls),
      signed(calls, formatCount(Math.abs(calls))),
    ]),
  ];
  const notes = [
    ...(place.stale ? [staleNote] : []),
    ...(result.per === 'step' ? [sourceTexts.perStep] : []),
  ];
  const names = `<sub>${escapeMarkdown(titles.baseline)} \u2194 ${escapeMarkdown(titles.candidate)}</sub>`;
  return [`**${deltaText(place)}**`, rows.join('\n'), ...notes, names].join('\n\n');
}
