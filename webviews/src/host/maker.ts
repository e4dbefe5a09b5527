// Names that differ between the makers of devices.
import { computed } from '@preact/signals';
import { compared, trace } from './store.ts';
import { hostTexts } from './texts.ts';

/** What the page shows: its trace, or both traces of a comparison, as far as they are loaded. */
const traces = computed(() =>
  trace.value === undefined
    ? Object.values(compared.value ?? {}).flatMap(({ loaded }) => loaded?.trace ?? [])
    : [trace.value],
);

/** Whether all devices of the page are AMD's. Traces of the CPU alone have none. */
export const isAmd = computed(() => {
  const withDevices = traces.value.filter(({ devices }) => devices.length > 0);
  return withDevices.length > 0 && withDevices.every(({ vendor }) => vendor === 'AMD');
});

/** What their makers call the units that multiply matrices; where makers differ, what they are. */
const matrixUnits = computed(() => {
  const devices = traces.value.flatMap((one) => one.devices);
  if (devices.some(({ label }) => !label.startsWith('GPU'))) return hostTexts.matrixUnits;
  if (isAmd.value) return hostTexts.matrixCores;
  return traces.value.some(({ vendor }) => vendor === 'AMD')
    ? hostTexts.matrixUnits
    : hostTexts.tensorCores;
});
/** A text that is the same for every maker's devices, in the words of this trace's maker. */
export function inMakersWords(text: string): string {
  return text.replace(/tensor core(s?)/gi, (found, many: string) => {
    const words = many === '' ? matrixUnits.value.replace(/s$/, '') : matrixUnits.value;
    return found.startsWith('T') ? `${words.charAt(0).toUpperCase()}${words.slice(1)}` : words;
  });
}
