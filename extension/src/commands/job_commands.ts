import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { JobAddress } from '#shared/job.ts';
import { jobTexts } from '#shared/texts.ts';
import { sharedTexts } from '#shared/common_texts.ts';
import { holdsDigests, type JobEditors } from '../editors/job_editor.ts';
import { labelText } from '../source/format.ts';
import type { Context } from '../workspace/context.ts';
import { comparedTrace } from './compare_commands.ts';

interface Choice extends vscode.QuickPickItem {
  job?: JobAddress;
}

/** More folders than this are not offered by name. */
const offeredFiles = 400;

/** Folders of the workspace that hold several traces, or digests. */
async function foldersOfJobs(): Promise<Choice[]> {
  const found = await vscode.workspace.findFiles(
    '**/{*.pt.trace.json,*.json.gz,*.digest}',
    '**/{node_modules,.git}/**',
    offeredFiles,
  );
  const counts = new Map<string, number>();
  for (const { fsPath } of found) {
    const folder = dirname(fsPath);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => count > 1 || holdsDigests(folder))
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([folder, count]) => ({
      label: `$(server-process) ${labelText(basename(folder))}`,
      description: holdsDigests(folder) ? sharedTexts.digests(count) : sharedTexts.traces(count),
      detail: labelText(dirname(folder)),
      job: { path: folder },
    }));
}

async function pickJob(): Promise<JobAddress | undefined> {
  const others: Choice[] = [{ label: `$(folder) ${jobTexts.chooseFolder}`, alwaysShow: true }];
  const picked = await vscode.window.showQuickPick<Choice>(
    foldersOfJobs().then((found): Choice[] => [...found, ...others]),
    {
      title: jobTexts.open,
      placeHolder: jobTexts.folderOfRanks,
      // The palette gives the focus back to a page while the folders are being looked for.
      ignoreFocusOut: true,
    },
  );
  if (picked === undefined || picked.job !== undefined) return picked?.job;
  const [folder] =
    (await vscode.window.showOpenDialog({
      title: jobTexts.openFolder,
      openLabel: jobTexts.openButton,
      canSelectFiles: false,
      canSelectFolders: true,
      canSelectMany: false,
    })) ?? [];
  return folder === undefined ? undefined : { path: folder.fsPath };
}

/** Commands about jobs of several ranks. */
export function registerJobCommands(jobs: JobEditors): vscode.Disposable {
  const open = async (value: unknown): Promise<void> => {
    // A file or folder of the Explorer, or a row of the profiles view.
    const known = comparedTrace(value);
    const job =
      known === undefined
        ? await pickJob()
        : { path: known.path, ...(known.run === undefined ? {} : { run: known.run }) };
    if (job !== undefined) await jobs.open(job);
  };
  return vscode.Disposable.from(
    vscode.commands.registerCommand('emberline.openJob', () => open(undefined)),
    vscode.commands.registerCommand('emberline.openAsJob', open),
  );
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Offers to see a folder that was opened as a profile as one job, where it holds several ranks. */
export async function offerJob(context: Context, jobs: JobEditors, path: string): Promise<void> {
  if (!isFolder(path)) return;
  const profile = context.profiles.acquire(path);
  try {
    const { runs } = await profile.opened();
    const ranks = Math.max(0, ...runs.map(({ workers }) => workers.length));
    if (ranks < 2) return;
    const action = jobTexts.openAsJob;
    const answer = await vscode.window.showInformationMessage(
      jobTexts.holdsWorkers(labelText(profile.title), ranks),
      action,
    );
    if (answer === action) await jobs.open({ path });
  } catch {
    // The profile's own editor says what is wrong with it.
  } finally {
    context.profiles.release(profile);
  }
}
