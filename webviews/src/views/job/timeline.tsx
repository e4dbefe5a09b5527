// The ranks one above the other on the common clock: their steps and collectives, transfer told from
// waiting. A click on a collective tells who came when.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { axisScale } from '#shared/numbers.ts';
import { useAnswer } from '../../host/query.ts';
import { viewState } from '../../host/view_state.ts';
import { chartColors } from '../../lib/colors.ts';
import { axisMarks } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { CanvasField, sharpContext } from '../../widgets/canvas_field.tsx';
import { ActionButton } from '../../widgets/controls.tsx';
import { Select } from '../../widgets/select.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { Legend } from '../../widgets/stacked_bars.tsx';
import { resolveColor, themeSerial } from '../../widgets/theme.ts';
import { LinesTooltip } from '../../widgets/tooltip.tsx';
import { useOwnWidth } from '../../widgets/width.ts';
import { CallMembers } from './call_members.tsx';
import { waitParts } from './colors.ts';
import { lanesOf, moved, zoomed, type Box, type Lane, type Range } from './lanes.ts';
import { useJob } from './overview.tsx';
import { detailTexts } from './details/texts.ts';
import { jobTexts } from './texts.ts';

/** So many ranks are drawn at a time. */
const ranksInSight = 32;
const stepPx = 4;
/** Few lanes are higher. */
const laneHeight = (lanes: number): number => Math.max(22, Math.min(36, Math.floor(360 / lanes)));
const margin = { top: 40, right: 8, bottom: 8 };
/** Middles of the lines above the lanes: the titles of both axes, and the marks of time. */
const titlePx = 8;
const marksPx = 26;

interface Picture {
  lanes: readonly Lane[];
  lanePx: number;
  /** Ranks that others wait for. */
  late: ReadonlySet<number>;
  range: Range;
  left: number;
  width: number;
  height: number;
}

const toX = ({ range, left, width }: Picture, ns: number): number =>
  left + ((ns - range.from) / Math.max(1, range.to - range.from)) * (width - left - margin.right);

const toNs = ({ range, left, width }: Picture, x: number): number =>
  range.from + ((x - left) / Math.max(1, width - left - margin.right)) * (range.to - range.from);

/** What the names of the lanes are: of ranks with several devices, also theirs. */
const lanesTitle = (lanes: readonly Lane[]): string =>
  lanes.some(({ rank, name }) => name !== String(rank)) ? jobTexts.rankAndDevice : jobTexts.rank;

function drawRuler(context: CanvasRenderingContext2D, picture: Picture, grid: string): void {
  const { range, left, width, height } = picture;
  const scale = axisScale('ns', range.to);
  const room = (range.to - range.from) / Math.max(2, (width - left) / 110);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, room)));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= room) ?? 10);
  context.textAlign = 'left';
  context.fillText(jobTexts.timeOfJob, left, titlePx);
  context.textAlign = 'right';
  context.fillText(lanesTitle(picture.lanes), left - 6, titlePx);
  context.textAlign = 'center';
  const ticks: number[] = [];
  for (let at = Math.ceil(range.from / step) * step; at <= range.to; at += step) ticks.push(at);
  const marks = axisMarks(ticks, step, scale);
  for (const [index, at] of ticks.entries()) {
    const x = toX(picture, at);
    context.fillText(marks[index]!, x, marksPx);
    context.save();
    context.fillStyle = grid;
    context.fillRect(x, margin.top - 4, 1, height - margin.top);
    context.restore();
  }
}

function draw(canvas: HTMLCanvasElement, picture: Picture, hot: Box | undefined): void {
  const { lanes, lanePx, left, width, height, range } = picture;
  const context = sharpContext(canvas, width, height);
  if (context === null) return;
  const [transfer, waiting] = waitParts.map(({ color }) => resolveColor(color));
  const foreground = resolveColor('var(--vscode-foreground)');
  const muted = resolveColor('var(--vscode-descriptionForeground, var(--vscode-foreground))');
  const worse = resolveColor('var(--worse)');
  const grid = resolveColor('color-mix(in srgb, var(--vscode-foreground) 14%, transparent)');
  const step = resolveColor(
    `color-mix(in srgb, ${chartColors.blue} 60%, var(--vscode-editor-background))`,
  );
  context.fillStyle = muted;
  drawRuler(context, picture, grid);
  lanes.forEach((lane, index) => {
    const y = margin.top + index * lanePx;
    const comesLast = picture.late.has(lane.rank);
    context.fillStyle = comesLast ? worse : muted;
    context.textAlign = 'right';
    context.fillText(detailTexts.rankCell(lane.name, comesLast), left - 6, y + lanePx / 2);
  });
  context.save();
  context.beginPath();
  context.rect(left, 0, width - left - margin.right, height);
  context.clip();
  lanes.forEach((lane, index) => {
    const y = margin.top + index * lanePx;
    context.fillStyle = step;
    for (const { startNs, endNs } of lane.steps) {
      const x = toX(picture, Math.max(startNs, range.from));
      const end = toX(picture, Math.min(endNs, range.to));
      context.fillRect(x + 1, y + 1, Math.max(1, end - x - 2), stepPx);
    }
    for (const box of lane.boxes) {
      const x = toX(picture, box.startNs);
      const px = Math.max(1, toX(picture, box.startNs + box.lengthNs) - x);
      const waitPx =
        box.lengthNs > 0 ? (px * Math.min(box.waitingNs, box.lengthNs)) / box.lengthNs : 0;
      const [top, tall] = [y + stepPx + 2, lanePx - stepPx - 4];
      // Whoever comes early waits first; what is left is the transfer of all.
      context.fillStyle = waiting!;
      context.fillRect(x, top, waitPx, tall);
      context.fillStyle = transfer!;
      context.fillRect(x + waitPx, top, px - waitPx, tall);
      if (hot?.call === box.call) {
        context.strokeStyle = foreground;
        context.strokeRect(x + 0.5, top + 0.5, Math.max(1, px - 1), tall - 1);
      }
    }
  });
  context.restore();
}

interface Spot {
  lane: number;
  box: number;
}

function boxWords(lane: Lane, box: Box): string[] {
  const many = box.count > 1;
  return [
    detailTexts.collectiveSaid(lane.rank, lane.device, many, box.count, box.operation, box.call),
    detailTexts.atAndLong(box.startNs, box.lengthNs),
    detailTexts.waitingFor(box.waitingNs),
    detailTexts.tellsWhoCame,
  ];
}

function Lanes(props: {
  lanes: readonly Lane[];
  late: ReadonlySet<number>;
  range: Range;
  whole: number;
  onRange: (range: Range) => void;
  onCall: (call: number) => void;
  onWidth: (px: number) => void;
}) {
  const { lanes, late, range, whole } = props;
  const lanePx = laneHeight(lanes.length);
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useOwnWidth(frame, 240);
  const [hot, setHot] = useState<Spot | undefined>(undefined);
  const last = useRef<Spot>({ lane: 0, box: 0 });
  const theme = themeSerial.value;
  const left =
    16 +
    lanes.reduce(
      (most, { rank, name }) => Math.max(most, detailTexts.rankCell(name, late.has(rank)).length),
      lanesTitle(lanes).length,
    ) *
      7;
  const height = margin.top + lanes.length * lanePx + margin.bottom;
  const picture: Picture = { lanes, lanePx, late, range, left, width, height };
  const now = useRef({ picture, whole, onRange: props.onRange });
  now.current = { picture, whole, onRange: props.onRange };
  const lane = hot === undefined ? undefined : lanes[hot.lane];
  const box = hot === undefined ? undefined : lane?.boxes[hot.box];
  useLayoutEffect(() => {
    if (canvas.current !== null && width > 0) draw(canvas.current, picture, box);
  }, [width, theme, lanes, range.from, range.to, box]);
  useEffect(() => props.onWidth(width), [width]);
  useEffect(() => {
    const field = canvas.current;
    if (field === null) return undefined;
    // A plain wheel scrolls the page.
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
      event.preventDefault();
      const { picture: shown, whole: all, onRange } = now.current;
      const delta = event.deltaY || event.deltaX;
      const span = shown.range.to - shown.range.from;
      onRange(
        event.shiftKey
          ? moved(shown.range, (delta / 800) * span, all)
          : zoomed(shown.range, Math.exp(delta / 300), toNs(shown, event.offsetX), all),
      );
    };
    field.addEventListener('wheel', onWheel, { passive: false });
    return () => field.removeEventListener('wheel', onWheel);
  }, []);
  const spotAt = (event: MouseEvent): Spot | undefined => {
    const at = Math.floor((event.offsetY - margin.top) / lanePx);
    const boxes = lanes[at]?.boxes;
    if (boxes === undefined) return undefined;
    const ns = toNs(picture, event.offsetX);
    const slack = toNs(picture, event.offsetX + 2) - ns;
    const found = boxes.findIndex(
      ({ startNs, lengthNs }) => ns >= startNs - slack && ns <= startNs + lengthNs + slack,
    );
    return found < 0 ? undefined : { lane: at, box: found };
  };
  const show = (next: Spot): void => {
    const at = Math.max(0, Math.min(lanes.length - 1, next.lane));
    const most = (lanes[at]?.boxes.length ?? 1) - 1;
    last.current = { lane: at, box: Math.max(0, Math.min(most, next.box)) };
    setHot(last.current);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { lane: at, box: current } = last.current;
    const middle = (range.from + range.to) / 2;
    const span = range.to - range.from;
    const acts: Record<string, () => void> = {
      ArrowRight: () => show({ lane: at, box: current + 1 }),
      ArrowLeft: () => show({ lane: at, box: current - 1 }),
      ArrowDown: () => show({ lane: at + 1, box: current }),
      ArrowUp: () => show({ lane: at - 1, box: current }),
      w: () => props.onRange(zoomed(range, 0.5, middle, whole)),
      '+': () => props.onRange(zoomed(range, 0.5, middle, whole)),
      s: () => props.onRange(zoomed(range, 2, middle, whole)),
      '-': () => props.onRange(zoomed(range, 2, middle, whole)),
      a: () => props.onRange(moved(range, -span / 4, whole)),
      d: () => props.onRange(moved(range, span / 4, whole)),
      '0': () => props.onRange({ from: 0, to: whole }),
      Enter: () => {
        const chosen = lanes[at]?.boxes[current];
        if (chosen !== undefined) props.onCall(chosen.call);
      },
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (act === undefined) return;
    act();
    event.preventDefault();
  };
  const words = lane === undefined || box === undefined ? [] : boxWords(lane, box);
  return (
    <div class="heat" ref={frame}>
      <CanvasField
        canvas={canvas}
        role={detailTexts.timelineRole}
        label={detailTexts.timelineLabel(words.join('. '))}
        width={width}
        height={height}
        onKeyDown={onKeyDown}
        onReach={() => show(last.current)}
        onLeave={() => setHot(undefined)}
        onPoint={(event) => {
          const spot = spotAt(event);
          if (spot === undefined) setHot(undefined);
          else show(spot);
        }}
        onPick={(event) => {
          const spot = spotAt(event);
          const chosen = spot && lanes[spot.lane]?.boxes[spot.box];
          if (chosen !== undefined) props.onCall(chosen.call);
        }}
      />
      {hot === undefined || box === undefined ? null : (
        <LinesTooltip
          x={Math.max(left, toX(picture, box.startNs))}
          y={margin.top + (hot.lane + 1) * lanePx - 12}
          width={width}
          lines={words}
        />
      )}
    </div>
  );
}

const legend = [
  {
    title: commonTexts.step,
    color: `color-mix(in srgb, ${chartColors.blue} 60%, var(--vscode-editor-background))`,
  },
  waitParts[1],
  waitParts[0],
];

export function JobTimeline() {
  const result = useJob();
  const from = viewState('job', 'timelineFrom', 0);
  const to = viewState('job', 'timelineTo', 0);
  const first = viewState('job', 'timelineFirst', -1);
  const call = viewState('job', 'timelineCall', -1);
  const [pixels, setPixels] = useState(0);
  const whole = Math.max(1, result?.durationNs ?? 1);
  const range: Range =
    to.value > from.value && to.value <= whole
      ? { from: from.value, to: to.value }
      : { from: 0, to: whole };
  const count = result?.ranks.length ?? 0;
  // Until others are chosen, those among which the worst is.
  const worst = result?.stragglers[0]?.rank;
  const worstAt = Math.max(0, result?.ranks.findIndex(({ rank }) => rank === worst) ?? 0);
  const firstRank =
    first.value >= 0 && first.value < count
      ? first.value
      : Math.floor(worstAt / ranksInSight) * ranksInSight;
  const { value, error } = useAnswer('distributed/lanes', {
    fromNs: range.from,
    toNs: range.to,
    firstRank,
    rankCount: ranksInSight,
    pixels: Math.max(200, Math.min(4000, Math.round(pixels / 100) * 100)),
  });
  const lanes = useMemo(() => (value === undefined ? [] : lanesOf(value)), [value]);
  const late = useMemo(() => new Set(result?.stragglers.map(({ rank }) => rank)), [result]);
  if (result === undefined) return null;
  const show = (next: Range): void => {
    from.value = next.from;
    to.value = next.to;
  };
  const pages = Array.from({ length: Math.ceil(count / ranksInSight) }, (_, page) => {
    const at = page * ranksInSight;
    const end = result.ranks[Math.min(count, at + ranksInSight) - 1]!;
    return { value: String(at), label: commonTexts.fromTo(result.ranks[at]!.rank, end.rank) };
  });
  return (
    <div class="job">
      <Panel
        title={detailTexts.onCommonClock}
        definition={detailTexts.onCommonClockHint}
        actions={
          <>
            {pages.length > 1 ? (
              <Select
                label={jobTexts.ranks}
                value={String(firstRank)}
                choices={pages}
                onChange={(next) => (first.value = Number(next))}
              />
            ) : null}
            <ActionButton onClick={() => show({ from: 0, to: whole })}>
              {detailTexts.wholeJob}
            </ActionButton>
          </>
        }
      >
        {error !== undefined ? (
          <Failure error={error} />
        ) : value === undefined ? (
          <Waiting what={detailTexts.readingTimelines} />
        ) : lanes.length === 0 ? (
          <Nothing>{detailTexts.noRanks}</Nothing>
        ) : (
          <>
            <Lanes
              lanes={lanes}
              late={late}
              range={range}
              whole={whole}
              onRange={show}
              onCall={(next) => (call.value = next)}
              onWidth={setPixels}
            />
            <Legend parts={legend} />
            <p class="note">{detailTexts.wheelHelp}</p>
          </>
        )}
      </Panel>
      {call.value < 0 || call.value >= result.collectives ? null : (
        <Panel
          title={detailTexts.collective(call.value)}
          actions={
            <ActionButton onClick={() => (call.value = -1)}>{commonTexts.close}</ActionButton>
          }
        >
          <CallMembers call={call.value} />
        </Panel>
      )}
    </div>
  );
}
