// A chart on a canvas whose parts the pointer and the keys visit one by one.
import type { ComponentChildren, Ref } from 'preact';
import { ChartField } from './point_frame.tsx';

/** Fits a canvas to the screen's pixels and gives its context, in CSS pixels, with the page's font. */
export function sharpContext(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  // Setting a size clears the canvas and its context.
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.scale(ratio, ratio);
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  context.textBaseline = 'middle';
  return context;
}

export function CanvasField(props: {
  canvas: Ref<HTMLCanvasElement>;
  /** What it is, and what a screen reader says: its name, its keys, and the part that is visited. */
  role: string;
  label: string;
  width: number;
  height: number;
  onKeyDown: (event: KeyboardEvent) => void;
  onReach: () => void;
  onLeave: () => void;
  onPoint: (event: PointerEvent) => void;
  onPick: (event: MouseEvent) => void;
  /** What lies over the canvas. */
  children?: ComponentChildren;
}) {
  return (
    <ChartField
      class="heat-field"
      role={props.role}
      label={props.label}
      onKeyDown={props.onKeyDown}
      onReach={props.onReach}
      onLeave={props.onLeave}
    >
      <canvas
        ref={props.canvas}
        style={{ width: `${props.width}px`, height: `${props.height}px` }}
        onPointerMove={props.onPoint}
        onClick={props.onPick}
      />
      {props.children}
    </ChartField>
  );
}
