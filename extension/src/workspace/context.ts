import * as vscode from 'vscode';
import type { Profiles } from '../daemon/profiles.ts';
import type { Supervisor } from '../daemon/supervisor.ts';
import { extraSitePackages, pathMappings, tensorCoreRules } from './config.ts';
import { interpreterSitePackages } from './interpreter.ts';

/** What every part of the extension works with. */
export interface Context {
  extension: vscode.ExtensionContext;
  log: vscode.LogOutputChannel;
  supervisor: Supervisor;
  profiles: Profiles;
}

/** Where code lies on this machine, as the daemon's `source/*` methods want it. */
export async function sourceParams(): Promise<{
  sourceRoots: string[];
  mappings: { from: string; to: string }[];
  sitePackages: string[];
}> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return {
    sourceRoots: folders.map(({ uri }) => uri.fsPath),
    mappings: pathMappings(),
    sitePackages: [...extraSitePackages(), ...(await interpreterSitePackages())],
  };
}

const comparedMethods = new Set(['compare/verdict', 'compare/table']);

/** Methods that take the parameters of `sourceParams`. */
export function wantsSourceParams(method: string): boolean {
  return method.startsWith('source/') || method === 'view/lines' || comparedMethods.has(method);
}

const ruledMethods = new Set([
  'view/overview',
  'view/operators',
  'view/kernels',
  ...comparedMethods,
]);

/** The user's rules for the methods that judge kernels by them. */
export function ruleParams(method: string): { tensorCoreRules?: string[] } {
  if (!ruledMethods.has(method)) return {};
  const rules = tensorCoreRules();
  return rules.length === 0 ? {} : { tensorCoreRules: rules };
}

/** What a request needs beside what the page says. */
export async function hostParamsOf(method: string): Promise<Record<string, unknown>> {
  return { ...(wantsSourceParams(method) ? await sourceParams() : {}), ...ruleParams(method) };
}
