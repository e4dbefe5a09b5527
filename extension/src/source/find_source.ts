// Finds a recorded file without a trace to ask the daemon about: by the mappings, on this machine,
// in the workspace.
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { SourceResolveResult } from '#shared/protocol.ts';
import { pathMappings } from '../workspace/config.ts';
import { bestMatches } from './path_mappings.ts';

/** More files of one name than this are not looked at. */
const mostFiles = 200;

export async function findSource(recorded: string): Promise<SourceResolveResult> {
  const file = recorded.replace(/\\/g, '/');
  for (const { from, to } of pathMappings()) {
    const mapped = file.startsWith(from) ? to + file.slice(from.length) : '';
    if (mapped !== '' && existsSync(mapped)) {
      return { status: 'found', path: mapped, candidates: [] };
    }
  }
  if (existsSync(recorded)) return { status: 'found', path: recorded, candidates: [] };
  const name = basename(file).replace(/[[\]{}*?]/g, '[$&]');
  const found = await vscode.workspace.findFiles(`**/${name}`, null, mostFiles);
  const best = bestMatches(
    file,
    found.map(({ fsPath }) => fsPath),
  );
  const [only] = best;
  if (only === undefined) return { status: 'missing', path: null, candidates: [] };
  return best.length === 1
    ? { status: 'found', path: only, candidates: [] }
    : { status: 'ambiguous', path: null, candidates: best };
}
