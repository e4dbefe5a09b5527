// The settings of the cost model, checked: what cannot be used is left out and named. Pure.
import type { CostRule, DevicePeaks } from '#shared/protocol.ts';
import { settingsTexts } from '#shared/texts.ts';

export interface Checked<T> {
  /** Entries that can be used. */
  entries: T[];
  /** One sentence for each that cannot. */
  problems: string[];
}

const peakKeys: ReadonlySet<string> = new Set<Exclude<keyof DevicePeaks, 'name'>>([
  'fp64',
  'fp64Matrix',
  'fp32',
  'fp32Matrix',
  'tf32',
  'fp16',
  'bf16',
  'fp8',
  'fp4',
  'int8',
  'memoryGbPerS',
  'cacheMib',
  'cacheGbPerS',
  'linkGbPerS',
]);
const largestPeak = 1e9;

const ruleKeys: ReadonlySet<string> = new Set<Exclude<keyof CostRule, 'name' | 'matrix'>>([
  'flops',
  'readBytes',
  'writtenBytes',
]);

/** Each entry of a list of objects with a name; `wrong` says what else is wrong with it. */
function check<T>(
  setting: string,
  value: unknown,
  wrong: (key: string, value: unknown) => string | undefined,
): Checked<T> {
  if (!Array.isArray(value)) {
    return { entries: [], problems: [settingsTexts.mustBeList(setting)] };
  }
  const result: Checked<T> = { entries: [], problems: [] };
  value.forEach((entry: unknown, index) => {
    const problem = problemOf(entry, wrong);
    if (problem === undefined) result.entries.push(entry as T);
    else result.problems.push(settingsTexts.ofEntry(setting, index + 1, problem));
  });
  return result;
}

function problemOf(
  entry: unknown,
  wrong: (key: string, value: unknown) => string | undefined,
): string | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    return settingsTexts.mustBeObject;
  }
  const { name } = entry as { name?: unknown };
  if (typeof name !== 'string' || name.trim() === '') return settingsTexts.nameIsText;
  for (const [key, value] of Object.entries(entry)) {
    if (key === 'name') continue;
    const problem = wrong(key, value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Devices with peaks: names, and numbers from 0 to 10^9 under known keys. */
export function checkDevicePeaks(value: unknown): Checked<DevicePeaks> {
  return check('emberline.devicePeaks', value, (key, peak) => {
    if (!peakKeys.has(key)) return settingsTexts.noPeak(key, [...peakKeys].join(', '));
    return typeof peak === 'number' && peak >= 0 && peak <= largestPeak
      ? undefined
      : settingsTexts.mustBeNumber(key, largestPeak);
  });
}

/** Rules for operators; what the expressions mean is for the daemon to say. */
export function checkCostRules(value: unknown): Checked<CostRule> {
  return check('emberline.costRules', value, (key, part) => {
    if (key === 'matrix') {
      return typeof part === 'boolean' ? undefined : settingsTexts.matrixIsFlag;
    }
    if (!ruleKeys.has(key)) {
      return settingsTexts.noPartOfRule(key, [...ruleKeys].join(', '));
    }
    return typeof part === 'string' ? undefined : settingsTexts.mustBeExpression(key);
  });
}
