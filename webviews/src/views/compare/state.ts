// What the tabs of a comparison share: the answer that comes first, and which time is compared.
import type { Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { sideNames } from '#shared/comparison.ts';
import type { CompareVerdictResult } from '#shared/protocol.ts';
import type { Answer } from '../../host/query.ts';
import { viewState } from '../../host/view_state.ts';
import { compared } from '../../host/store.ts';

export type ComparedTime = 'host' | 'device';

export type Verdict = Answer<CompareVerdictResult> & { retry(): void };

export const VerdictContext = createContext<Verdict | undefined>(undefined);

/** The verdict, asked for once by the frame around the tabs. */
export function useVerdict(): Verdict {
  return useContext(VerdictContext)!;
}

/** The time that the user chose; empty: the one that the verdict finds to be telling. */
export function chosenTime(): Signal<ComparedTime | ''> {
  return viewState<ComparedTime | ''>('compare', 'time', '');
}

/** Whether both sides have work of a device, so that there is a choice of times. */
export function bothHaveDevice(): boolean {
  const sides = compared.value;
  return (
    sides?.baseline.loaded?.trace.hasDeviceWork === true &&
    sides.candidate.loaded?.trace.hasDeviceWork === true
  );
}

/** The time that every tab compares; undefined until it is known. */
export function useComparedTime(): ComparedTime | undefined {
  const { value, error } = useVerdict();
  const chosen = chosenTime().value;
  if (!bothHaveDevice()) return 'host';
  return chosen !== '' ? chosen : (value?.time ?? (error === undefined ? undefined : 'host'));
}

/** What a trace of either side says of itself. */
export function eitherHas(
  flag: 'hasDeviceWork' | 'hasModules' | 'hasShapes' | 'hasMemory' | 'hasCommunication',
): boolean {
  const sides = compared.value;
  return [sides?.baseline, sides?.candidate].some((side) => side?.loaded?.trace[flag] === true);
}

/**
 * The state of the tabs after the sides were swapped: what is named after a side ("baselineWindow")
 * goes with it, and so does the side that leads both timelines.
 */
export function swappedState(state: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const other = { baseline: 'candidate', candidate: 'baseline' } as const;
  const next: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(state)) {
    const side = sideNames.find((name) => key.startsWith(name));
    next[side === undefined ? key : other[side] + key.slice(side.length)] = value;
  }
  const leads = sideNames.find((name) => name === state['leader']);
  if (leads !== undefined) next['leader'] = other[leads];
  return next;
}
