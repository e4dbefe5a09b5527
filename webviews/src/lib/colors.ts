// Colors of chart parts. All come from the theme: six chart colors, then mixtures of them with the
// background, so that every theme that defines charts has ten distinct parts.

/** The theme's chart colors, as CSS. */
export const chartColors = {
  blue: 'var(--vscode-charts-blue)',
  orange: 'var(--chart-orange)',
  green: 'var(--vscode-charts-green)',
  purple: 'var(--vscode-charts-purple)',
  yellow: 'var(--vscode-charts-yellow)',
  red: 'var(--vscode-charts-red)',
};

const base = Object.values(chartColors);

/** The color of the n-th part of a chart. */
export function partColor(index: number): string {
  const color = base[index % base.length]!;
  const round = Math.floor(index / base.length);
  if (round === 0) return color;
  return `color-mix(in srgb, ${color} ${Math.max(25, 75 - 25 * round)}%, var(--vscode-editor-foreground))`;
}

export type Role =
  'kernel' | 'memcpy' | 'memset' | 'communication' | 'runtime' | 'dataLoader' | 'cpuExec' | 'other';

/** The color of each part of a step. */
export const roleColors: Record<Role, string> = {
  kernel: chartColors.blue,
  memcpy: chartColors.yellow,
  memset: `color-mix(in srgb, ${chartColors.yellow} 50%, var(--vscode-editor-background))`,
  communication: chartColors.purple,
  runtime: chartColors.orange,
  dataLoader: chartColors.red,
  cpuExec: chartColors.green,
  other: 'color-mix(in srgb, var(--vscode-foreground) 45%, var(--vscode-editor-background))',
};

const named = new Map<string, string>();

/**
 * Colors of the parts of a chart, largest first. A name keeps the color that it had in another chart
 * or view, unless another part of this one has it too.
 */
export function partColors(names: readonly string[]): string[] {
  const taken = new Set<string>();
  const kept = names.map((name) => {
    const color = named.get(name);
    if (color === undefined || taken.has(color)) return undefined;
    taken.add(color);
    return color;
  });
  let next = 0;
  const free = (): string => {
    while (taken.has(partColor(next)) && next < 2 * names.length) next++;
    return partColor(next++);
  };
  return names.map((name, index) => {
    const color = kept[index] ?? free();
    if (!named.has(name)) named.set(name, color);
    return color;
  });
}

/** What the timeline puts before the name of a module. */
const modulePrefix = 'nn.Module: ';

/** A module's name as the timeline has it. */
export const moduleSlice = (name: string): string => modulePrefix + name;

/**
 * What names of one thing share: `nn.Module: Conv2d_12` and `nn.Module: Conv2d_3` are both Conv2d, and a
 * function is the same in whatever folder its file lay and whichever of its lines was called.
 */
export function identityOf(name: string): string {
  if (name.startsWith(modulePrefix)) return name.replace(/_\d+$/, '');
  const [, file, called] = /([^\\/]+)\(\d+\): (.+)$/.exec(name) ?? [];
  return file === undefined ? name : `${file}: ${called}`;
}

/** A stable color for a name: the same function has the same hue in every graph. */
export function nameHash(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) {
    hash ^= name.charCodeAt(i);
    hash = Math.imul(hash, 16777619);
  }
  return hash >>> 0;
}
