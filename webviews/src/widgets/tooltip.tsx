// What shows beside the pointer over a chart.
import type { ComponentChildren } from 'preact';

const roomPx = 330;

/** `x` and `y` are from the corner of the chart, which is `width` wide. */
export function Tooltip(props: {
  x: number;
  y: number;
  width: number;
  title: string;
  children: ComponentChildren;
}) {
  const left = Math.max(0, Math.min(props.x + 12, props.width - roomPx));
  return (
    <div
      class="tooltip floating"
      role="presentation"
      style={{ left: `${left}px`, top: `${props.y + 16}px` }}
    >
      <div class="tooltip-title">{props.title}</div>
      {props.children}
    </div>
  );
}
