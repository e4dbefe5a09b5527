// A change as it is told everywhere: a shape, a word, a sign, and only then a color.
import { sharedTexts } from '#shared/common_texts.ts';
import { minus, quantity, type Unit } from '#shared/numbers.ts';
import { isAboutEqual } from '../../lib/differences.ts';
import { comparisonTexts } from './texts.ts';

export type Status = 'both' | 'new' | 'gone' | 'replaced';
export type Mood = 'worse' | 'better' | 'plain';

/** Whether more of it is worse: of time and of memory it is, of other figures nobody knows. */
export function moodOf(delta: number, unit: Unit): Mood {
  if (delta === 0 || !['us', 'ns', 'bytes'].includes(unit)) return 'plain';
  return delta > 0 ? 'worse' : 'better';
}

const shapes: Record<string, string> = {
  new: '+',
  gone: '\u2212',
  replaced: '\u21c4',
  moved: '\u2195',
  up: '\u25b2',
  down: '\u25bc',
  same: '=',
  noise: '\u2248',
};

const statusWords = {
  new: comparisonTexts.new,
  gone: comparisonTexts.gone,
  replaced: comparisonTexts.replaced,
};

export interface Change {
  /** Set where the other side has nothing, or something else, in its place. */
  status?: keyof typeof statusWords;
  shape: string;
  word: string;
  mood: Mood;
}

/**
 * What became of something: where it is, else how its `delta` is called. `beyondNoise` is not known of
 * what was measured once; then `sides`, the two times in microseconds, tell whether they differ at all.
 */
export function changeOf(
  status: string,
  delta: number | null,
  unit: Unit,
  beyondNoise?: boolean | null,
  sides?: readonly (number | null | undefined)[],
): Change {
  const mood = moodOf(delta ?? 0, unit);
  if (status === 'new' || status === 'gone' || status === 'replaced') {
    return { status, shape: shapes[status]!, word: statusWords[status], mood };
  }
  if (delta === null) return { shape: '', word: '', mood: 'plain' };
  if (delta === 0) return { shape: shapes.same!, word: comparisonTexts.same, mood };
  if (beyondNoise === false)
    return { shape: shapes.noise!, word: comparisonTexts.withinNoise, mood: 'plain' };
  if (unit === 'us' && beyondNoise !== true && sides !== undefined && isAboutEqual(delta, sides))
    return { shape: shapes.noise!, word: comparisonTexts.aboutEqual, mood: 'plain' };
  const time = unit === 'us' || unit === 'ns';
  return delta > 0
    ? { shape: shapes.up!, word: time ? sharedTexts.slower : comparisonTexts.more, mood }
    : { shape: shapes.down!, word: time ? sharedTexts.faster : comparisonTexts.less, mood };
}

export const movedChange: Change = {
  shape: shapes.moved!,
  word: comparisonTexts.moved,
  mood: 'plain',
};

export function ChangeMark(props: { change: Change; title?: string }) {
  const { shape, word, mood } = props.change;
  return (
    <span class={`change ${mood}`} title={props.title}>
      <span class="change-shape" aria-hidden="true">
        {shape}
      </span>
      {word}
    </span>
  );
}

/** A difference with its sign: "+13.9 ms". */
export function signed(delta: number | null | undefined, unit: Unit): string {
  const text = quantity(delta, unit);
  if (unit === 'ratio' && typeof delta === 'number') {
    return comparisonTexts.points(delta > 0 ? '+' : delta < 0 ? minus : '', Math.abs(delta) * 100);
  }
  return typeof delta === 'number' && delta > 0 && !text.startsWith('<') ? `+${text}` : text;
}
