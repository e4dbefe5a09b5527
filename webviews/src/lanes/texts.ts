// The texts of lanes of slices.
import { fixed, quantity } from '#shared/numbers.ts';

export const laneTexts = {
  valueAt: (name: string, value: string, ns: number) =>
    `${name}\n${value} at ${quantity(ns, 'ns')}`,
  instantAt: (name: string, ns: number) => `${name}\nat ${quantity(ns, 'ns')}`,
  slicesTheLongest: (count: number, name: string) =>
    `${fixed(count, 0)} slices, the longest ${name}\nZoom in to see them`,

  timeSinceStart: 'Time since the start of the trace',

  pinned: 'Pinned',
};
