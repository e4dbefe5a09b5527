// Names that differ between the makers of devices.
import { computed } from '@preact/signals';
import { deviceKind, trace } from './store.ts';
import { hostTexts } from './texts.ts';

/** What their makers call the units that multiply matrices. */
const matrixUnits = computed(() => {
  if (deviceKind.value !== 'GPU') return hostTexts.matrixUnits;
  const amd = /\b(amd|instinct|radeon)\b/i;
  return trace.value?.devices.some(({ name }) => amd.test(name))
    ? hostTexts.matrixCores
    : hostTexts.tensorCores;
});
/** A text that is the same for every maker's devices, in the words of this trace's maker. */
export function inMakersWords(text: string): string {
  return text.replace(/tensor core(s?)/gi, (found, many: string) => {
    const words = many === '' ? matrixUnits.value.replace(/s$/, '') : matrixUnits.value;
    return found.startsWith('T') ? `${words.charAt(0).toUpperCase()}${words.slice(1)}` : words;
  });
}
