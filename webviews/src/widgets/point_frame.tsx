// The frame of a chart of points that the pointer and the arrow keys visit one by one.
import type { ComponentChildren } from 'preact';
import { commonTexts } from '../lib/texts.ts';

export function PointFrame(props: {
  class: string;
  /** What a screen reader says: the chart, its keys, and the point that is visited. */
  label: string;
  width: number;
  height: number;
  onKeyDown: (event: KeyboardEvent) => void;
  /** It was reached by the keyboard. */
  onReach: () => void;
  /** Neither pointer nor keyboard is at it any more. */
  onLeave: () => void;
  children: ComponentChildren;
}) {
  const width = Math.max(1, props.width);
  return (
    <div
      class={props.class}
      role="application"
      aria-roledescription={commonTexts.chartRole}
      aria-label={props.label}
      tabIndex={0}
      onKeyDown={props.onKeyDown}
      onFocus={(event) => {
        if ((event.target as HTMLElement).matches(':focus-visible')) props.onReach();
      }}
      onBlur={props.onLeave}
      onPointerLeave={props.onLeave}
    >
      <svg
        class="chart"
        width={width}
        height={props.height}
        viewBox={`0 0 ${width} ${props.height}`}
        aria-hidden="true"
      >
        {props.children}
      </svg>
    </div>
  );
}
