// Names that differ between the makers of devices.
import { computed } from '@preact/signals';
import { compared, trace } from './store.ts';
import { hostTexts } from './texts.ts';

const amd = /\b(amd|instinct|radeon)\b/i;

/** The devices of the page: of its trace, or of both traces of a comparison. */
const devices = computed(() =>
  trace.value === undefined
    ? Object.values(compared.value ?? {}).flatMap(({ loaded }) => loaded?.trace.devices ?? [])
    : trace.value.devices,
);

/** Whether all devices of the page are AMD's. */
export const isAmd = computed(
  () => devices.value.length > 0 && devices.value.every(({ name }) => amd.test(name)),
);

/** What their makers call the units that multiply matrices; where makers differ, what they are. */
const matrixUnits = computed(() => {
  if (devices.value.some(({ label }) => !label.startsWith('GPU'))) return hostTexts.matrixUnits;
  if (isAmd.value) return hostTexts.matrixCores;
  return devices.value.some(({ name }) => amd.test(name))
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
