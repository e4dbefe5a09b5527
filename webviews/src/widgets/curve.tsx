// Curves over time: steps between points, drag to zoom, right click or Escape to see everything.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { axisScale, fixed, quantity, type Unit } from '#shared/numbers.ts';
import { axisMarks } from '../lib/format.ts';
import { commonTexts } from '../lib/texts.ts';
import { widgetTexts } from './texts.ts';
import { resolveColor, themeSerial } from './theme.ts';

/** Distances of axis marks: 1, 2, 5 and their multiples of ten. */
const roundSteps = [-2, -1, 0, 1, 2, 3, 4, 5].flatMap((power) =>
  [1, 2, 5].map((factor) => factor * 10 ** power),
);

export interface CurveSeries {
  title: string;
  color: string;
  dashed?: boolean;
  /** One value per point of `x`; null where there is none. */
  values: readonly (number | null)[];
}

export interface CurveRange {
  from: number;
  to: number;
}

/** Pixels: the table below stays in sight. */
const curveHeight = 140;

export function Curve(props: {
  label: string;
  xTitle: string;
  xUnit: Unit;
  yTitle: string;
  yUnit: Unit;
  x: readonly number[];
  series: readonly CurveSeries[];
  range: CurveRange | undefined;
  onRange: (range: CurveRange | undefined) => void;
  frame: RefObject<HTMLDivElement | null>;
  stepped?: boolean;
  /** Where zooming out ends, when the points do not reach that far. */
  full?: CurveRange;
}) {
  const plot = useRef<uPlot>(undefined);
  const onRange = useRef(props.onRange);
  onRange.current = props.onRange;
  // The range as the page knows it: setting the plot to it must not be told as news.
  const shown = useRef(props.range);
  shown.current = props.range;
  const theme = themeSerial.value;
  const first = props.x[0] ?? 0;
  const last = props.x[props.x.length - 1] ?? 0;

  useLayoutEffect(() => {
    const element = props.frame.current;
    if (element === null) return undefined;
    const text = resolveColor('var(--vscode-foreground)');
    const grid = resolveColor('color-mix(in srgb, var(--vscode-foreground) 16%, transparent)');
    const family = getComputedStyle(document.body).fontFamily;
    let largest = 0;
    for (const series of props.series) {
      for (const value of series.values) largest = Math.max(largest, value ?? 0);
    }
    const yScale = axisScale(props.yUnit, largest);
    const span = Math.max(1, last - first);
    const xScale = axisScale(props.xUnit, span);
    const paths = props.stepped === true ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
    const axis = {
      stroke: text,
      font: `11px ${family}`,
      labelFont: `11px ${family}`,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: grid, width: 1 },
    };
    let ready = false;
    const made = new uPlot(
      {
        width: Math.max(200, element.clientWidth),
        height: curveHeight,
        cursor: { drag: { x: true, y: false, setScale: true }, focus: { prox: 24 } },
        scales: { x: { time: false }, y: { range: (_plot, _min, max) => [0, (max || 1) * 1.05] } },
        legend: { show: true, live: true },
        axes: [
          {
            ...axis,
            size: 28,
            // Marks of a small part have more decimals.
            space: (_plot, _axis, min, max) => (max - min < xScale.divisor / 100 ? 104 : 64),
            // With the unit: a title below would take a row of the table.
            values: (_plot, ticks, _axis, _space, step) => axisMarks(ticks, step, xScale),
          },
          {
            ...axis,
            size: 62,
            labelSize: 18,
            label: `${props.yTitle}${yScale.suffix === '' ? '' : ` (${yScale.suffix})`}`,
            incrs: roundSteps.map((step) => step * yScale.divisor),
            values: (_plot, ticks, _axis, _space, step) => {
              const digits = step >= yScale.divisor ? 0 : step * 10 >= yScale.divisor ? 1 : 2;
              return ticks.map((tick) => fixed(tick / yScale.divisor, digits));
            },
          },
        ],
        series: [
          {
            label: props.xTitle,
            value: (_plot, value: number | null) =>
              value === null ? '\u2013' : quantity(value, props.xUnit),
          },
          ...props.series.map((series) => ({
            label: series.title,
            stroke: resolveColor(series.color),
            width: 1.5,
            ...(series.dashed === true ? { dash: [6, 4] } : {}),
            ...(paths === undefined ? {} : { paths }),
            points: { show: false },
            value: (_plot: uPlot, value: number | null) =>
              value === null ? '\u2013' : quantity(value, props.yUnit),
          })),
        ],
        hooks: {
          // Without a place that is pointed at, the legend names the curves alone.
          setLegend: [
            (self) => element.classList.toggle('pointed', typeof self.cursor.idx === 'number'),
          ],
          setScale: [
            (self, key) => {
              if (key !== 'x' || !ready) return;
              const { min, max } = self.scales.x ?? {};
              if (min === null || min === undefined || max === null || max === undefined) return;
              const known = shown.current;
              if (known !== undefined && known.from === min && known.to === max) return;
              if (known === undefined && min <= first && max >= last) return;
              onRange.current({ from: min, to: max });
            },
          ],
        },
      },
      [[...props.x], ...props.series.map((series) => [...series.values])] as uPlot.AlignedData,
      element,
    );
    plot.current = made;
    if (props.range !== undefined)
      made.setScale('x', { min: props.range.from, max: props.range.to });
    // uPlot runs the scale's hook for the first drawing too, which is no zoom of the user's.
    queueMicrotask(() => {
      ready = true;
    });
    const observer = new ResizeObserver(() => {
      made.setSize({ width: Math.max(200, element.clientWidth), height: curveHeight });
    });
    observer.observe(element);
    return () => {
      ready = false;
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [props.x, props.series, theme]);

  const from = props.range?.from;
  const to = props.range?.to;
  useLayoutEffect(() => {
    const made = plot.current;
    if (made === undefined) return;
    const min = from ?? first;
    const max = to ?? last;
    if (made.scales.x?.min !== min || made.scales.x?.max !== max) made.setScale('x', { min, max });
  }, [from, to]);

  const reset = (): void => props.onRange(undefined);
  const zoom = (factor: number, shift: number): void => {
    const full = props.full ?? { from: first, to: last };
    const range = props.range ?? full;
    const width = Math.min(full.to - full.from, (range.to - range.from) * factor);
    const middle = (range.from + range.to) / 2 + shift * (range.to - range.from);
    const start = Math.max(full.from, Math.min(full.to - width, middle - width / 2));
    const whole = width >= full.to - full.from;
    props.onRange(whole ? undefined : { from: start, to: start + width });
  };
  return (
    <div
      ref={props.frame}
      class="curve"
      role="application"
      aria-roledescription={commonTexts.chartRole}
      aria-label={widgetTexts.curveLabel(props.label)}
      tabIndex={0}
      onContextMenu={(event) => {
        event.preventDefault();
        reset();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' || event.key === '0') reset();
        else if (event.key === '+' || event.key === '=') zoom(0.5, 0);
        else if (event.key === '-') zoom(2, 0);
        else if (event.key === 'ArrowLeft') zoom(1, -0.25);
        else if (event.key === 'ArrowRight') zoom(1, 0.25);
        else return;
        event.preventDefault();
      }}
    />
  );
}
