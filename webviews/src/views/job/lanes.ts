// The lanes of a job's timeline: what the daemon answered as boxes, and where the window goes. Pure.
import type { DistributedLanesResult } from '#shared/protocol.ts';

/** A collective of a rank, or `count` of them that are too short to be told apart. */
export interface Box {
  startNs: number;
  lengthNs: number;
  waitingNs: number;
  call: number;
  count: number;
  operation: string;
}

export interface Lane {
  rank: number;
  device: number | null;
  name: string;
  steps: { name: string; startNs: number; endNs: number }[];
  boxes: Box[];
}

const numbersPerBox = 6;

export function lanesOf({ lanes, operations }: DistributedLanesResult): Lane[] {
  return lanes.map(({ rank, device, steps, boxes: numbers }) => {
    const boxes: Box[] = [];
    for (let at = 0; at + numbersPerBox <= numbers.length; at += numbersPerBox) {
      boxes.push({
        startNs: numbers[at]!,
        lengthNs: numbers[at + 1]!,
        waitingNs: numbers[at + 2]!,
        call: numbers[at + 3]!,
        count: numbers[at + 4]!,
        operation: operations[numbers[at + 5]!] ?? '',
      });
    }
    return { rank, device, name: device === null ? `${rank}` : `${rank}/${device}`, steps, boxes };
  });
}

/** A window in ns since the job's start. */
export interface Range {
  from: number;
  to: number;
}

/** Windows are never shorter, ns. */
const shortest = 1000;

/** The window around `at` times `factor`, inside the job. */
export function zoomed({ from, to }: Range, factor: number, at: number, whole: number): Range {
  const length = Math.min(whole, Math.max(shortest, (to - from) * factor));
  const part = (at - from) / Math.max(1, to - from);
  return moved({ from: at - part * length, to: at + (1 - part) * length }, 0, whole);
}

/** The window further along by `ns`, inside the job. */
export function moved({ from, to }: Range, ns: number, whole: number): Range {
  const length = Math.min(whole, to - from);
  const begin = Math.max(0, Math.min(whole - length, from + ns));
  return { from: Math.round(begin), to: Math.round(begin + length) };
}
