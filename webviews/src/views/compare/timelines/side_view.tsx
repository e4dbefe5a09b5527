// One of the two timelines: the names of its rows, and its lanes on one canvas.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SideName } from '#shared/comparison.ts';
import { quantity } from '#shared/numbers.ts';
import { compared, reducedMotion, wheelHabit } from '../../../host/store.ts';
import { Layers, layersTopPx } from '../../../lanes/layers.ts';
import { namesPxIn, type Layout } from '../../../lanes/rows.ts';
import { visibleRows, type Scene } from '../../../lanes/scene.ts';
import { useWindowSource } from '../../../lanes/use_source.ts';
import { wheelMove, wheelPx } from '../../../lanes/wheel.ts';
import { visible } from '../../../lib/format.ts';
import { TrackName } from '../../../widgets/name.tsx';
import { Failure, Waiting } from '../../../widgets/notices.tsx';
import { hitAt, type Hit } from '../../../lanes/hits.ts';
import { layoutRows } from '../../../lanes/layout.ts';
import { commonTexts } from '../../../lib/texts.ts';
import { sideColors } from '../level_chart.tsx';
import { sideTitles } from '../links.ts';
import { askSide, failedOn, lanesOf } from './lanes.ts';
import { onPairKey } from './pair_keys.ts';
import { clearSelection, leader, pan, select, show, zoom } from './pair.ts';
import { pairTexts } from './texts.ts';

/** What the pointer may move before a press is a drag. */
const dragPx = 4;

/** How large an element is, CSS pixels; 0 until it was measured. */
function useSize(element: { readonly current: HTMLElement | null }) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const measured = element.current;
    if (measured === null) return undefined;
    const observer = new ResizeObserver(() =>
      setSize({ width: measured.clientWidth, height: measured.clientHeight }),
    );
    observer.observe(measured);
    return () => observer.disconnect();
  }, []);
  return size;
}

function RowNames(props: { side: SideName; layout: Layout; widthPx: number }) {
  const lanes = lanesOf(props.side);
  const toggle = (key: string): void => {
    const list = lanes.toggled.peek();
    lanes.toggled.value = list.includes(key) ? list.filter((one) => one !== key) : [...list, key];
  };
  return (
    <div class="tl-labels" style={{ top: `${layersTopPx}px`, width: `${props.widthPx}px` }}>
      {props.layout.headings.map(({ text, y }) => (
        <div key={text} class="tl-heading" style={{ top: `${y}px` }} title={text}>
          {visible(text)}
        </div>
      ))}
      {props.layout.rows.map(({ track, key, y, height, open }) => (
        <div
          key={track.id}
          class={`tl-label ${open ? 'open' : ''}`}
          style={{ top: `${y}px`, height: `${height}px` }}
        >
          <button
            type="button"
            class="tl-fold"
            aria-expanded={open}
            aria-label={`${track.name}, ${commonTexts.slices(track.slices)}`}
            title={`${track.name}\n${track.detail}`}
            onClick={() => toggle(key)}
          >
            <span class={`codicon-chevron ${open ? 'down' : ''}`} aria-hidden="true" />
            <span class="tl-name" aria-hidden="true">
              <TrackName name={track.name} />
            </span>
          </button>
        </div>
      ))}
    </div>
  );
}

type Drag = {
  x: number;
  y: number;
  startNs: number;
  endNs: number;
  scroll: number;
  moved: boolean;
};

export function SideTimeline({ side }: { side: SideName }) {
  const lanes = lanesOf(side);
  const viewport = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<Drag>(undefined);
  const layers = useRef<Layers>(undefined);
  const [scroll, setScroll] = useState(0);
  const [tip, setTip] = useState<Hit['pointed'] | undefined>(undefined);
  const [settled, setSettled] = useState(false);
  const { source, palette } = useWindowSource(
    (error) => failedOn(side, error),
    undefined,
    (params, signal) => askSide(side, 'timeline/window', params, signal),
  );
  const size = useSize(viewport);
  const all = lanes.tracks.value;
  const shown = lanes.window.value;
  const detail = lanes.detail.value;
  const toggled = lanes.toggled.value;
  const layout = useMemo(
    () => layoutRows(all?.tracks ?? [], { pinned: [], hidden: [], order: [], toggled }, ''),
    [all, toggled],
  );
  const namesPx = namesPxIn(size.width);
  const width = Math.max(50, size.width - namesPx);
  const height = Math.max(20, size.height - layersTopPx);
  const drawn = all !== undefined && size.width > 0 && shown.endNs > shown.startNs;
  const scene = (): Scene | undefined =>
    all === undefined
      ? undefined
      : {
          width,
          namesPx,
          height,
          ...shown,
          scroll,
          layout,
          data: source.rows,
          tracks: all,
          detail,
          arrows: [],
          gaps: [],
          gapsDevice: null,
          instant: undefined,
          mark: null,
          found: new Set(),
        };

  // Before anything is asked of the new tracks: cleared later, what was asked would be lost with it.
  useLayoutEffect(() => source.clear(), [all]);
  useEffect(() => () => layers.current?.dispose(), []);
  useLayoutEffect(() => {
    const now = scene();
    if (!drawn || now === undefined || canvas.current === null) return;
    layers.current ??= new Layers();
    layers.current.draw(canvas.current, now, palette);
    const near = visibleRows(now, height / 2).map(({ track }) => track);
    source.want(
      { ...shown, pixels: Math.round(width) },
      near.map(({ id }) => id),
      new Set(near.filter(({ maxValue }) => maxValue !== null).map(({ id }) => id)),
    );
    setSettled(source.settled);
  });

  const reveal = lanes.reveal.value;
  useEffect(() => {
    const row = layout.rows.find(({ track }) => track.id === detail?.track);
    const element = viewport.current;
    if (reveal === 0 || row === undefined || detail === undefined || element === null) return;
    const top = row.y + Math.min(detail.lane * row.laneHeight, row.height);
    if (top >= element.scrollTop && top + row.laneHeight <= element.scrollTop + height) return;
    element.scrollTo({
      top: Math.max(0, top - height / 3),
      behavior: reducedMotion.peek() ? 'instant' : 'auto',
    });
  }, [reveal]);

  const nsAt = (clientX: number): number => {
    const left = canvas.current?.getBoundingClientRect().left ?? 0;
    return shown.startNs + ((clientX - left) / width) * (shown.endNs - shown.startNs);
  };
  const hit = (event: MouseEvent): Hit | undefined => {
    const now = scene();
    const box = canvas.current?.getBoundingClientRect();
    return now === undefined || box === undefined
      ? undefined
      : hitAt(now, event.clientX - box.left, event.clientY - box.top - layersTopPx);
  };
  const wheel = useRef<(event: WheelEvent) => void>(undefined);
  wheel.current = (event) => {
    if (event.clientX < (canvas.current?.getBoundingClientRect().left ?? 0)) return;
    event.preventDefault();
    const { dx, dy } = wheelPx(event);
    const move = wheelMove(event, wheelHabit.peek());
    setTip(undefined);
    if (event.shiftKey && !event.ctrlKey) viewport.current!.scrollTop += dy === 0 ? dx : dy;
    else if (move.kind === 'scroll') viewport.current!.scrollTop += move.px;
    else if (move.kind === 'pan') pan(side, move.px / width);
    else zoom(side, move.factor, nsAt(event.clientX));
  };
  useEffect(() => {
    const element = viewport.current!;
    const listen = (event: WheelEvent): void => wheel.current?.(event);
    element.addEventListener('wheel', listen, { passive: false });
    return () => element.removeEventListener('wheel', listen);
  }, []);

  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    canvas.current!.focus({ preventScroll: true });
    canvas.current!.setPointerCapture(event.pointerId);
    const { startNs, endNs } = shown;
    const from = viewport.current!.scrollTop;
    drag.current = {
      x: event.clientX,
      y: event.clientY,
      startNs,
      endNs,
      scroll: from,
      moved: false,
    };
    setTip(undefined);
  };
  const move = (event: PointerEvent): void => {
    const now = drag.current;
    if (now === undefined) {
      setTip(hit(event)?.pointed);
      return;
    }
    const far = Math.abs(event.clientX - now.x) + Math.abs(event.clientY - now.y);
    if (!now.moved && far < dragPx) return;
    now.moved = true;
    const by = ((now.x - event.clientX) / width) * (now.endNs - now.startNs);
    show(side, { startNs: now.startNs + by, endNs: now.endNs + by });
    viewport.current!.scrollTop = now.scroll + now.y - event.clientY;
  };
  const up = (event: PointerEvent): void => {
    const now = drag.current;
    drag.current = undefined;
    if (now === undefined || now.moved) return;
    leader.value = side;
    const found = hit(event);
    if (found === undefined || found.slice < 0) clearSelection();
    else void select(side, found.slice);
  };
  const title = sideTitles[side];
  const name = compared.value?.[side].title ?? '';
  const { value: failure } = lanes.failure;
  const chosen =
    detail === undefined ? '' : ` ${visible(detail.name)}, ${quantity(detail.durationNs, 'ns')}.`;
  return (
    <div
      class="pair-side"
      role="group"
      aria-label={pairTexts.timelineOf(side)}
      data-window={`${shown.startNs} ${shown.endNs}`}
      data-settled={settled ? 'true' : 'false'}
    >
      {failure === undefined ? null : <Failure error={failure} />}
      {all === undefined && failure === undefined ? (
        <Waiting what={pairTexts.arrangingRows} />
      ) : null}
      <div
        ref={viewport}
        class="pair-viewport"
        onScroll={() => setScroll(viewport.current?.scrollTop ?? 0)}
      >
        <div class="pair-content" style={{ height: `${layersTopPx + layout.height}px` }}>
          <RowNames side={side} layout={layout} widthPx={namesPx} />
          <div class="pair-sticky">
            <div
              class="pair-corner"
              style={{ width: `${namesPx}px`, height: `${layersTopPx}px` }}
              title={visible(name)}
            >
              <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                <rect width="10" height="10" rx="2" fill={sideColors[side]} />
              </svg>
              <span>{title}</span>
              <strong>{visible(name)}</strong>
            </div>
            <canvas
              ref={canvas}
              class="pair-lanes"
              style={{
                left: `${namesPx}px`,
                width: `${width}px`,
                height: `${layersTopPx + height}px`,
              }}
              tabIndex={0}
              role="application"
              aria-label={pairTexts.timelineAndKeys(side, chosen)}
              onPointerDown={down}
              onPointerMove={move}
              onPointerUp={up}
              onPointerLeave={() => setTip(undefined)}
              onKeyDown={(event) => onPairKey(event, side, layout, source.rows)}
            />
            {tip === undefined ? null : (
              <div
                class="tl-tip"
                style={{
                  left: `${namesPx + Math.min(tip.x + 12, Math.max(0, width - 320))}px`,
                  top: `${Math.min(layersTopPx + tip.y + 16, Math.max(0, size.height - 60))}px`,
                }}
              >
                {tip.text}
              </div>
            )}
          </div>
        </div>
      </div>
    </div>
  );
}
