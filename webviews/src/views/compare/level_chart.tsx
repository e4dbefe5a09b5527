// One level of the aligned execution, drawn: a row per part with the bars of both sides, their running
// sums, and the difference with its own.
import { useId, useRef } from 'preact/hooks';
import type { SideName } from '#shared/comparison.ts';
import { axisScale, fixed, type Scale } from '#shared/numbers.ts';
import { chartColors } from '../../lib/colors.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { axisTicks } from '../../widgets/stacked_bars.tsx';
import { useOwnWidth } from '../../widgets/width.ts';
import { signed } from './change.tsx';
import { elsewhereText, kindText, marksOf, type Part } from './level.ts';
import { comparisonTexts } from './texts.ts';

export const sideColors: Record<SideName, string> = {
  baseline: chartColors.blue,
  candidate: chartColors.orange,
};

const rowPx = 30;
const barPx = 9;
const headPx = 46;
const gapPx = 34;
const deltaTextPx = 76;

/** What is told of a part when it is pointed at, a line each. */
export function describe(part: Part): string[] {
  const kind = kindText(part);
  return [
    `${visible(part.name)}${kind === '' ? '' : ` (${kind})`}`,
    comparisonTexts.bothTake(part.baseline, part.candidate),
    comparisonTexts.differenceOf(signed(part.delta, 'us'), part.change.word),
    ...(part.moved ? [comparisonTexts.movedHint] : []),
    ...(part.change.status === 'replaced'
      ? [elsewhereText(part) ?? comparisonTexts.replacedHint]
      : []),
    comparisonTexts.soFar(
      part.sums.baseline,
      part.sums.candidate,
      signed(part.sums.candidate - part.sums.baseline, 'us'),
    ),
    ...(part.position !== undefined ? [comparisonTexts.clickToLookInside] : []),
    ...(part.items > 1 ? [comparisonTexts.clickToShowEach] : []),
  ];
}

/** A name with its middle cut out, so that it is no longer than `letters`. */
function cut(name: string, letters: number): string {
  if (name.length <= letters) return name;
  const tail = Math.ceil(letters * 0.6);
  return `${name.slice(0, Math.max(1, letters - tail - 1))}\u2026${name.slice(-tail)}`;
}

interface Plot {
  x: (value: number) => number;
  ticks: readonly number[];
  scale: Scale;
  left: number;
  width: number;
}

function plotOf(left: number, width: number, from: number, to: number, marks: number): Plot {
  // Fewer marks where their numbers would touch.
  let ticks = axisTicks(Math.max(to, -from));
  const room = Math.max(2, Math.floor(width / 52)) * (from < 0 ? 0.5 : 1);
  while (ticks.length > Math.max(2, Math.min(marks, room) + 1)) {
    const step = 2 * (ticks[1]! - ticks[0]!);
    ticks = axisTicks(Math.max(to, -from)).filter((tick) => Math.abs(tick % step) < step / 1000);
    if (ticks.length <= 2) break;
    if (ticks.length > Math.max(2, Math.min(marks, room) + 1)) ticks = [ticks[0]!, ticks.at(-1)!];
  }
  const ceiling = Math.max(axisTicks(Math.max(to, -from)).at(-1)!, 1e-9);
  const low = from < 0 ? -ceiling : 0;
  const both =
    from < 0 ? [...ticks.filter((tick) => tick > 0).map((tick) => -tick), ...ticks] : ticks;
  return {
    x: (value) => left + (width * (value - low)) / (ceiling - low),
    ticks: [...both].sort((a, b) => a - b),
    scale: axisScale('us', ceiling),
    left,
    width,
  };
}

/** Between two plots, where a title may end. */
const titleGapPx = 12;
const titleLetterPx = 6.6;

/** `short` stands for the title where that has no room. */
function Axis(props: {
  plot: Plot;
  title: string;
  short?: string;
  bottom: number;
  signs?: boolean;
}) {
  const { plot } = props;
  const withUnit = (title: string): string => `${title} (${plot.scale.suffix})`;
  const whole = withUnit(props.title);
  const fits = whole.length * titleLetterPx <= plot.width + titleGapPx;
  const digits =
    [0, 1].find((count) =>
      plot.ticks.every((tick) => {
        const value = (tick / plot.scale.divisor) * 10 ** count;
        return Math.abs(value - Math.round(value)) < 1e-6;
      }),
    ) ?? 2;
  return (
    <>
      <text class="axis-title" x={plot.left} y={14}>
        {fits ? whole : withUnit(props.short ?? props.title)}
      </text>
      {plot.ticks.map((tick) => (
        <g key={tick}>
          <line
            class={tick === 0 ? 'zero-line' : 'grid-line'}
            x1={plot.x(tick)}
            x2={plot.x(tick)}
            y1={headPx - 8}
            y2={props.bottom}
          />
          <text class="axis-text" x={plot.x(tick)} y={headPx - 12} text-anchor="middle">
            {`${props.signs === true && tick > 0 ? '+' : ''}${fixed(tick / plot.scale.divisor, digits)}`}
          </text>
        </g>
      ))}
    </>
  );
}

/** Running sums as a line down the rows. */
function Sums(props: { plot: Plot; values: readonly number[]; class: string }) {
  const points = [0, ...props.values].map((value, index) => {
    const y = index === 0 ? headPx : headPx + (index - 0.5) * rowPx;
    return `${props.plot.x(value).toFixed(1)},${y}`;
  });
  return <polyline class={`sum-line ${props.class}`} points={points.join(' ')} />;
}

export function LevelChart(props: {
  label: string;
  parts: readonly Part[];
  active: number;
  onActive: (index: number) => void;
  onOpen: (part: Part) => void;
  onLeave: () => void;
}) {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const width = useOwnWidth(frame, 540);
  const { parts, active } = props;
  const shown = parts[active];
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = parts.length - 1;
    const next = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: last }[event.key];
    if (next !== undefined) props.onActive(Math.max(0, Math.min(last, next)));
    else if ((event.key === 'Enter' || event.key === ' ') && shown !== undefined) {
      props.onOpen(shown);
    } else if (event.key === 'Backspace' || event.key === 'Escape') props.onLeave();
    else return;
    event.preventDefault();
    if (next === undefined) return;
    frame.current
      ?.querySelectorAll('.level-row')
      [Math.max(0, Math.min(last, next))]?.scrollIntoView({ block: 'nearest' });
  };
  const height = headPx + rowPx * parts.length + 6;
  const namePx = Math.min(330, Math.max(130, width * 0.27));
  const room = width - namePx - 3 * gapPx - deltaTextPx - 12;
  const [timePx, sumPx, deltaPx] = [room * 0.4, room * 0.26, room * 0.34];
  const most = (of: (part: Part) => number): number =>
    parts.reduce((size, part) => Math.max(size, of(part)), 0);
  const sumsOf = (of: (part: Part) => number): number[] => parts.map(of);
  const time = plotOf(
    namePx + gapPx,
    timePx,
    0,
    most((part) => Math.max(part.baseline ?? 0, part.candidate ?? 0)),
    5,
  );
  const sum = plotOf(
    time.left + timePx + gapPx,
    sumPx,
    0,
    most((part) => Math.max(part.sums.baseline, part.sums.candidate)),
    3,
  );
  const deltaSums = sumsOf((part) => part.sums.candidate - part.sums.baseline);
  const size = Math.max(
    most((part) => Math.abs(part.delta)),
    ...deltaSums.map(Math.abs),
  );
  const delta = plotOf(sum.left + sumPx + gapPx, deltaPx, -size, size, 3);
  const letters = Math.floor((namePx - 12) / 6.6);
  return (
    <div class="bars level" ref={frame}>
      <div
        class="bars-scroll"
        role="listbox"
        aria-label={comparisonTexts.levelChartLabel(props.label)}
        aria-activedescendant={shown === undefined ? undefined : `${id}-${active}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        {width === 0 ? null : (
          <svg
            class="chart"
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            role="presentation"
          >
            <text class="axis-title" x={4} y={14} aria-hidden="true">
              {comparisonTexts.partInOrder}
            </text>
            {parts.map((part, index) => {
              const top = headPx + index * rowPx;
              const marks = marksOf(part);
              const word = marks.map(({ shape, word }) => `${shape} ${word}`).join('  ');
              const nameLetters = Math.max(8, letters - (word === '' ? 0 : word.length + 2));
              const opens = part.position !== undefined || part.items > 1;
              const bar = (side: SideName, y: number) =>
                part[side] === null || part[side] === 0 ? null : (
                  <rect
                    class={`level-bar ${side} ${part.items === 0 ? 'between' : ''}`}
                    x={time.x(0)}
                    y={y}
                    width={Math.max(1, time.x(part[side]) - time.x(0))}
                    height={barPx}
                    fill={sideColors[side]}
                  />
                );
              const [zero, end] = [delta.x(0), delta.x(part.delta)];
              return (
                <g
                  key={index}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  class={`bar-group level-row ${index === active ? 'hot' : ''} ${opens ? 'opens' : ''}`}
                  onPointerEnter={() => props.onActive(index)}
                  onClick={() => props.onOpen(part)}
                >
                  <title>{describe(part).join('\n')}</title>
                  <rect class="bar-hit" x={0} y={top} width={width} height={rowPx} />
                  <text class={`level-name ${part.items === 1 ? '' : 'quiet'}`} x={4} y={top + 19}>
                    {`${opens ? '\u203a ' : '  '}${cut(visible(part.name), nameLetters)}`}
                  </text>
                  {word === '' ? null : (
                    <text
                      class={`level-mark ${part.change.mood}`}
                      x={namePx}
                      y={top + 19}
                      text-anchor="end"
                    >
                      {word}
                    </text>
                  )}
                  {bar('baseline', top + 5)}
                  {bar('candidate', top + 5 + barPx + 1)}
                  {part.delta === 0 ? null : (
                    <rect
                      class={`delta-fill ${part.change.mood}`}
                      x={Math.min(zero, end)}
                      y={top + 9}
                      width={Math.max(1, Math.abs(end - zero))}
                      height={rowPx - 18}
                    />
                  )}
                  <text
                    class={`level-delta ${part.change.mood}`}
                    x={delta.left + deltaPx + deltaTextPx + 8}
                    y={top + 19}
                    text-anchor="end"
                  >
                    {signed(part.delta, 'us')}
                  </text>
                </g>
              );
            })}
            <g class="level-frame" aria-hidden="true">
              <Axis plot={time} title={commonTexts.time} bottom={height - 6} />
              <Axis
                plot={sum}
                title={comparisonTexts.accumulated}
                short={commonTexts.sum}
                bottom={height - 6}
              />
              <Axis plot={delta} title={comparisonTexts.difference} bottom={height - 6} signs />
              <Sums plot={sum} class="baseline" values={sumsOf((part) => part.sums.baseline)} />
              <Sums plot={sum} class="candidate" values={sumsOf((part) => part.sums.candidate)} />
              <Sums plot={delta} class="difference" values={deltaSums} />
            </g>
          </svg>
        )}
      </div>
    </div>
  );
}

/** What the bars and lines are. */
export function LevelLegend() {
  const line = (kind: string) => (
    <svg class="swatch wide" viewBox="0 0 20 10" aria-hidden="true">
      <polyline class={`sum-line ${kind}`} points="0,5 20,5" />
    </svg>
  );
  const bar = (side: SideName) => (
    <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
      <rect class={`level-bar ${side}`} width="10" height="10" fill={sideColors[side]} />
    </svg>
  );
  const items = [
    {
      title: comparisonTexts.baselineLegend,
      mark: [bar('baseline'), line('baseline')],
    },
    {
      title: comparisonTexts.candidateLegend,
      mark: [bar('candidate'), line('candidate')],
    },
    { title: comparisonTexts.accumulatedDifference, mark: [line('difference')] },
  ];
  return (
    <ul class="legend inline">
      {items.map(({ title, mark }) => (
        <li key={title}>
          <span class="legend-item">
            {mark}
            <span class="legend-name">{title}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
