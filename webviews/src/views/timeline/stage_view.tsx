// The timeline's canvases in the page, with pointer and wheel.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { wheelHabit } from '../../host/store.ts';
import { wheelMove, wheelPx } from '../../lanes/wheel.ts';
import { centered } from '../../lanes/window.ts';
import type { Pointed } from '../../lanes/hits.ts';
import { Labels } from './labels.tsx';
import { Stage } from './stage.ts';
import {
  extentOf,
  fit,
  markedRange,
  pan,
  panel,
  scrollTop,
  select,
  selectInstant,
  setWindow,
  shownWindow,
  tracks,
  zoom,
} from './state.ts';
import { failed, layout, namesPx } from './status.ts';
import { timelineTexts } from './texts.ts';

const tip = signal<Pointed | undefined>(undefined);

type Drag =
  | {
      kind: 'pan';
      x: number;
      y: number;
      startNs: number;
      endNs: number;
      scroll: number;
      moved: boolean;
    }
  | { kind: 'mark'; fromNs: number; y: number; moved: boolean };

export function StageView(props: {
  onReady: (stage: Stage | undefined) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const viewport = useRef<HTMLDivElement>(null);
  const boxes = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const ruler = useRef<HTMLCanvasElement>(null);
  const minimap = useRef<HTMLCanvasElement>(null);
  const stage = useRef<Stage>(undefined);
  const drag = useRef<Drag>(undefined);

  useEffect(() => {
    const made = new Stage({
      viewport: viewport.current!,
      boxes: boxes.current!,
      overlay: overlay.current!,
      ruler: ruler.current!,
      minimap: minimap.current!,
    });
    stage.current = made;
    props.onReady(made);
    const wheel = (event: WheelEvent): void => {
      // Over the names of rows the page scrolls as anywhere else.
      if (event.clientX < overlay.current!.getBoundingClientRect().left) return;
      event.preventDefault();
      if (event.shiftKey && !event.ctrlKey) {
        const { dx, dy } = wheelPx(event);
        viewport.current!.scrollTop += dy === 0 ? dx : dy;
        return;
      }
      const move = wheelMove(event, wheelHabit.peek());
      if (move.kind === 'scroll') viewport.current!.scrollTop += move.px;
      else if (move.kind === 'pan') pan(move.px / overlay.current!.clientWidth);
      else zoom(move.factor, made.nsAt(event.clientX));
    };
    viewport.current!.addEventListener('wheel', wheel, { passive: false });
    const element = viewport.current!;
    return () => {
      element.removeEventListener('wheel', wheel);
      props.onReady(undefined);
      made.dispose();
    };
  }, []);

  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    overlay.current!.focus({ preventScroll: true });
    overlay.current!.setPointerCapture(event.pointerId);
    const { startNs, endNs } = shownWindow.peek();
    drag.current = event.shiftKey
      ? { kind: 'mark', fromNs: stage.current!.nsAt(event.clientX), y: event.clientY, moved: false }
      : {
          kind: 'pan',
          x: event.clientX,
          y: event.clientY,
          startNs,
          endNs,
          scroll: viewport.current!.scrollTop,
          moved: false,
        };
    tip.value = undefined;
  };
  const move = (event: PointerEvent): void => {
    const now = drag.current;
    const at = stage.current;
    if (at === undefined) return;
    if (now === undefined) {
      tip.value = at.hit(event.clientX, event.clientY)?.pointed;
      return;
    }
    if (now.kind === 'pan') {
      if (!now.moved && Math.abs(event.clientX - now.x) + Math.abs(event.clientY - now.y) < 4)
        return;
      now.moved = true;
      const by =
        ((now.x - event.clientX) / overlay.current!.clientWidth) * (now.endNs - now.startNs);
      setWindow(now.startNs + by, now.endNs + by);
      viewport.current!.scrollTop = now.scroll + now.y - event.clientY;
    } else {
      now.moved = true;
      const ns = at.nsAt(event.clientX);
      markedRange.value = {
        startNs: Math.round(Math.min(now.fromNs, ns)),
        endNs: Math.round(Math.max(now.fromNs, ns)),
        ...(Math.abs(event.clientY - now.y) > 12
          ? { tracks: at.rowsBetween(now.y, event.clientY) }
          : {}),
      };
    }
  };
  const up = (event: PointerEvent): void => {
    const now = drag.current;
    drag.current = undefined;
    const at = stage.current;
    if (at === undefined || now === undefined) return;
    if (now.moved) {
      if (now.kind === 'mark') panel.value = 'details';
      return;
    }
    const hit = at.hit(event.clientX, event.clientY);
    if (hit === undefined || hit.slice < 0) {
      if (hit !== undefined && hit.instant >= 0) void selectInstant(hit.instant).catch(failed);
      else void select(-1);
    } else {
      void select(hit.slice, false).catch(failed);
    }
  };
  const double = (event: MouseEvent): void => {
    const hit = stage.current?.hit(event.clientX, event.clientY);
    const range = hit === undefined ? undefined : stage.current!.boxRange(hit);
    if (range !== undefined) fit(range.startNs, range.endNs);
  };
  const seek = (event: PointerEvent): void => {
    if (event.buttons !== 1 || tracks.peek() === undefined) return;
    const box = minimap.current!.getBoundingClientRect();
    const extent = extentOf(tracks.peek()!);
    const ns =
      extent.startNs + ((event.clientX - box.left) / box.width) * (extent.endNs - extent.startNs);
    const to = centered(shownWindow.peek(), ns);
    setWindow(to.startNs, to.endNs);
  };
  const shown = tip.value;
  return (
    <div class="tl-stage">
      <canvas
        ref={minimap}
        class="tl-minimap"
        style={{ marginLeft: `${namesPx.value}px` }}
        role="img"
        aria-label={timelineTexts.minimapHint}
        onPointerDown={seek}
        onPointerMove={seek}
      />
      <div class="tl-ruler" style={{ paddingLeft: `${namesPx.value}px` }}>
        <canvas ref={ruler} role="img" aria-label={timelineTexts.timeWithSteps} />
      </div>
      <div class="tl-frame">
        <div
          ref={viewport}
          class="tl-viewport"
          role="group"
          aria-label={timelineTexts.tracks}
          onScroll={() => {
            scrollTop.value = viewport.current!.scrollTop;
            stage.current?.redraw();
          }}
        >
          <div class="tl-content" style={{ height: `${layout.value.height}px` }}>
            <Labels />
            <div class="tl-sticky" style={{ marginLeft: `${namesPx.value}px` }}>
              <canvas ref={boxes} class="tl-boxes" aria-hidden="true" />
              <canvas
                ref={overlay}
                class="tl-overlay"
                tabIndex={0}
                role="application"
                aria-label={timelineTexts.tracksLabel}
                onPointerDown={down}
                onPointerMove={move}
                onPointerUp={up}
                onPointerLeave={() => {
                  tip.value = undefined;
                }}
                onDblClick={double}
                onKeyDown={props.onKeyDown}
              />
              {shown === undefined ? null : (
                <div
                  class="tl-tip"
                  role="tooltip"
                  style={{
                    left: `${Math.min(shown.x + 12, Math.max(0, (overlay.current?.clientWidth ?? 400) - 320))}px`,
                    top: `${shown.y + 16}px`,
                  }}
                >
                  {shown.text}
                </div>
              )}
            </div>
          </div>
        </div>
      </div>
    </div>
  );
}
