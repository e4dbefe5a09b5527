// Operations per second over operations per byte, both logarithmic, below the roofs of the device.
import { useMemo, useRef, useState } from 'preact/hooks';
import { chartColors } from '../../lib/colors.ts';
import { Axes } from '../../widgets/axes.tsx';
import { PointFrame } from '../../widgets/point_frame.tsx';
import { LinesTooltip } from '../../widgets/tooltip.tsx';
import { useOwnWidth } from '../../widgets/width.ts';
import { labelPlaces, type LabelledLine } from './labels.ts';
import {
  decades,
  marks,
  powerText,
  type BandwidthLine,
  type Limit,
  type PeakLine,
  type RoofPoint,
} from './points.ts';
import { rooflineTexts } from './texts.ts';

const margin = { top: 14, right: 16, bottom: 42, left: 66 };

export const limits: Record<Limit, { title: string; color: string }> = {
  operations: { title: rooflineTexts.limitedByOperations, color: chartColors.blue },
  memory: { title: rooflineTexts.limitedByMemory, color: chartColors.orange },
  unknown: { title: rooflineTexts.noRoofKnown, color: 'var(--muted)' },
};

/** Areas are as times; the smallest can still be hit. */
function radius(point: RoofPoint, longest: number): number {
  return Math.max(3.5, 15 * Math.sqrt(longest > 0 ? point.timeUs / longest : 0));
}

/** Circles and, for those who cannot tell colors apart, squares and diamonds. */
export function Mark(props: { limit: Limit; x: number; y: number; r: number }) {
  const { limit, x, y, r } = props;
  const look = { class: 'roof-mark', style: { color: limits[limit].color } };
  if (limit === 'operations') {
    return <rect {...look} x={x - r * 0.88} y={y - r * 0.88} width={r * 1.76} height={r * 1.76} />;
  }
  if (limit === 'memory') return <circle {...look} cx={x} cy={y} r={r} />;
  const d = r * 1.25;
  return <path {...look} d={`M${x} ${y - d}l${d} ${d}l${-d} ${d}l${-d} ${-d}z`} />;
}

export interface RoofChartProps {
  label: string;
  /** Longest first. */
  points: readonly RoofPoint[];
  peaks: readonly PeakLine[];
  bandwidths: readonly BandwidthLine[];
  /** What the pointer shows; the first is the title. */
  words: (point: RoofPoint) => string[];
  picked: RoofPoint | undefined;
  /** In pixels. */
  height: number;
  onPick: (point: RoofPoint) => void;
}

/** What a point's mark covers: marks at the edge of the chart must not lie over it. */
const around = (value: number): number[] => [value / 1.6, value * 1.6];

/** The scales of a chart that is so wide. */
function scalesOf(props: RoofChartProps, width: number) {
  const { points, peaks, bandwidths, height } = props;
  const ridges = peaks.flatMap(({ flopsPerS }) =>
    bandwidths.map(({ bytesPerS }) => flopsPerS / bytesPerS),
  );
  const xs = decades([...points.flatMap(({ x }) => around(x)), ...ridges]);
  const ys = decades([
    ...points.flatMap(({ y }) => around(y)),
    ...peaks.map((peak) => peak.flopsPerS * 1.6),
  ]);
  const inner = Math.max(1, width - margin.left - margin.right);
  const down = height - margin.top - margin.bottom;
  return {
    xs,
    ys,
    inner,
    down,
    x: (value: number) => margin.left + (inner * (Math.log10(value) - xs.from)) / (xs.to - xs.from),
    y: (value: number) =>
      margin.top + down * (1 - (Math.log10(value) - ys.from) / (ys.to - ys.from)),
  };
}
type Scales = ReturnType<typeof scalesOf>;

/** The lines of the roofs in pixels: those of bytes up to the highest peak, those of peaks from the first slope. */
function roofsOf(
  { xs, ys, x, y }: Scales,
  right: number,
  peaks: readonly PeakLine[],
  bandwidths: readonly BandwidthLine[],
): LabelledLine[] {
  const top = peaks.length > 0 ? Math.max(...peaks.map((peak) => peak.flopsPerS)) : 10 ** ys.to;
  const fastest = Math.max(...bandwidths.map(({ bytesPerS }) => bytesPerS), 0);
  const level = peaks.map(({ label, short, flopsPerS }) => ({
    label,
    short,
    x1: x(Math.max(10 ** xs.from, fastest > 0 ? flopsPerS / fastest : 0)),
    y1: y(flopsPerS),
    x2: right,
    y2: y(flopsPerS),
  }));
  const slopes = bandwidths.map(({ label, short, bytesPerS }) => {
    const from = Math.max(10 ** xs.from, 10 ** ys.from / bytesPerS);
    const to = Math.min(10 ** xs.to, top / bytesPerS);
    const [y1, y2] = [y(from * bytesPerS), y(to * bytesPerS)];
    return { label, short, x1: x(from), y1, x2: x(to), y2 };
  });
  return [...level, ...slopes.filter(({ x1, x2 }) => x2 > x1)];
}

/** The roofs of a chart that is so wide, and where their labels stand. */
function useRoofs(chart: RoofChartProps, width: number) {
  const { points, peaks, bandwidths, height } = chart;
  return useMemo(() => {
    const scales = scalesOf(chart, width);
    const longest = points[0]?.timeUs ?? 0;
    const discs = points.map((point) => ({
      x: scales.x(point.x),
      y: scales.y(point.y),
      r: radius(point, longest),
    }));
    const roofs = roofsOf(scales, width - margin.right, peaks, bandwidths);
    return { lines: roofs, places: labelPlaces(roofs, discs, margin.left) };
  }, [points, peaks, bandwidths, height, width]);
}

/** Below the points: what the pointer meets of a roof, so that one without room for its label has a name. */
function RoofNames({ lines }: { lines: readonly LabelledLine[] }) {
  return (
    <>
      {lines.map(({ label, x1, y1, x2, y2 }) => (
        <line key={label} class="roof-reach" x1={x1} y1={y1} x2={x2} y2={y2}>
          <title>{label}</title>
        </line>
      ))}
    </>
  );
}

/** Lines above the points, which stay within reach of the pointer, and labels above all. */
function Roofs({ lines, places }: ReturnType<typeof useRoofs>) {
  return (
    <>
      {lines.map(({ label, x1, y1, x2, y2 }) => (
        <line key={label} class="roof-line" x1={x1} y1={y1} x2={x2} y2={y2} />
      ))}
      {places.map((place, index) =>
        place === undefined ? null : (
          <text
            key={lines[index]!.label}
            class="roof-text"
            transform={`translate(${place.x} ${place.y}) rotate(${place.angle})`}
            x={place.width}
            text-anchor="end"
          >
            {place.text}
          </text>
        ),
      )}
    </>
  );
}

export function RoofChart(props: RoofChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useOwnWidth(frame, 280);
  const [hot, setHot] = useState<RoofPoint | undefined>(undefined);
  const last = useRef<RoofPoint | undefined>(undefined);
  const { points, height } = props;
  // Points of an earlier answer are gone.
  const shown = hot !== undefined && points.includes(hot) ? hot : undefined;
  const scales = scalesOf(props, Math.max(1, width));
  const roofs = useRoofs(props, Math.max(1, width));
  const longest = points[0]?.timeUs ?? 0;
  const show = (point: RoofPoint | undefined): void => {
    last.current = point ?? last.current;
    setHot(point);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.key === 'Enter' || event.key === ' ') && shown !== undefined) {
      event.preventDefault();
      props.onPick(shown);
      return;
    }
    // From the longest to the shortest.
    const at = Math.max(0, points.indexOf(last.current ?? points[0]!));
    const next = {
      ArrowRight: shown === undefined ? at : at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: points.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    show(points[Math.max(0, Math.min(points.length - 1, next))]);
  };
  const words = shown === undefined ? [] : props.words(shown);
  return (
    <div class="bars" ref={frame}>
      <PointFrame
        class="roof-chart"
        label={rooflineTexts.chartLabel(props.label, words.join('. '))}
        width={width}
        height={height}
        onKeyDown={onKeyDown}
        onReach={() => show(last.current ?? points[0])}
        onLeave={() => setHot(undefined)}
      >
        <Axes
          plot={{ width, height, margin }}
          xs={marks(scales.xs, scales.inner / 60).map((power) => ({
            px: scales.x(10 ** power),
            text: powerText(power),
          }))}
          ys={marks(scales.ys, scales.down / 35).map((power) => ({
            px: scales.y(10 ** power),
            text: powerText(power),
          }))}
          xTitle={rooflineTexts.flopPerByte}
          yTitle={rooflineTexts.flopPerS}
        />
        <RoofNames lines={roofs.lines} />
        {points.map((point, index) => (
          <g
            key={index}
            class={`roof-point ${point === shown || point === props.picked ? 'hot' : ''}`}
            onPointerEnter={() => show(point)}
            onClick={() => props.onPick(point)}
          >
            <Mark
              limit={point.limit}
              x={scales.x(point.x)}
              y={scales.y(point.y)}
              r={radius(point, longest)}
            />
          </g>
        ))}
        <Roofs {...roofs} />
      </PointFrame>
      {shown === undefined ? null : (
        <LinesTooltip x={scales.x(shown.x)} y={scales.y(shown.y)} width={width} lines={words} />
      )}
    </div>
  );
}
