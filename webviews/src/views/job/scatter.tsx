// Points over two logarithmic axes.
import { useRef, useState } from 'preact/hooks';
import type { Unit } from '#shared/numbers.ts';
import { tickText } from '../../lib/format.ts';
import { Axes } from '../../widgets/axes.tsx';
import { PointFrame } from '../../widgets/point_frame.tsx';
import { LinesTooltip } from '../../widgets/tooltip.tsx';
import { useOwnWidth } from '../../widgets/width.ts';
import { stripPx } from './strip.ts';
import { detailTexts } from './details/texts.ts';

export interface Point {
  x: number;
  y: number;
  color: string;
  /** Beside the color, for those who cannot tell colors apart. */
  shape: number;
  words: string[];
}

const height = stripPx;
const margin = { top: 8, right: 30, bottom: 36, left: 90 };
/** From mark to mark of the upright axis at least, in pixels. */
const leastMarkPx = 18;

/** Powers of `base` around the values; at most about `most` of them. */
export function logTicks(least: number, largest: number, base: number, most: number): number[] {
  const log = (value: number): number => Math.log(value) / Math.log(base);
  const first = Math.floor(log(least) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(log(largest) - 1e-9));
  const step = Math.max(1, Math.ceil((last - first) / most));
  const ticks: number[] = [];
  for (let power = first; power < last + step; power += step) ticks.push(base ** power);
  return ticks;
}

/** One of the shapes of points, `r` being half its size. */
export function Mark(props: { shape: number; x: number; y: number; color: string; r: number }) {
  const { shape, x, y, color, r } = props;
  const kinds = [
    <circle key="0" cx={x} cy={y} r={r} fill={color} />,
    <rect key="1" x={x - r} y={y - r} width={2 * r} height={2 * r} fill={color} />,
    <path key="2" d={`M${x} ${y - r - 1}l${r + 1} ${2 * r}h${-2 * r - 2}z`} fill={color} />,
    <path
      key="3"
      d={`M${x} ${y - r - 2}l${r + 2} ${r + 2}l${-r - 2} ${r + 2}l${-r - 2} ${-r - 2}z`}
      fill={color}
    />,
  ];
  return kinds[shape % kinds.length]!;
}

export function Scatter(props: {
  label: string;
  xTitle: string;
  xUnit: Unit;
  yTitle: string;
  yUnit: Unit;
  points: readonly Point[];
}) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useOwnWidth(frame, 240);
  const [hot, setHot] = useState<number | undefined>(undefined);
  const last = useRef(0);
  const { points } = props;
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const inner = Math.max(1, width - margin.left - margin.right);
  const xTicks = logTicks(Math.min(...xs), Math.max(...xs), 2, Math.max(2, inner / 90));
  const down = height - margin.top - margin.bottom;
  const yTicks = logTicks(Math.min(...ys), Math.max(...ys), 10, Math.floor(down / leastMarkPx));
  const place = (value: number, ticks: readonly number[]): number => {
    const [from, to] = [Math.log(ticks[0]!), Math.log(ticks[ticks.length - 1]!)];
    return (Math.log(value) - from) / (to - from);
  };
  const x = (value: number): number => margin.left + inner * place(value, xTicks);
  const y = (value: number): number => margin.top + down * (1 - place(value, yTicks));
  const shown = hot === undefined ? undefined : points[hot];
  const show = (index: number): void => {
    last.current = Math.max(0, Math.min(points.length - 1, index));
    setHot(last.current);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = {
      ArrowRight: last.current + 1,
      ArrowLeft: last.current - 1,
      Home: 0,
      End: points.length - 1,
    }[event.key];
    if (next === undefined) return;
    show(next);
    event.preventDefault();
  };
  return (
    <div class="bars" ref={frame}>
      <PointFrame
        class="scatter"
        label={detailTexts.scatterLabel(props.label, shown?.words.join('. ') ?? '')}
        width={width}
        height={height}
        onKeyDown={onKeyDown}
        onReach={() => show(last.current)}
        onLeave={() => setHot(undefined)}
      >
        <Axes
          plot={{ width, height, margin }}
          xs={xTicks.map((tick) => ({ px: x(tick), text: tickText(tick, props.xUnit) }))}
          ys={yTicks.map((tick) => ({ px: y(tick), text: tickText(tick, props.yUnit) }))}
          xTitle={props.xTitle}
          yTitle={props.yTitle}
        />
        {points.map((point, index) => (
          <g
            key={index}
            class={`scatter-point ${hot === index ? 'hot' : ''}`}
            onPointerEnter={() => show(index)}
          >
            <Mark shape={point.shape} x={x(point.x)} y={y(point.y)} color={point.color} r={5} />
          </g>
        ))}
      </PointFrame>
      {shown === undefined ? null : (
        <LinesTooltip x={x(shown.x)} y={y(shown.y)} width={width} lines={shown.words} />
      )}
    </div>
  );
}
