import { join, sep } from 'node:path';
import * as vscode from 'vscode';
import type { CostOptions } from '#shared/protocol.ts';
import type { Profiles } from '../daemon/profiles.ts';
import type { Supervisor } from '../daemon/supervisor.ts';
import { costSettings, extraSitePackages, pathMappings, tensorCoreRules } from './config.ts';
import type { GroupWidths } from './group_widths.ts';
import { interpreterSitePackages } from './interpreter.ts';

/** What every part of the extension works with. */
export interface Context {
  extension: vscode.ExtensionContext;
  log: vscode.LogOutputChannel;
  supervisor: Supervisor;
  profiles: Profiles;
  groupWidths: GroupWidths;
}

/** The folder of the samples that come with the extension, where a profile is one of them. */
function sampleRoots(profilePath: string): string[] {
  const extension = vscode.extensions.getExtension('emberline.emberline');
  if (extension === undefined) return [];
  const samples = join(extension.extensionPath, 'samples');
  return profilePath.startsWith(samples + sep) ? [samples] : [];
}

/** Where the code of a profile lies on this machine, as the daemon's `source/*` methods want it. */
export async function sourceParams(profilePath: string): Promise<{
  sourceRoots: string[];
  mappings: { from: string; to: string }[];
  sitePackages: string[];
}> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  // A sample's code lies beside it; a workspace that holds the same file would make it ambiguous.
  const samples = sampleRoots(profilePath);
  return {
    sourceRoots: samples.length > 0 ? samples : folders.map(({ uri }) => uri.fsPath),
    mappings: pathMappings(),
    sitePackages: [...extraSitePackages(), ...(await interpreterSitePackages())],
  };
}

const comparedMethods = new Set(['compare/verdict', 'compare/table']);

const linedMethods = new Set(['view/lines', 'view/cost', 'view/roofline']);

/** Methods that take the parameters of `sourceParams`. */
export function wantsSourceParams(method: string): boolean {
  return method.startsWith('source/') || linedMethods.has(method) || comparedMethods.has(method);
}

const costMethods = new Set(['view/kernelList', 'view/cost', 'view/roofline', 'source/savings']);

const ruledMethods = new Set([
  'view/overview',
  'profile/firstPicture',
  'view/operators',
  'view/kernels',
  ...costMethods,
  ...comparedMethods,
]);

/** The user's rules for the methods that judge kernels by them. */
export function ruleParams(method: string): { tensorCoreRules?: string[] } {
  if (!ruledMethods.has(method)) return {};
  const rules = tensorCoreRules();
  return rules.length === 0 ? {} : { tensorCoreRules: rules };
}

/** The user's devices and formulas for the methods that weigh costs. */
export function costParams(method: string): CostOptions {
  return costMethods.has(method) ? costSettings().options : {};
}

/** What a request needs beside what the page says. */
export async function hostParamsOf(
  method: string,
  profilePath: string,
): Promise<Record<string, unknown>> {
  return {
    ...(wantsSourceParams(method) ? await sourceParams(profilePath) : {}),
    ...ruleParams(method),
    ...costParams(method),
  };
}
