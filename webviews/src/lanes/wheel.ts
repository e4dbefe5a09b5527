// The wheel over lanes: sideways moves in time, up and down zooms at the pointer or scrolls the rows, as
// the user has set it.
import type { WheelHabit } from '#shared/messages.ts';

export type WheelMove =
  { kind: 'pan'; px: number } | { kind: 'zoom'; factor: number } | { kind: 'scroll'; px: number };

/** A trackpad turns in small or broken steps, or sideways; a mouse in whole notches. */
function isTrackpad(event: WheelEvent): boolean {
  const { deltaX, deltaY, deltaMode } = event;
  return deltaMode === 0 && (deltaX !== 0 || !Number.isInteger(deltaY) || Math.abs(deltaY) < 40);
}

/** How far a wheel turned, in pixels, whatever the browser counts in. */
export function wheelPx(event: WheelEvent): { dx: number; dy: number } {
  const scale = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 200 : 1;
  return { dx: event.deltaX * scale, dy: event.deltaY * scale };
}

/** Pinching comes as a wheel with Ctrl, in finer steps. */
export function wheelMove(event: WheelEvent, habit: WheelHabit = 'zoom'): WheelMove {
  const { dx, dy } = wheelPx(event);
  if (Math.abs(dx) > Math.abs(dy) && !event.ctrlKey) return { kind: 'pan', px: dx };
  const scrolls = habit === 'scroll' || (habit === 'auto' && isTrackpad(event));
  if (scrolls && !event.ctrlKey && !event.metaKey) return { kind: 'scroll', px: dy };
  const by = Math.max(-120, Math.min(120, dy));
  return { kind: 'zoom', factor: Math.exp(by * (event.ctrlKey ? 0.01 : 0.003)) };
}
