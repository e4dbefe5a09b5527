// The axes of a chart: lines across at the marks, their texts, and a title for each axis.

export interface Mark {
  /** Pixels from the chart's corner. */
  px: number;
  text: string;
}

export interface Plot {
  /** The whole chart. */
  width: number;
  height: number;
  margin: { top: number; right: number; bottom: number; left: number };
}

export function Axes(props: {
  plot: Plot;
  /** Marks from left to right; absent where the chart names what stands there itself. */
  xs?: readonly Mark[];
  ys: readonly Mark[];
  xTitle: string;
  yTitle: string;
}) {
  const { width, height, margin } = props.plot;
  const [right, bottom] = [width - margin.right, height - margin.bottom];
  return (
    <>
      {props.ys.map(({ px, text }) => (
        <g key={px}>
          <line class="grid-line" x1={margin.left} x2={right} y1={px} y2={px} />
          <text class="axis-text" x={margin.left - 6} y={px + 4} text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {props.xs?.map(({ px, text }) => (
        <g key={px}>
          <line class="grid-line" x1={px} x2={px} y1={margin.top} y2={bottom} />
          <text class="axis-text" x={px} y={bottom + 15} text-anchor="middle">
            {text}
          </text>
        </g>
      ))}
      <text
        class="axis-title"
        transform={`translate(12 ${(margin.top + bottom) / 2}) rotate(-90)`}
        text-anchor="middle"
      >
        {props.yTitle}
      </text>
      <text class="axis-title" x={(margin.left + right) / 2} y={height - 6} text-anchor="middle">
        {props.xTitle}
      </text>
    </>
  );
}
