// Colours of chart parts. All come from the theme: six chart colours, then mixtures of them with the
// background, so that every theme that defines charts has ten distinct parts.

const base = [
  'var(--vscode-charts-blue)',
  // High contrast themes define no orange.
  'var(--vscode-charts-orange, color-mix(in srgb, var(--vscode-charts-red), var(--vscode-charts-yellow)))',
  'var(--vscode-charts-green)',
  'var(--vscode-charts-purple)',
  'var(--vscode-charts-yellow)',
  'var(--vscode-charts-red)',
];

/** The colour of the n-th part of a chart. */
export function partColor(index: number): string {
  const color = base[index % base.length]!;
  const round = Math.floor(index / base.length);
  if (round === 0) return color;
  return `color-mix(in srgb, ${color} ${Math.max(25, 75 - 25 * round)}%, var(--vscode-editor-foreground))`;
}

export type Role =
  'kernel' | 'memcpy' | 'memset' | 'communication' | 'runtime' | 'dataLoader' | 'cpuExec' | 'other';

/** The colour of each part of a step. */
export const roleColors: Record<Role, string> = {
  kernel: base[0]!,
  memcpy: base[4]!,
  memset: `color-mix(in srgb, ${base[4]!} 50%, var(--vscode-editor-foreground))`,
  communication: base[3]!,
  runtime: base[1]!,
  dataLoader: base[5]!,
  cpuExec: base[2]!,
  other: 'color-mix(in srgb, var(--vscode-foreground) 45%, var(--vscode-editor-background))',
};

/** A stable colour for a name: the same function has the same hue in every graph. */
export function nameHash(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) {
    hash ^= name.charCodeAt(i);
    hash = Math.imul(hash, 16777619);
  }
  return hash >>> 0;
}
