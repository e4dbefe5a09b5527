// What lines would save nearer to the roofs of their devices. Pure.
import type { Navigation } from '#shared/messages.ts';
import type { AnnotatedLine, SourceSavingsResult } from '#shared/protocol.ts';
import { sourceTexts } from '#shared/texts.ts';
import { quoted } from './row_filter.ts';

type LineSaving = SourceSavingsResult['lines'][number];

/** A saving below this part of the time that it is a part of is not worth a word. */
const leastPart = 0.1;

/** `1.20 ms at 60 % of the roof`. */
function savingText(savedUs: number, target: number): string {
  return sourceTexts.atRoof(savedUs, target);
}

function savingOf(
  savings: SourceSavingsResult,
  { line, stale }: { line: number; stale: boolean },
): LineSaving | undefined {
  return savings.lines.find((one) => one.line === line && one.stale === stale);
}

/** What everything called from a line would save, as text; undefined where it is next to nothing. */
export function lineSaving(
  savings: SourceSavingsResult | undefined,
  line: AnnotatedLine,
): string | undefined {
  const found = savings === undefined ? undefined : savingOf(savings, line);
  if (savings === undefined || found === undefined) return undefined;
  if (found.savedUs < leastPart * line.deviceTotalUs) return undefined;
  return savingText(found.savedUs, savings.target);
}

/** A CodeLens on what a line would save itself, and where it leads. */
export interface SavingLens {
  /** 1-based. */
  line: number;
  title: string;
  target: Navigation;
}

/**
 * The lines that would save most by themselves, the most first: at most `count`, each with at least
 * `minimumShare` of all device time to save. What has no line of its own has no lens.
 */
export function savingLenses(
  savings: SourceSavingsResult | undefined,
  lines: readonly AnnotatedLine[],
  options: { count: number; minimumShare: number; deviceUs: number },
): SavingLens[] {
  if (savings === undefined) return [];
  const least = options.minimumShare * options.deviceUs;
  return lines
    .filter(({ stale, confidence }) => !stale && confidence !== 'function')
    .flatMap((line) => {
      const savedUs = savingOf(savings, line)?.savedSelfUs ?? 0;
      const worth = savedUs > 0 && savedUs >= Math.max(least, leastPart * line.deviceSelfUs);
      return worth ? [{ line, savedUs }] : [];
    })
    .sort((a, b) => b.savedUs - a.savedUs)
    .slice(0, options.count)
    .map(({ line, savedUs }) => {
      const file = quoted(line.file);
      return {
        line: line.line,
        title: sourceTexts.couldSave(savingText(savedUs, savings.target)),
        target: {
          view: 'roofline',
          groupBy: 'line',
          filter: file === undefined ? '' : `path=${file} at=${line.recordedLine}`,
        },
      };
    });
}
