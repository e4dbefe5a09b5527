import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { WheelHabit } from '#shared/messages.ts';
import type { CostOptions, PathMapping } from '#shared/protocol.ts';
import { checkCostRules, checkDevicePeaks } from './cost_settings.ts';
import { expandPath } from './expand_path.ts';

/** Which cost the source surfaces show. `auto`: the device's where the trace has device work. */
export type Metric = 'auto' | 'device' | 'host';

export interface SourceSettings {
  codeLens: boolean;
  hints: boolean;
  heat: boolean;
  hover: boolean;
  findings: boolean;
  metric: Metric;
  /** Smallest share of the whole that a line must have for a hint, 0..1. */
  minimumShare: number;
  /** How many of the hottest lines get a CodeLens of their own. */
  hottestLines: number;
  /** How many lines per file say what they could save. */
  savings: number;
}

/** The only reader of settings. */
function section(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('emberline');
}

function expand(path: string): string {
  const workspaceFolder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return expandPath(path, { home: homedir(), workspaceFolder, env: process.env });
}

/** Path of another daemon; empty for the one of the extension. Not read in untrusted workspaces. */
export function serverPath(): string {
  if (!vscode.workspace.isTrusted) return '';
  return expand(section().get<string>('serverPath', '').trim());
}

/** What tells a daemon where to keep the traces that it read; `storage` is the extension's own. */
export function traceCache(storage: string): NodeJS.ProcessEnv {
  const config = section();
  // A workspace that nobody vouched for does not say where files are written.
  const folder = vscode.workspace.isTrusted ? config.get('traceCache.folder', '').trim() : '';
  const gigabytes = config.get('traceCache.sizeGb', 4);
  if (!config.get('traceCache.enabled', true) || !(gigabytes > 0)) {
    return { EMBERLINE_TRACE_CACHE: 'off' };
  }
  return {
    EMBERLINE_TRACE_CACHE: folder === '' ? join(storage, 'traces') : expand(folder),
    EMBERLINE_TRACE_CACHE_MB: String(Math.max(1, Math.round(gigabytes * 1024))),
  };
}

/** What tells a daemon which installed packages are the user's own code. */
export function userPackages(): NodeJS.ProcessEnv {
  const value = section().get<unknown>('userPackages', []);
  const names = (Array.isArray(value) ? value : []).filter(
    (name): name is string => typeof name === 'string' && /^[\w.-]+$/.test(name),
  );
  return { EMBERLINE_USER_PACKAGES: names.join(',') };
}

/** Whether a plain file that is a trace is offered as a profile. */
export const offersTraces = (): boolean => section().get<boolean>('offerTraces', true);

/** Profile to open at activation; empty for none. */
export function openOnStartup(): string {
  return expand(section().get<string>('openOnStartup', '').trim());
}

/** What the wheel does over the timeline. */
export function wheelHabit(): WheelHabit {
  const value = section().get<string>('timeline.wheel', 'auto');
  return value === 'zoom' || value === 'scroll' ? value : 'auto';
}

export function sourceSettings(): SourceSettings {
  const config = section();
  return {
    codeLens: config.get('codeLens.enabled', true),
    hints: config.get('hints.enabled', true),
    heat: config.get('heat.enabled', true),
    hover: config.get('hover.enabled', true),
    findings: config.get('findings.enabled', true),
    metric: config.get<Metric>('metric', 'auto'),
    minimumShare: Math.max(0, config.get('hints.minimumPercent', 0.5)) / 100,
    hottestLines: Math.max(0, config.get('codeLens.hottestLines', 0)),
    savings: Math.max(0, config.get('codeLens.savings', 3)),
  };
}

/** The user's own rules for kernels on tensor cores; empty ones are left out. */
export function tensorCoreRules(): string[] {
  const value = section().get<unknown>('tensorCoreRules', []);
  if (!Array.isArray(value)) return [];
  return value.flatMap((rule: unknown) =>
    typeof rule === 'string' && rule.replace(/^[+-]/, '') !== '' ? [rule] : [],
  );
}

/** The user's own devices and formulas, as far as they can be used; `problems` names the rest. */
export function costSettings(): { options: CostOptions; problems: string[] } {
  const peaks = checkDevicePeaks(section().get<unknown>('devicePeaks', []));
  const rules = checkCostRules(section().get<unknown>('costRules', []));
  return {
    options: {
      ...(peaks.entries.length === 0 ? {} : { devicePeaks: peaks.entries }),
      ...(rules.entries.length === 0 ? {} : { costRules: rules.entries }),
    },
    problems: [...peaks.problems, ...rules.problems],
  };
}

/** Whether what decides how kernels are judged has changed. */
export function rulesChanged(event: vscode.ConfigurationChangeEvent): boolean {
  return event.affectsConfiguration('emberline.tensorCoreRules') || costSettingsChanged(event);
}

export function costSettingsChanged(event: vscode.ConfigurationChangeEvent): boolean {
  return ['emberline.devicePeaks', 'emberline.costRules'].some((key) =>
    event.affectsConfiguration(key),
  );
}

/** Whether what decides which files frames stand for has changed. */
export function pathsChanged(event: vscode.ConfigurationChangeEvent): boolean {
  return ['emberline.pathMappings', 'emberline.sitePackages'].some((key) =>
    event.affectsConfiguration(key),
  );
}

export function pathMappings(): PathMapping[] {
  const value = section().get<unknown>('pathMappings', []);
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { from, to } = entry as { from?: unknown; to?: unknown };
    if (typeof from !== 'string' || typeof to !== 'string' || from === '') return [];
    return [{ from, to: expand(to) }];
  });
}

/** Remembers a mapping: for the workspace where there is one, else for the user. */
export async function addPathMapping(mapping: PathMapping): Promise<void> {
  const config = section();
  const inWorkspace = (vscode.workspace.workspaceFolders?.length ?? 0) > 0;
  const stored = config.inspect<PathMapping[]>('pathMappings');
  const before = (inWorkspace ? stored?.workspaceValue : stored?.globalValue) ?? [];
  const after = [mapping, ...before.filter(({ from }) => from !== mapping.from)];
  const target = inWorkspace
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  await config.update('pathMappings', after, target);
}

/** Folders with installed packages that the user named beside those of the interpreter. */
export function extraSitePackages(): string[] {
  const value = section().get<unknown>('sitePackages', []);
  if (!Array.isArray(value)) return [];
  return value.filter((path): path is string => typeof path === 'string').map(expand);
}

/** Turns one of the switches for the user. */
export async function updateSetting(key: string, value: unknown): Promise<void> {
  await section().update(key, value, vscode.ConfigurationTarget.Global);
}
