// What shows beside the pointer over a chart.
import type { ComponentChildren } from 'preact';

const roomPx = 330;

interface Place {
  /** From the corner of the chart, which is `width` wide. */
  x: number;
  y: number;
  width: number;
}

/** A tooltip of lines, of which the first is the title. */
export function LinesTooltip(props: Place & { lines: readonly string[] }) {
  const { lines, ...place } = props;
  return (
    <Tooltip {...place} title={lines[0] ?? ''}>
      {lines.slice(1).map((line, index) => (
        <div key={index}>{line}</div>
      ))}
    </Tooltip>
  );
}

export function Tooltip(props: Place & { title: string; children: ComponentChildren }) {
  const left = Math.max(0, Math.min(props.x + 12, props.width - roomPx));
  return (
    <div
      class="tooltip floating"
      role="tooltip"
      style={{ left: `${left}px`, top: `${props.y + 16}px` }}
    >
      <div class="tooltip-title">{props.title}</div>
      {props.children}
    </div>
  );
}
