// The frame of a chart of points that the pointer and the arrow keys visit one by one.
import type { ComponentChildren } from 'preact';
import { commonTexts } from '../lib/texts.ts';

interface FieldProps {
  class: string;
  /** What a screen reader says: the chart, its keys, and the part that is visited. */
  label: string;
  onKeyDown: (event: KeyboardEvent) => void;
  /** It was reached by the keyboard. */
  onReach: () => void;
  /** Neither pointer nor keyboard is at it any more. */
  onLeave: () => void;
  children: ComponentChildren;
}

/** A chart as one stop of the keyboard; `role` says what it is. */
export function ChartField(props: FieldProps & { role: string }) {
  return (
    <div
      class={props.class}
      role="application"
      aria-roledescription={props.role}
      aria-label={props.label}
      tabIndex={0}
      onKeyDown={props.onKeyDown}
      onFocus={(event) => {
        if ((event.target as HTMLElement).matches(':focus-visible')) props.onReach();
      }}
      onBlur={props.onLeave}
      onPointerLeave={props.onLeave}
    >
      {props.children}
    </div>
  );
}

export function PointFrame(props: FieldProps & { width: number; height: number }) {
  const { children, height, ...field } = props;
  const width = Math.max(1, props.width);
  return (
    <ChartField {...field} role={commonTexts.chartRole}>
      <svg
        class="chart"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        aria-hidden="true"
      >
        {children}
      </svg>
    </ChartField>
  );
}
