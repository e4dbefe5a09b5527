// The operators of the main thread as nested bars over time, drawn with the timeline's own parts: one
// row, read a window at a time. Python functions and calls of the runtime are left to the timeline.
import type { Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { createBoxRenderer, type BoxRenderer } from '../../gl/boxes.ts';
import { ask, useAnswer } from '../../host/query.ts';
import {
  announce,
  epoch,
  failureOf,
  requestSelection,
  scopedState,
  viewState,
} from '../../host/store.ts';
import type { FailureData } from '#shared/messages.ts';
import { fixed, plural, quantity, visible } from '../../lib/format.ts';
import type {
  SliceDetail,
  TimelineSearchResult,
  TimelineTrack,
  TimelineTracksResult,
} from '#shared/protocol.ts';
import type { PageParams } from '#shared/requests.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { LinkButton, Select } from '../../widgets/controls.tsx';
import type { RowAction } from '../../widgets/table/actions.tsx';
import { Absences, Failure, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { themeSerial } from '../../widgets/theme.ts';
import { filterFor, viewAction } from '../links.ts';
import { clampWindow, laneHeight, rowKey, type Row } from '../timeline/layout.ts';
import { drawBoxes, drawOverlay, drawRuler, rulerHeight, type Scene } from '../timeline/painter.ts';
import { readPalette } from '../timeline/palette.ts';
import { WindowSource, type RowData } from '../timeline/source.ts';
import { moduleOf, operatorBoxes, stepsRange, stripKind, type StripRange } from './strip.ts';

const nothing = {};
const chartName = 'Operators of the main thread over time';
/** Line above the ruler that says what the axis is. */
const titlePx = 16;
/** Deeper nesting is squeezed, so that the chart stays on a page. */
const mostLanes = 30;
const maxTwinRows = 500;
/** Threads that are asked for their operator time: those with most operators. */
const mostThreads = 16;

interface OperatorThread {
  track: TimelineTrack;
  operatorNs: number;
}

/**
 * Host threads with operators; the main one first: it ran the profiler's steps, else modules, else
 * most operator time. A thread of autograd's own is never it where there is another.
 */
async function operatorThreads(
  all: TimelineTracksResult,
  signal: AbortSignal,
): Promise<OperatorThread[]> {
  const search = (params: PageParams<'timeline/search'>): Promise<TimelineSearchResult> =>
    ask('timeline/search', { ...params, limit: 1 }, signal);
  const [operators, steps, modules] = await Promise.all([
    search({ kind: 'cpuOp' }),
    search({ text: 'ProfilerStep#' }),
    search({ text: 'nn.Module: ' }),
  ]);
  const having = (found: TimelineSearchResult) => new Set(found.byTrack.map((one) => one.track));
  const [stepped, called] = [having(steps), having(modules)];
  const tracks = new Map(all.tracks.map((track) => [track.id, track]));
  const found = await Promise.all(
    [...operators.byTrack]
      .sort((a, b) => b.count - a.count)
      .flatMap(({ track }) => {
        const known = tracks.get(track);
        return known?.kind === 'thread' ? [known] : [];
      })
      .slice(0, mostThreads)
      .map(async (track): Promise<OperatorThread> => {
        const { startNs, endNs } = all;
        const sums = await ask(
          'timeline/range',
          { startNs, endNs, tracks: [track.id], limit: 1 },
          signal,
        );
        const own = sums.kinds.find((one) => one.kind === 'cpuOp');
        return { track, operatorNs: own?.unionNs ?? 0 };
      }),
  );
  const rank = ({ track }: OperatorThread): number =>
    stepped.has(track.id) ? 2 : called.has(track.id) ? 1 : /autograd/.test(track.name) ? -1 : 0;
  return found.sort((a, b) => rank(b) - rank(a) || b.operatorNs - a.operatorNs);
}

const absence = {
  what: 'No operators were recorded on a thread of the host.',
  argument: 'activities=[ProfilerActivity.CPU, ...]',
  snippet: '',
};

export function OperatorStrip(props: { marked: Signal<string> }) {
  const chosen = scopedState('trace', 'modules', 'stripThread', -1);
  const { value: all, error, retry } = useAnswer('timeline/tracks', nothing);
  const [threads, setThreads] = useState<readonly OperatorThread[] | undefined>(undefined);
  const [problem, setProblem] = useState<FailureData | undefined>(undefined);
  useEffect(() => {
    if (all === undefined) return undefined;
    const abort = new AbortController();
    setProblem(undefined);
    operatorThreads(all, abort.signal).then(
      (found) => {
        if (!abort.signal.aborted) setThreads(found);
      },
      (reason: unknown) => {
        if (!abort.signal.aborted) setProblem(failureOf(reason));
      },
    );
    return () => abort.abort();
  }, [all]);
  const failed = error ?? problem;
  const shown = threads?.find((one) => one.track.id === chosen.value) ?? threads?.[0];
  const steps = requestSelection.value.steps;
  const part = useMemo(
    () => (all === undefined ? undefined : stepsRange(all.steps, steps)),
    [all, steps],
  );
  const title =
    shown === undefined || shown === threads?.[0]
      ? chartName
      : `Operators of ${visible(shown.track.name)} over time`;
  return (
    <Panel
      title={title}
      definition={
        'Operators, module calls and annotations of one thread of the host, each below what it ran in. ' +
        'The main thread is the one that ran the steps of the profiler, else the modules, else the one with most operator time.'
      }
      actions={
        threads === undefined || threads.length < 2 ? undefined : (
          <Select
            label="Thread"
            value={String(shown?.track.id ?? '')}
            choices={threads.map(({ track, operatorNs }, index) => ({
              value: String(track.id),
              label: `${visible(track.name)}${index === 0 ? ', main' : ''}: ${quantity(operatorNs, 'ns')}`,
            }))}
            onChange={(id) => (chosen.value = Number(id))}
          />
        )
      }
    >
      {failed !== undefined ? (
        <Failure error={failed} retry={retry} />
      ) : all === undefined || threads === undefined ? (
        <Waiting what="Reading the main thread" />
      ) : shown === undefined ? (
        <Absences absences={[absence]} />
      ) : (
        <Strip
          key={`${epoch.value} ${shown.track.id}`}
          name={title}
          track={shown.track}
          tracks={all}
          full={part ?? { startNs: all.workStartNs, endNs: all.workEndNs }}
          extent={part ?? { startNs: all.startNs, endNs: all.endNs }}
          marked={props.marked}
        />
      )}
    </Panel>
  );
}

/** One box of the chart. */
interface Bar {
  name: string;
  kind: string;
  startNs: number;
  durationNs: number;
  lane: number;
  /** -1 for a box that stands for several slices. */
  slice: number;
  count: number;
}

function barsOf(data: RowData | undefined): Bar[] {
  const boxes = data?.boxes;
  if (data === undefined || boxes === undefined) return [];
  return boxes.start.map((startNs, i) => ({
    name: data.names[boxes.name[i]!] ?? '',
    kind: data.kinds[boxes.kind[i]!] ?? '',
    startNs,
    durationNs: boxes.length[i]!,
    lane: boxes.lane[i]!,
    slice: boxes.slice[i]!,
    count: boxes.count[i]!,
  }));
}

const endOf = (bar: Bar): number => bar.startNs + bar.durationNs;

const nameOf = (bar: Bar): string =>
  bar.slice < 0 && bar.count > 1
    ? `${plural(bar.count, 'slice')}, longest ${visible(bar.name)}`
    : visible(bar.name);

function linksOf(detail: SliceDetail): RowAction[] {
  const module = moduleOf(detail.kind, detail.name);
  return [
    ...viewAction('timeline', 'Show in Timeline', 'Show in the timeline', { slice: detail.slice }),
    ...(module !== undefined
      ? viewAction('operators', 'Operators', `Show the operators inside ${module}`, { module })
      : detail.kind === 'cpuOp'
        ? viewAction('operators', 'Operators', `Show ${detail.name} in Operators`, {
            filter: `name=${filterFor(detail.name)}`,
          })
        : []),
  ];
}

/** The canvases that are put together to one picture. */
class Layers {
  private readonly renderer: BoxRenderer;
  private readonly boxes = document.createElement('canvas');
  private readonly ruler = document.createElement('canvas');
  private readonly overlay = document.createElement('canvas');

  constructor() {
    this.renderer = createBoxRenderer(this.boxes, 'canvas2d');
  }

  draw(target: HTMLCanvasElement, scene: Scene, palette: ReturnType<typeof readPalette>): void {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const { width, height } = scene;
    const sized = (canvas: HTMLCanvasElement, tall: number): CanvasRenderingContext2D | null => {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(tall * ratio));
      const context = canvas.getContext('2d');
      context?.setTransform(ratio, 0, 0, ratio, 0, 0);
      return context;
    };
    this.renderer.resize(width, height, ratio);
    const ruler = sized(this.ruler, rulerHeight);
    const overlay = sized(this.overlay, height);
    const context = sized(target, titlePx + rulerHeight + height);
    if (context === null || ruler === null || overlay === null) return;
    drawBoxes(this.renderer, scene);
    drawRuler(ruler, scene, palette);
    drawOverlay(overlay, scene, palette);
    context.font = `11px ${palette.font}`;
    context.textBaseline = 'middle';
    context.fillStyle = palette.muted;
    context.fillText('Time since the start of the trace', 3, titlePx / 2, width - 3);
    context.drawImage(this.ruler, 0, titlePx, width, rulerHeight);
    context.drawImage(this.boxes, 0, titlePx + rulerHeight, width, height);
    context.drawImage(this.overlay, 0, titlePx + rulerHeight, width, height);
  }

  dispose(): void {
    this.renderer.dispose();
  }
}

/** What the daemon knows of a slice, asked once the pointer rests on it. */
function useHovered(slice: number): SliceDetail | undefined {
  const [known, setKnown] = useState<SliceDetail | undefined>(undefined);
  useEffect(() => {
    if (slice < 0) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      ask('timeline/slice', { slice }, abort.signal).then(
        (value) => setKnown(value),
        // The tooltip stays without the self time; a selection reports what is wrong.
        () => undefined,
      );
    }, 80);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [slice]);
  return known?.slice === slice ? known : undefined;
}

const noWindow: StripRange = { startNs: 0, endNs: 0 };

function Strip(props: {
  name: string;
  track: TimelineTrack;
  tracks: TimelineTracksResult;
  /** What the chart shows at first, and how far it can be moved. */
  full: StripRange;
  extent: StripRange;
  marked: Signal<string>;
}) {
  const { track, full, extent } = props;
  const stored = scopedState('steps', 'modules', 'stripWindow', noWindow);
  const selected = scopedState('trace', 'modules', 'stripSlice', -1);
  const twin = viewState('modules', 'stripAsTable', false);
  const asTable = twin.value;
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layers = useRef<Layers>(undefined);
  const deepest = useRef(1);
  const drag = useRef<{ x: number; startNs: number; endNs: number; moved: boolean }>(undefined);
  const [width, setWidth] = useState(0);
  const [, setSerial] = useState(0);
  const [settled, setSettled] = useState(false);
  const [problem, setProblem] = useState<FailureData | undefined>(undefined);
  const [tip, setTip] = useState<{ bar: Bar; x: number; y: number } | undefined>(undefined);
  const theme = themeSerial.value;
  const palette = useMemo(readPalette, [theme]);
  const colors = useRef(palette);
  colors.current = palette;
  const source = useMemo(
    () =>
      new WindowSource(
        () => colors.current,
        () => setSerial((serial) => serial + 1),
        (error) => setProblem(failureOf(error)),
        operatorBoxes,
      ),
    [],
  );

  const zoomed = stored.value.endNs > stored.value.startNs;
  const shown = zoomed ? stored.value : clampWindow(full.startNs, full.endNs, extent);
  const span = shown.endNs - shown.startNs;
  const data = source.rows.get(track.id);
  const bars = useMemo(() => barsOf(data), [data]);
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
  const hovered = useHovered(tip?.bar.slice ?? -1);
  const isMarked = (bar: Bar): boolean =>
    props.marked.value !== '' && moduleOf(bar.kind, bar.name) === props.marked.value;
  const isShown = (bar: Bar): boolean => bar.startNs < shown.endNs && endOf(bar) > shown.startNs;
  const markedBars = bars.filter(isMarked);

  const setWindow = (startNs: number, endNs: number): void => {
    stored.value = clampWindow(startNs, endNs, extent);
    setTip(undefined);
  };
  const showAll = (): void => {
    stored.value = noWindow;
    setTip(undefined);
  };
  const zoom = (factor: number, at = (shown.startNs + shown.endNs) / 2): void => {
    const to = [at - (at - shown.startNs) * factor, at + (shown.endNs - at) * factor] as const;
    // As far out as at the beginning is the beginning.
    if (factor > 1 && to[0] <= full.startNs && to[1] >= full.endNs) showAll();
    else setWindow(...to);
  };
  const pan = (part: number): void =>
    setWindow(shown.startNs + part * span, shown.endNs + part * span);
  const fit = (bar: Bar): void => {
    const room = Math.max(20, bar.durationNs) * 0.15;
    setWindow(bar.startNs - room, endOf(bar) + room);
  };
  const choose = (bar: Bar | undefined): void => {
    if (bar === undefined) {
      announce('No further slice in this direction');
      return;
    }
    if (bar.slice < 0) {
      // A box for several slices comes apart.
      fit(bar);
      return;
    }
    selected.value = bar.slice;
    announce(`${nameOf(bar)}, ${quantity(bar.durationNs, 'ns')} at ${quantity(bar.startNs, 'ns')}`);
    if (endOf(bar) < shown.startNs || bar.startNs > shown.endNs) {
      const middle = bar.startNs + bar.durationNs / 2;
      setWindow(middle - span / 2, middle + span / 2);
    }
  };

  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    const resize = (): void => setWidth(Math.max(200, element.clientWidth));
    resize();
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(
    () => () => {
      source.clear();
      layers.current?.dispose();
    },
    [],
  );
  useEffect(() => {
    source.recolor();
    setSerial((serial) => serial + 1);
  }, [palette]);

  useLayoutEffect(() => {
    if (width === 0 || problem !== undefined) return;
    if (canvas.current !== null) {
      layers.current ??= new Layers();
      layers.current.draw(
        canvas.current,
        {
          width,
          height,
          ...shown,
          scroll: 0,
          layout: { rows: [row], headings: [], height, hidden: 0 },
          data: source.rows,
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
          found: new Set(markedBars.map((bar) => bar.slice)),
        },
        palette,
      );
    }
    source.want({ ...shown, pixels: width }, [track.id]);
    setSettled(source.settled);
  });

  const nsAt = (clientX: number): number => {
    const left = canvas.current?.getBoundingClientRect().left ?? 0;
    return shown.startNs + ((clientX - left) / Math.max(1, width)) * span;
  };
  const barAt = (event: MouseEvent): Bar | undefined => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return undefined;
    const y = event.clientY - box.top - titlePx - rulerHeight;
    const lane = Math.floor(y / row.laneHeight);
    const ns = nsAt(event.clientX);
    const slack = span / Math.max(1, width);
    let best: Bar | undefined;
    for (const bar of bars) {
      if (bar.lane !== lane || ns < bar.startNs - slack || ns > endOf(bar) + slack) continue;
      if (best === undefined || bar.durationNs < best.durationNs) best = bar;
    }
    return best;
  };

  const wheel = useRef<(event: WheelEvent) => void>(undefined);
  wheel.current = (event) => {
    // The page scrolls on until the chart was clicked; pinching comes as a wheel with Ctrl.
    if (!event.ctrlKey && document.activeElement !== canvas.current) return;
    event.preventDefault();
    const scale = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 200 : 1;
    const dx = event.deltaX * scale;
    const dy = event.deltaY * scale;
    if (Math.abs(dx) > Math.abs(dy) && !event.ctrlKey) pan(dx / Math.max(1, width));
    else {
      const by = Math.max(-120, Math.min(120, dy));
      zoom(Math.exp(by * (event.ctrlKey ? 0.01 : 0.003)), nsAt(event.clientX));
    }
  };
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const listen = (event: WheelEvent): void => wheel.current?.(event);
    element.addEventListener('wheel', listen, { passive: false });
    return () => element.removeEventListener('wheel', listen);
  }, [asTable, problem === undefined]);

  const single = bars.filter((bar) => bar.slice >= 0);
  /** The longest of those in a lane; the shortest cannot be seen. */
  const longest = (among: readonly Bar[], lane: number): Bar | undefined =>
    among
      .filter((bar) => bar.lane === lane)
      .reduce<Bar | undefined>(
        (best, bar) => (best === undefined || bar.durationNs > best.durationNs ? bar : best),
        undefined,
      );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
      case 'ArrowRight':
        if (current === undefined || event.shiftKey) pan(0.25);
        else
          choose(single.find((bar) => bar.lane === current.lane && bar.startNs >= endOf(current)));
        break;
      case 'ArrowLeft':
        if (current === undefined || event.shiftKey) pan(-0.25);
        else
          choose(
            single
              .filter((bar) => bar.lane === current.lane && endOf(bar) <= current.startNs)
              .at(-1),
          );
        break;
      case 'ArrowDown':
        if (current === undefined) choose(single.find(isShown));
        else
          choose(
            longest(
              single.filter(
                (bar) => bar.startNs >= current.startNs && endOf(bar) <= endOf(current),
              ),
              current.lane + 1,
            ),
          );
        break;
      case 'ArrowUp':
        if (current === undefined) choose(single.find(isShown));
        else
          choose(
            longest(
              single.filter(
                (bar) => bar.startNs <= current.startNs && endOf(bar) >= endOf(current),
              ),
              current.lane - 1,
            ),
          );
        break;
      case 'Enter':
      case ' ':
        if (current === undefined) choose(single.find(isShown));
        else fit(current);
        break;
      case '+':
      case '=':
        zoom(0.5);
        break;
      case '-':
        zoom(2);
        break;
      case '0':
        showAll();
        break;
      case 'Escape':
        if (selected.value >= 0) selected.value = -1;
        else showAll();
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  if (problem !== undefined) {
    return <Failure error={problem} retry={() => setProblem(undefined)} />;
  }
  const inSight = asTable ? bars.filter(isShown) : [];
  const markedShown = markedBars.filter(isShown).reduce((sum, bar) => sum + bar.count, 0);
  const facts =
    detail === undefined
      ? ''
      : `${quantity(detail.durationNs, 'ns')} at ${quantity(detail.startNs, 'ns')}, self ${quantity(detail.selfNs, 'ns')}`;
  return (
    <div
      class="flame strip"
      ref={root}
      data-window={`${Math.round(shown.startNs)} ${Math.round(shown.endNs)}`}
      data-track={track.id}
      aria-busy={!settled}
    >
      <div class="flame-bar">
        <span class="flame-current">
          {detail === undefined ? (
            <span class="note">
              Click a bar for its figures; then the wheel zooms. Drag to move.
            </span>
          ) : (
            <>
              <strong>{visible(detail.name)}</strong> <span>{facts}</span>
              {linksOf(detail).map((action) => (
                <LinkButton key={action.label} title={action.title} onClick={action.run}>
                  {action.label}
                </LinkButton>
              ))}
            </>
          )}
          {zoomed ? <LinkButton onClick={showAll}>Show all</LinkButton> : null}
          {props.marked.value === '' ? null : (
            <>
              <span class="note">
                {plural(markedShown, 'call')} of {visible(props.marked.value)} outlined
              </span>
              <LinkButton
                label={`Remove the outline of ${props.marked.value}`}
                onClick={() => (props.marked.value = '')}
              >
                Clear
              </LinkButton>
            </>
          )}
        </span>
        <span class="panel-actions">
          <ChartMenu name={props.name} chart={root} asTable={twin} pngOnly />
        </span>
      </div>
      {asTable ? (
        <>
          <PlainTable
            label={props.name}
            columns={[
              { title: 'Name' },
              { title: 'Kind', definition: 'Operator, call of a module, or annotation.' },
              {
                title: 'Start (\u00b5s)',
                numeric: true,
                definition: 'Since the start of the trace.',
              },
              { title: 'Duration (\u00b5s)', numeric: true, definition: 'From start to end.' },
              {
                title: 'Depth',
                numeric: true,
                definition: 'Operators, module calls and annotations that it ran in.',
              },
            ]}
            rows={inSight
              .slice(0, maxTwinRows)
              .map((bar) => [
                bar.slice < 0 ? (
                  nameOf(bar)
                ) : (
                  <LinkButton onClick={() => choose(bar)}>{nameOf(bar)}</LinkButton>
                ),
                stripKind(bar.kind, bar.name) ?? '',
                fixed(bar.startNs / 1e3, 3),
                fixed(bar.durationNs / 1e3, 3),
                String(bar.lane),
              ])}
          />
          {inSight.length <= maxTwinRows ? null : (
            <p class="note">and {fixed(inSight.length - maxTwinRows, 0)} more: zoom in</p>
          )}
        </>
      ) : (
        <canvas
          ref={canvas}
          class="flame-canvas strip-canvas"
          role="application"
          aria-roledescription="chart"
          aria-label={`${props.name}. ${detail === undefined ? 'Nothing is selected' : `${visible(detail.name)}, ${facts}`}. Enter selects the first bar and zooms to the selected one, arrows walk, plus and minus zoom, Shift and arrows move, Escape goes back.`}
          tabIndex={0}
          style={{ width: `${width}px`, height: `${titlePx + rulerHeight + height}px` }}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            canvas.current?.setPointerCapture(event.pointerId);
            drag.current = { x: event.clientX, ...shown, moved: false };
            setTip(undefined);
          }}
          onPointerMove={(event) => {
            const from = drag.current;
            if (from !== undefined) {
              if (!from.moved && Math.abs(event.clientX - from.x) < 4) return;
              from.moved = true;
              const by =
                ((from.x - event.clientX) / Math.max(1, width)) * (from.endNs - from.startNs);
              setWindow(from.startNs + by, from.endNs + by);
              return;
            }
            const bar = barAt(event);
            const box = root.current!.getBoundingClientRect();
            setTip(
              bar === undefined
                ? undefined
                : { bar, x: event.clientX - box.left, y: event.clientY - box.top },
            );
          }}
          onPointerUp={(event) => {
            const from = drag.current;
            drag.current = undefined;
            if (from === undefined || from.moved) return;
            const bar = barAt(event);
            if (bar === undefined) selected.value = -1;
            else choose(bar);
          }}
          onPointerCancel={() => {
            drag.current = undefined;
          }}
          onPointerLeave={() => setTip(undefined)}
          onDblClick={(event) => {
            const bar = barAt(event);
            if (bar !== undefined) fit(bar);
          }}
        />
      )}
      {tip === undefined || asTable ? null : (
        <div
          class="tooltip floating"
          role="presentation"
          style={{
            left: `${Math.max(0, Math.min(tip.x + 12, width - 330))}px`,
            top: `${tip.y + 16}px`,
          }}
        >
          <div class="tooltip-title">{nameOf(tip.bar)}</div>
          <div>
            {quantity(tip.bar.durationNs, 'ns')} at {quantity(tip.bar.startNs, 'ns')}
          </div>
          {tip.bar.slice < 0 ? (
            <div>Zoom in to see them</div>
          ) : hovered === undefined ? null : (
            <div>Self {quantity(hovered.selfNs, 'ns')}</div>
          )}
        </div>
      )}
    </div>
  );
}
