// One stacked bar per step, drawn from the bottom; many steps scroll sideways.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { axisScale, fixed, quantity, share, type Unit } from '#shared/numbers.ts';
import { commonTexts } from '../lib/texts.ts';
import { Axes } from './axes.tsx';
import { widgetTexts } from './texts.ts';
import { useOwnWidth } from './width.ts';

export interface BarPart {
  title: string;
  color: string;
}

export interface Bar {
  name: string;
  total: number;
  values: readonly number[];
  note?: string;
}

/** Round numbers from 0 to the first that is not below `largest`, about four steps. */
export function axisTicks(largest: number): number[] {
  if (largest <= 0) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(largest / 4));
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= largest / 4.5) ??
    10 * power;
  const count = Math.ceil((largest * 0.999999) / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Whether a number needs no more than `digits` decimals. */
function isRound(value: number, digits: number): boolean {
  const scaled = value * 10 ** digits;
  return Math.abs(scaled - Math.round(scaled)) < 1e-6;
}

/** A round number of bars from label to label. */
export function roundStep(least: number): number {
  for (let power = 1; ; power *= 10) {
    const step = [1, 2, 5].map((factor) => factor * power).find((one) => one >= least);
    if (step !== undefined) return step;
  }
}

const margin = { top: 10, bottom: 40, right: 8 };

export function StackedBars(props: {
  label: string;
  xTitle: string;
  yTitle: string;
  unit: Unit;
  parts: readonly BarPart[];
  bars: readonly Bar[];
  /** Room for a bar at least, in pixels: more of them than fit scroll. */
  leastRoom?: number;
  /** In pixels. */
  height?: number;
  onPick?: (name: string) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useOwnWidth(frame, 240);
  const [active, setActive] = useState(0);
  const [tip, setTip] = useState<number | undefined>(undefined);
  const { bars, parts, height = 210 } = props;
  const ticks = axisTicks(bars.reduce((most, bar) => Math.max(most, bar.total), 0));
  const ceiling = ticks[ticks.length - 1]!;
  const scale = axisScale(props.unit, ceiling);
  const digits =
    [0, 1].find((count) => ticks.every((tick) => isRound(tick / scale.divisor, count))) ?? 2;
  const tickText = (tick: number): string => fixed(tick / scale.divisor, digits);
  // Room for the axis' title and its longest number.
  const plot = {
    ...margin,
    left: 30 + ticks.reduce((most, tick) => Math.max(most, tickText(tick).length), 0) * 7,
  };
  const slot = Math.max(
    props.leastRoom ?? 14,
    (width - plot.left - plot.right) / Math.max(1, bars.length),
  );
  const drawn = plot.left + plot.right + slot * bars.length;
  const inner = height - plot.top - plot.bottom;
  const y = (value: number): number => plot.top + inner * (1 - value / ceiling);
  const barWidth = slot < 6 ? slot : Math.min(56, slot * 0.72);
  const every = roundStep(44 / slot);
  const describe = (bar: Bar): string =>
    [
      `${props.xTitle} ${bar.name}${bar.note === undefined ? '' : ` (${bar.note})`}: ${quantity(bar.total, props.unit)}`,
      ...parts
        .map((part, index) => ({ part, value: bar.values[index] ?? 0 }))
        .filter(({ value }) => value > 0)
        .map(
          ({ part, value }) =>
            `${part.title} ${quantity(value, props.unit)}, ${share(value, bar.total)}`,
        ),
    ].join('\n');
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = {
      ArrowRight: active + 1,
      ArrowLeft: active - 1,
      Home: 0,
      End: bars.length - 1,
    }[event.key];
    if (next !== undefined) {
      const index = Math.max(0, Math.min(bars.length - 1, next));
      setActive(index);
      setTip(index);
      event.preventDefault();
    } else if ((event.key === 'Enter' || event.key === ' ') && props.onPick !== undefined) {
      props.onPick(bars[active]!.name);
      event.preventDefault();
    }
  };
  const shown = tip === undefined ? undefined : bars[tip];
  return (
    <div class="bars" ref={frame}>
      <div
        class="bars-scroll"
        role="application"
        aria-roledescription={commonTexts.chartRole}
        aria-label={widgetTexts.barsLabel(props.label, shown === undefined ? '' : describe(shown))}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => setTip(active)}
        onBlur={() => setTip(undefined)}
        onPointerLeave={() => setTip(undefined)}
      >
        <svg
          class={`chart ${slot < 6 ? 'dense' : ''}`}
          width={drawn}
          height={height}
          viewBox={`0 0 ${drawn} ${height}`}
          aria-hidden="true"
        >
          <Axes
            plot={{ width: drawn, height, margin: plot }}
            ys={ticks.map((tick) => ({ px: y(tick), text: tickText(tick) }))}
            xTitle={props.xTitle}
            yTitle={`${props.yTitle} (${scale.suffix})`}
          />
          {bars.map((bar, index) => {
            const x = plot.left + slot * index + (slot - barWidth) / 2;
            let sum = 0;
            return (
              <g
                key={index}
                class={`bar-group ${tip === index ? 'hot' : ''}`}
                onPointerEnter={() => setTip(index)}
                onClick={() => props.onPick?.(bar.name)}
              >
                <rect
                  class="bar-hit"
                  x={plot.left + slot * index}
                  y={plot.top}
                  width={slot}
                  height={inner}
                />
                {parts.map((part, at) => {
                  const value = bar.values[at] ?? 0;
                  if (value <= 0) return null;
                  sum += value;
                  return (
                    <rect
                      key={at}
                      class="bar-part"
                      x={x}
                      y={y(sum)}
                      width={barWidth}
                      height={Math.max(0, y(sum - value) - y(sum))}
                      fill={part.color}
                    />
                  );
                })}
                {index % every === 0 ? (
                  <text
                    class="axis-text"
                    x={x + barWidth / 2}
                    y={height - plot.bottom + 15}
                    text-anchor="middle"
                  >
                    {bar.note === undefined ? bar.name : `${bar.name}*`}
                  </text>
                ) : null}
              </g>
            );
          })}
        </svg>
      </div>
      {shown === undefined ? null : (
        <div
          class={`tooltip ${tip !== undefined && tip >= bars.length / 2 ? 'at-left' : ''}`}
          role="presentation"
        >
          {describe(shown)
            .split('\n')
            .map((line, index) => (
              <div key={index} class={index === 0 ? 'tooltip-title' : ''}>
                {line}
              </div>
            ))}
        </div>
      )}
    </div>
  );
}

export function Legend(props: {
  /** `mark`: where color is not all that tells the parts apart, in a box of 10 by 10. */
  parts: readonly (BarPart & { definition?: string; mark?: ComponentChildren })[];
}) {
  return (
    <ul class="legend inline">
      {props.parts.map((part) => (
        <li key={part.title} title={part.definition}>
          <span class="legend-item">
            <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
              {part.mark ?? <rect width="10" height="10" rx="2" fill={part.color} />}
            </svg>
            <span class="legend-name">{part.title}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
