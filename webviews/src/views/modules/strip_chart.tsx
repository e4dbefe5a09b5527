// The chart of the operator strip: one row of lanes, read a window at a time.
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FailureData } from '#shared/messages.ts';
import type { SliceDetail, TimelineTrack, TimelineTracksResult } from '#shared/protocol.ts';
import { useAnswer } from '../../host/query.ts';
import { failureOf } from '../../host/host.ts';
import { scopedState, viewState } from '../../host/view_state.ts';
import { announce } from '../../host/store.ts';
import { Layers, layersTopPx } from '../../lanes/layers.ts';
import { laneHeight, rowKey, type Row } from '../../lanes/rows.ts';
import { useWindowSource } from '../../lanes/use_source.ts';
import { wheelMove } from '../../lanes/wheel.ts';
import type { TimeWindow } from '../../lanes/window.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { Levels } from '../../widgets/levels.tsx';
import { Failure } from '../../widgets/notices.tsx';
import { useOwnWidth } from '../../widgets/width.ts';
import { barNear, barsOf, endOf, nameOf, type Bar } from './bars.ts';
import { moduleOf, operatorBoxes } from './strip.ts';
import { onStripKey } from './strip_keys.ts';
import { StripFacts, StripTable, StripTooltip, factsOf } from './strip_parts.tsx';
import { useStripWindow, type StripWindow } from './strip_window.ts';
import { modulesTexts } from './texts.ts';

/** Deeper nesting is squeezed, so that the chart stays on a page. */
const mostLanes = 30;
/** Height of the lanes that show above a table. */
const lowPx = layersTopPx + 2 * laneHeight + 1;
/** What the pointer may move before a press is a drag. */
const dragPx = 4;

/** The boxes of the thread, shaped and colored; `problem` says why there are none. */
function useBoxes(track: TimelineTrack) {
  const [problem, setProblem] = useState<FailureData | undefined>(undefined);
  const { source, palette } = useWindowSource(
    (error) => setProblem(failureOf(error)),
    operatorBoxes,
  );
  const data = source.rows.get(track.id);
  const bars = useMemo(() => barsOf(data), [data]);
  return { source, bars, palette, problem, retry: () => setProblem(undefined) };
}

/** Listens to the wheel itself: what moves the chart must not scroll the page as well. */
function useWheel(
  canvas: { readonly current: HTMLCanvasElement | null },
  window: StripWindow,
  nsAt: (clientX: number) => number,
  width: number,
  drawn: boolean,
): void {
  const wheel = useRef<(event: WheelEvent) => void>(undefined);
  wheel.current = (event) => {
    // The page scrolls on until the chart was clicked; pinching comes as a wheel with Ctrl.
    if (!event.ctrlKey && document.activeElement !== canvas.current) return;
    event.preventDefault();
    const move = wheelMove(event);
    if (move.kind === 'scroll') return;
    if (move.kind === 'pan') window.pan(move.px / Math.max(1, width));
    else window.zoom(move.factor, nsAt(event.clientX));
  };
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const listen = (event: WheelEvent): void => wheel.current?.(event);
    element.addEventListener('wheel', listen, { passive: false });
    return () => element.removeEventListener('wheel', listen);
  }, [drawn]);
}

/** Draws the row of bars, and asks for what the window still lacks; true once nothing is missing. */
function useDrawing(props: {
  canvas: { readonly current: HTMLCanvasElement | null };
  boxes: ReturnType<typeof useBoxes>;
  row: Row;
  tracks: TimelineTracksResult;
  shown: TimeWindow;
  width: number;
  detail: SliceDetail | undefined;
  current: Bar | undefined;
  outlined: readonly Bar[];
}): boolean {
  const { canvas, boxes, row, shown, width, detail, current } = props;
  const { height, track } = row;
  const layers = useRef<Layers>(undefined);
  const [settled, setSettled] = useState(false);
  useEffect(() => () => layers.current?.dispose(), []);
  useLayoutEffect(() => {
    if (width === 0 || boxes.problem !== undefined) return;
    if (canvas.current !== null) {
      layers.current ??= new Layers();
      layers.current.draw(
        canvas.current,
        {
          width,
          namesPx: 0,
          height,
          ...shown,
          scroll: 0,
          layout: { rows: [row], headings: [], height, hidden: 0 },
          data: boxes.source.rows,
          tracks: props.tracks,
          detail:
            detail === undefined || current === undefined
              ? undefined
              : { ...detail, track: track.id, lane: current.lane },
          arrows: [],
          gaps: [],
          gapsDevice: null,
          instant: undefined,
          mark: null,
          found: new Set(props.outlined.map((bar) => bar.slice)),
        },
        boxes.palette,
      );
    }
    boxes.source.want({ ...shown, pixels: width }, [track.id]);
    setSettled(boxes.source.settled);
  });
  return settled;
}

export function StripChart(props: {
  name: string;
  track: TimelineTrack;
  tracks: TimelineTracksResult;
  /** What the chart shows at first, and how far it can be moved. */
  full: TimeWindow;
  extent: TimeWindow;
  marked: Signal<string>;
  /** Above a table, which comes first: what stands at the start and the end of its bar. */
  low?: { lead: ComponentChildren; tools: ComponentChildren };
}) {
  const { track, marked } = props;
  const selected = scopedState('trace', 'modules', 'stripSlice', -1);
  const twin = viewState('modules', 'stripAsTable', false);
  const asTable = twin.value;
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const deepest = useRef(1);
  const drag = useRef<TimeWindow & { x: number; moved: boolean }>(undefined);
  const [tip, setTip] = useState<{ bar: Bar; x: number; y: number } | undefined>(undefined);
  const width = useOwnWidth(root, 200);
  const boxes = useBoxes(track);
  const { bars, problem } = boxes;
  const window = useStripWindow(props.full, props.extent, () => setTip(undefined));
  const { shown } = window;
  const span = shown.endNs - shown.startNs;

  // The chart grows with what is found in it and does not jump back.
  deepest.current = bars.reduce((most, bar) => Math.max(most, bar.lane + 1), deepest.current);
  const height = Math.min(deepest.current, mostLanes) * laneHeight;
  const row: Row = {
    track,
    key: rowKey(track),
    y: 0,
    height,
    laneHeight: height / deepest.current,
    open: true,
    pinned: false,
  };
  const current = bars.find((bar) => bar.slice >= 0 && bar.slice === selected.value);
  const chosen = useAnswer(
    'timeline/slice',
    selected.value < 0 ? undefined : { slice: selected.value },
  );
  const detail = chosen.value?.slice === selected.value ? chosen.value : undefined;
  const isShown = (bar: Bar): boolean => bar.startNs < shown.endNs && endOf(bar) > shown.startNs;
  const outlined = bars.filter(
    (bar) => marked.value !== '' && moduleOf(bar.kind, bar.name) === marked.value,
  );
  const settled = useDrawing({
    ...{ canvas, boxes, row, shown, width, detail, current, outlined },
    tracks: props.tracks,
  });

  const nsAt = (clientX: number): number => {
    const left = canvas.current?.getBoundingClientRect().left ?? 0;
    return shown.startNs + ((clientX - left) / Math.max(1, width)) * span;
  };
  const barAt = (event: MouseEvent): Bar | undefined => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return undefined;
    const lane = Math.floor((event.clientY - box.top - layersTopPx) / row.laneHeight);
    return barNear(bars, lane, nsAt(event.clientX), span / Math.max(1, width));
  };
  useWheel(canvas, window, nsAt, width, !asTable && problem === undefined);

  const fit = (bar: Bar): void => window.fit(bar.startNs, endOf(bar));
  const choose = (bar: Bar | undefined): void => {
    if (bar === undefined) announce(commonTexts.noMoreSlices);
    // A box for several slices comes apart.
    else if (bar.slice < 0) fit(bar);
    else {
      selected.value = bar.slice;
      announce(modulesTexts.barSaid(nameOf(bar), bar.durationNs, bar.startNs));
      if (!isShown(bar)) window.center(bar.startNs + bar.durationNs / 2);
    }
  };
  const unselect = (): boolean => {
    const was = selected.value >= 0;
    selected.value = -1;
    return was;
  };

  const onPointerMove = (event: PointerEvent): void => {
    const from = drag.current;
    if (from !== undefined) {
      if (!from.moved && Math.abs(event.clientX - from.x) < dragPx) return;
      from.moved = true;
      const by = ((from.x - event.clientX) / Math.max(1, width)) * (from.endNs - from.startNs);
      window.set({ startNs: from.startNs + by, endNs: from.endNs + by });
      return;
    }
    const bar = barAt(event);
    const box = root.current!.getBoundingClientRect();
    setTip(
      bar === undefined
        ? undefined
        : { bar, x: event.clientX - box.left, y: event.clientY - box.top },
    );
  };
  const onPointerUp = (event: PointerEvent): void => {
    const from = drag.current;
    drag.current = undefined;
    if (from === undefined || from.moved) return;
    const bar = barAt(event);
    if (bar === undefined) unselect();
    else choose(bar);
  };

  if (problem !== undefined) return <Failure error={problem} retry={boxes.retry} />;
  const said =
    detail === undefined
      ? modulesTexts.nothingSelected
      : `${visible(detail.name)}, ${factsOf(detail)}`;
  return (
    <div
      class="flame strip"
      role="group"
      aria-label={props.name}
      ref={root}
      data-window={`${Math.round(shown.startNs)} ${Math.round(shown.endNs)}`}
      data-track={track.id}
      aria-busy={!settled}
    >
      <div class="flame-bar">
        {props.low?.lead}
        <StripFacts
          detail={detail}
          showAll={window.isZoomed ? window.showAll : undefined}
          marked={marked}
          markedShown={outlined.filter(isShown).reduce((sum, bar) => sum + bar.count, 0)}
        />
        <span class="panel-actions">
          {props.low?.tools}
          <ChartMenu name={props.name} chart={root} asTable={twin} pngOnly />
        </span>
      </div>
      {asTable ? (
        <StripTable name={props.name} bars={bars.filter(isShown)} choose={choose} />
      ) : (
        <Levels
          stateKey="strip"
          name={props.name}
          heightPx={props.low === undefined ? undefined : layersTopPx + height}
          lowPx={lowPx}
          deep={current !== undefined && layersTopPx + (current.lane + 1) * row.laneHeight > lowPx}
        >
          <canvas
            ref={canvas}
            class="flame-canvas strip-canvas"
            role="application"
            aria-roledescription={commonTexts.chartRole}
            aria-label={modulesTexts.chartLabel(props.name, said)}
            tabIndex={0}
            style={{ width: `${width}px`, height: `${layersTopPx + height}px` }}
            onKeyDown={(event) =>
              onStripKey(event, { bars, current, window, choose, fit, unselect })
            }
            onPointerDown={(event) => {
              if (event.button !== 0) return;
              canvas.current?.setPointerCapture(event.pointerId);
              drag.current = { x: event.clientX, ...shown, moved: false };
              setTip(undefined);
            }}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={() => {
              drag.current = undefined;
            }}
            onPointerLeave={() => setTip(undefined)}
            onDblClick={(event) => {
              const bar = barAt(event);
              if (bar !== undefined) fit(bar);
            }}
          />
        </Levels>
      )}
      {tip === undefined || asTable ? null : <StripTooltip {...tip} width={width} />}
    </div>
  );
}
