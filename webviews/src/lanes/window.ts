// Windows of time: which part of the trace is on the screen. Pure.

export interface TimeWindow {
  startNs: number;
  endNs: number;
}

/** Keeps a window inside the trace and no narrower than a few ns. */
export function clampWindow(startNs: number, endNs: number, extent: TimeWindow): TimeWindow {
  const whole = Math.max(10, extent.endNs - extent.startNs);
  const slack = whole * 0.02;
  const span = Math.min(Math.max(endNs - startNs, 10), whole + 2 * slack);
  let start = startNs;
  if (endNs - startNs !== span) start = (startNs + endNs) / 2 - span / 2;
  start = Math.min(Math.max(start, extent.startNs - slack), extent.endNs + slack - span);
  return { startNs: start, endNs: start + span };
}

/** `factor` times as much time, with `atNs` where it was. */
export function zoomed({ startNs, endNs }: TimeWindow, factor: number, atNs: number): TimeWindow {
  return { startNs: atNs - (atNs - startNs) * factor, endNs: atNs + (endNs - atNs) * factor };
}

/** The same span of time, later by a part of itself. */
export function panned({ startNs, endNs }: TimeWindow, part: number): TimeWindow {
  const by = (endNs - startNs) * part;
  return { startNs: startNs + by, endNs: endNs + by };
}

/** A range with some room around it. */
export function around(startNs: number, endNs: number): TimeWindow {
  const span = Math.max(endNs - startNs, 20);
  return { startNs: startNs - span * 0.15, endNs: startNs + span * 1.15 };
}

/** The same span of time around a moment. */
export function centered({ startNs, endNs }: TimeWindow, atNs: number): TimeWindow {
  const span = endNs - startNs;
  return { startNs: atNs - span / 2, endNs: atNs + span / 2 };
}
