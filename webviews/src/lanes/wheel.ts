// The wheel over lanes: sideways moves in time, up and down zooms at the pointer.
export type WheelMove = { kind: 'pan'; px: number } | { kind: 'zoom'; factor: number };

/** How far a wheel turned, in pixels, whatever the browser counts in. */
export function wheelPx(event: WheelEvent): { dx: number; dy: number } {
  const scale = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 200 : 1;
  return { dx: event.deltaX * scale, dy: event.deltaY * scale };
}

/** Pinching comes as a wheel with Ctrl, in finer steps. */
export function wheelMove(event: WheelEvent): WheelMove {
  const { dx, dy } = wheelPx(event);
  if (Math.abs(dx) > Math.abs(dy) && !event.ctrlKey) return { kind: 'pan', px: dx };
  const by = Math.max(-120, Math.min(120, dy));
  return { kind: 'zoom', factor: Math.exp(by * (event.ctrlKey ? 0.01 : 0.003)) };
}
