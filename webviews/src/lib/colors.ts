// Colours of chart parts. All come from the theme: six chart colours, then mixtures of them with the
// background, so that every theme that defines charts has ten distinct parts.

const base = [
  'var(--vscode-charts-blue)',
  'var(--vscode-charts-orange)',
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
  | 'kernel' | 'memcpy' | 'memset' | 'communication' | 'runtime' | 'dataLoader' | 'cpuExec' | 'other';

/** What a step's time is spent on, in order of priority, with the title shown. */
export const roles: readonly { key: Role; title: string; color: string; definition: string }[] = [
  { key: 'kernel', title: 'Kernel', color: base[0]!, definition: 'Time in which at least one compute kernel runs on a device.' },
  { key: 'memcpy', title: 'Memcpy', color: base[4]!, definition: 'Time in which a device copies memory, and no kernel runs.' },
  { key: 'memset', title: 'Memset', color: `color-mix(in srgb, ${base[4]!} 50%, var(--vscode-editor-foreground))`, definition: 'Time in which a device sets memory, and no kernel or copy runs.' },
  { key: 'communication', title: 'Communication', color: base[3]!, definition: 'Time in a collective, outside of the time above.' },
  { key: 'runtime', title: 'Runtime', color: base[1]!, definition: 'Host time in the device runtime (launches, synchronisation, allocation), outside of the time above.' },
  { key: 'dataLoader', title: 'DataLoader', color: base[5]!, definition: 'Time waiting for the data loader, outside of the time above.' },
  { key: 'cpuExec', title: 'CPU exec', color: base[2]!, definition: 'Time in operators on the host, outside of the time above.' },
  { key: 'other', title: 'Other', color: 'color-mix(in srgb, var(--vscode-charts-foreground, var(--vscode-foreground)) 45%, var(--vscode-editor-background))', definition: 'The rest of the step: Python and everything that was not recorded.' },
];

/** A stable colour for a name: the same function has the same hue in every graph. */
export function nameHash(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) {
    hash ^= name.charCodeAt(i);
    hash = Math.imul(hash, 16777619);
  }
  return hash >>> 0;
}
