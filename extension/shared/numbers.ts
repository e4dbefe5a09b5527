// Numbers as text, for the page and for the editor. Pure. A number has the unit that suits it, in a
// table too, where the bars behind the figures are for comparing; axes have one unit.
export type Unit = '' | 'count' | 'us' | 'ns' | 'bytes' | 'ratio' | 'percent' | 'gbPerS' | 'flops';

const noValue = '\u2013';
/** As wide as a plus sign, and no hyphen that a line may break behind. Exports have hyphens. */
export const minus = '\u2212';

const formatters = new Map<number, Intl.NumberFormat>();

/** Grouped digits with exactly `digits` decimals. */
export function fixed(value: number, digits: number): string {
  let format = formatters.get(digits);
  if (format === undefined) {
    format = new Intl.NumberFormat('en-US', {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formatters.set(digits, format);
  }
  // "-0.0" says nothing that "0.0" does not.
  const text = format.format(value);
  return /^-[0.,]+$/.test(text) ? text.slice(1) : text.replace('-', minus);
}

/** Decimals that give about three figures: by the value as it is rounded, so that 9.996 is "10.0". */
function digitsFor(value: number): number {
  const size = Math.abs(value);
  if (size >= 99.95 || value === 0) return 0;
  return size >= 9.995 ? 1 : 2;
}

export interface Scale {
  /** Set where each cell has the unit that suits it. */
  each?: Unit;
  /** What a raw value is divided by. */
  divisor: number;
  suffix: string;
  digits: number;
}

const steps: Record<'us' | 'ns' | 'bytes' | 'flops', [number, string][]> = {
  us: [
    [1e6, 's'],
    [1e3, 'ms'],
    [1, '\u00b5s'],
    [1e-3, 'ns'],
  ],
  ns: [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, '\u00b5s'],
    [1, 'ns'],
  ],
  bytes: [
    [2 ** 40, 'TiB'],
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
    [1, 'B'],
  ],
  flops: [
    [1e15, 'PFLOP'],
    [1e12, 'TFLOP'],
    [1e9, 'GFLOP'],
    [1e6, 'MFLOP'],
    [1e3, 'KFLOP'],
    [1, 'FLOP'],
  ],
};

/**
 * The unit of a whole column whose largest size is `largest`. Times change to milliseconds only when
 * microseconds would need more than six figures; three decimals then keep the microsecond. `whole`
 * says that every value is a whole number: old recorders knew nothing below the microsecond.
 */
export function columnScale(unit: Unit, largest: number, whole = false): Scale {
  switch (unit) {
    case 'us':
      return largest >= 1e6
        ? { divisor: 1e3, suffix: 'ms', digits: 3 }
        : { divisor: 1, suffix: '\u00b5s', digits: whole ? 0 : 1 };
    case 'ns':
      return { divisor: 1e6, suffix: 'ms', digits: 3 };
    case 'bytes':
      if (largest >= 100 * 2 ** 30) return { divisor: 2 ** 30, suffix: 'GiB', digits: 3 };
      if (largest >= 100 * 2 ** 20) return { divisor: 2 ** 20, suffix: 'MiB', digits: 2 };
      if (largest >= 10 * 2 ** 10) return { divisor: 2 ** 10, suffix: 'KiB', digits: 1 };
      return { divisor: 1, suffix: 'B', digits: 0 };
    case 'ratio':
      return { divisor: 0.01, suffix: '%', digits: 2 };
    case 'percent':
      return { divisor: 1, suffix: '%', digits: 1 };
    case 'gbPerS':
      return { divisor: 1, suffix: 'GB/s', digits: 2 };
    case 'flops': {
      const step = steps.flops.find(([size]) => largest >= size * 10) ?? steps.flops.at(-1)!;
      return { divisor: step[0], suffix: step[1], digits: step[0] === 1 ? 0 : 2 };
    }
    case 'count':
    case '':
      return { divisor: 1, suffix: '', digits: 0 };
  }
}

/** Units of which a cell takes the one that suits it: a column spans nanoseconds to seconds. */
const adaptive: ReadonlySet<Unit> = new Set([
  'us',
  'ns',
  'bytes',
  'flops',
  'ratio',
  'percent',
  'gbPerS',
]);

/** A number in its column's unit. Values that are not 0 but round to it are shown as "< 0.1". */
export function scaled(value: number, { divisor, digits, each }: Scale): string {
  if (each !== undefined) return quantity(value, each);
  const text = fixed(value / divisor, digits);
  if (value === 0 || /[1-9]/.test(text)) return text;
  return value > 0
    ? `< ${fixed(10 ** -digits, digits)}`
    : `> ${minus}${fixed(10 ** -digits, digits)}`;
}

/** How the columns of a table show their numbers. */
export function columnScales(
  columns: readonly { unit: Unit; largest: number; whole?: boolean }[],
): Scale[] {
  return columns.map(({ unit, largest, whole }) =>
    adaptive.has(unit)
      ? { divisor: 1, suffix: '', digits: 0, each: unit }
      : columnScale(unit, largest, whole ?? false),
  );
}

/** The longest text that a column of this scale shows. */
export function longestText(scale: Scale, largest: number): string {
  const text = scaled(largest, scale);
  if (scale.each === undefined) return text;
  const usual =
    scale.each === 'ratio' || scale.each === 'percent'
      ? '< 0.1 %'
      : scale.each === 'bytes'
        ? '1,023 KiB'
        : scale.each === 'gbPerS'
          ? '99.9 GB/s'
          : '99.9 ms';
  return usual.length > text.length ? usual : text;
}

/** The unit of an axis that ends at `largest`: the largest one of which there is at least one. */
export function axisScale(unit: Unit, largest: number): Scale {
  if (unit !== 'us' && unit !== 'ns' && unit !== 'bytes' && unit !== 'flops') {
    return columnScale(unit, largest);
  }
  const list = steps[unit];
  const [divisor, suffix] = list.find(([size]) => largest >= size) ?? list[list.length - 1]!;
  return { divisor, suffix, digits: 0 };
}

/** A number that stands alone, with its unit: "12.3 ms". */
export function quantity(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return noValue;
  switch (unit) {
    case 'us':
    case 'ns':
    case 'bytes':
    case 'flops': {
      if (value === 0) return `0 ${unit === 'bytes' ? 'B' : unit === 'flops' ? 'FLOP' : '\u00b5s'}`;
      const list = steps[unit];
      // As it is rounded: 999.7 µs is 1.00 ms.
      const [size, suffix] =
        list.find(([from]) => Math.abs(value) >= from * 0.9995) ?? list[list.length - 1]!;
      const scaled = value / size;
      // An average of bytes may be less than one.
      if (unit === 'bytes' && Math.abs(value) < 0.5) return value > 0 ? '< 1 B' : `> ${minus}1 B`;
      return `${fixed(scaled, size === 1 && unit !== 'us' ? 0 : digitsFor(scaled))} ${suffix}`;
    }
    case 'ratio':
      return percentage(value);
    case 'percent':
      return change(value);
    case 'gbPerS':
      return `${plain(value)} GB/s`;
    case 'count':
      return fixed(value, 0);
    case '':
      return plain(value);
  }
}

/** A number without a unit in about three figures; what rounds to nothing is told from nothing. */
function plain(value: number): string {
  if (Number.isInteger(value)) return fixed(value, 0);
  if (value > 0 && value < 0.0005) return '< 0.001';
  return fixed(value, Math.abs(value) < 0.0995 ? 3 : digitsFor(value));
}

/** A share of a whole, safe when the whole is nothing. */
export function share(part: number, whole: number): string {
  return whole > 0 ? percentage(part / whole) : noValue;
}

/** A ratio with one decimal; what rounding would make nothing or all is told from them. */
function percentage(ratio: number): string {
  if (ratio === 0) return '0 %';
  if (ratio === 1) return '100 %';
  if (ratio > 0 && ratio < 0.0005) return '< 0.1 %';
  if (ratio < 1 && ratio >= 0.9995) return '> 99.9 %';
  return `${fixed(ratio * 100, Math.abs(ratio) >= 0.9995 ? 0 : 1)} %`;
}

/** A change in percent of what was there before; what rounds to nothing is told from nothing. */
function change(percent: number): string {
  if (percent === 0) return '0 %';
  if (Math.abs(percent) < 0.05) return percent > 0 ? '< 0.1 %' : `> ${minus}0.1 %`;
  return `${fixed(percent, Math.abs(percent) >= 9.95 ? 0 : 1)} %`;
}

/** The value as recorded, for tooltips: nothing rounded, unit named. */
export function exact(value: number, unit: Unit): string {
  const text = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 }).format(value);
  switch (unit) {
    case 'us':
      return `${text} \u00b5s`;
    case 'ns':
      return `${text} ns`;
    case 'bytes':
      return `${text} bytes`;
    case 'ratio':
      return `${new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 }).format(value * 100)} %`;
    case 'percent':
      return `${text} %`;
    case 'gbPerS':
      return `${text} GB/s`;
    case 'flops':
      return `${text} FLOP`;
    case 'count':
    case '':
      return text;
  }
}

const plurals = new Intl.PluralRules('en-US');

/** The form of a noun after `count`, without the number: "row", "rows". */
export function pluralWord(count: number, one: string, other = `${one}s`): string {
  return plurals.select(count) === 'one' ? one : other;
}

/** "1 row", "2 rows". */
export function plural(count: number, one: string, other?: string): string {
  return `${fixed(count, 0)} ${pluralWord(count, one, other)}`;
}

// Beside code there is less room than in a view: the formats below are shorter.

/** A duration given in microseconds: "812 µs", "18.4 ms", "2.31 s". */
export function formatUs(us: number): string {
  const sign = us < 0 ? minus : '';
  const value = Math.abs(us);
  if (value === 0) return '0';
  if (value < 0.0995) return `${sign}${Math.round(value * 1000)} ns`;
  if (value < 999.5) return `${sign}${digits(value)} µs`;
  if (value < 999_500) return `${sign}${digits(value / 1000)} ms`;
  return `${sign}${digits(value / 1_000_000)} s`;
}

/** Three significant digits, without an exponent. */
function digits(value: number): string {
  if (value >= 99.95) return Math.round(value).toString();
  if (value >= 9.995) return value.toFixed(1);
  return value.toFixed(2);
}

/** A ratio of 0..1 as percent: "11 %", "0.8 %", "< 0.1 %". */
export function formatShare(ratio: number): string {
  const percent = ratio * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  if (percent === 0) return '0 %';
  return `${percent.toFixed(percent >= 9.95 ? 0 : 1)} %`;
}

/** Bytes in binary units: "512 B", "1.5 MiB". */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = Math.abs(bytes);
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  const text = unit === 0 ? value.toString() : digits(value);
  return `${bytes < 0 ? minus : ''}${text} ${units[unit] ?? ''}`;
}

/** A count with thin groups: "12 345". */
export function formatCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, '\u202f');
}
