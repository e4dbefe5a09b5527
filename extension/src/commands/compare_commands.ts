import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ComparedTrace } from '#shared/comparison.ts';
import { selectionOf } from '#shared/selection.ts';
import { profileTexts } from '#shared/texts.ts';
import type { ComparisonEditors } from '../editors/compare_editor.ts';
import { labelText } from '../source/format.ts';
import type { Context } from '../workspace/context.ts';
import { pickProfile } from './pick_profile.ts';

const selectedKey = 'emberline.comparisonSelected';

/** A text that a row of the profiles view says under `key`; the row is another part's. */
function nameIn(value: unknown, key: string): string | undefined {
  const name = (value as Record<string, unknown> | undefined)?.[key];
  return typeof name === 'string' ? name : undefined;
}

/**
 * What an entry of a menu stands for: a file or folder of the Explorer, or a profile, run, worker or
 * capture span of the profiles view.
 */
export function comparedTrace(value: unknown): ComparedTrace | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof vscode.Uri) return { path: value.fsPath };
  const { profile, run, worker, span } = value as Record<string, unknown>;
  const path = nameIn(profile, 'path');
  if (path === undefined) return undefined;
  const selection = {
    run: nameIn(run, 'name'),
    worker: nameIn(worker, 'name'),
    span: nameIn(span, 'span'),
  };
  return { path, ...selectionOf(selection) };
}

function titleOf({ path, run, worker, span }: ComparedTrace): string {
  return labelText(span ?? worker ?? run ?? basename(path));
}

/** Commands that choose what is compared. */
export function registerCompareCommands(
  context: Context,
  comparisons: ComparisonEditors,
): vscode.Disposable {
  let selected: ComparedTrace | undefined;
  const register = vscode.commands.registerCommand;
  const pick = (title: string, placeholder: string) =>
    pickProfile({ title, placeholder, open: context.profiles.list });
  const compare = async (value: unknown, several: unknown): Promise<void> => {
    const marked = Array.isArray(several) ? several.map(comparedTrace) : [];
    const [first, second] = marked;
    if (marked.length === 2 && first !== undefined && second !== undefined) {
      await comparisons.open({ baseline: first, candidate: second });
      return;
    }
    const known = comparedTrace(value);
    const baseline = known ?? (await pick(profileTexts.baselineTitle, profileTexts.baseline));
    if (baseline === undefined) return;
    const candidate = await pick(
      profileTexts.candidateTitle(titleOf(baseline)),
      profileTexts.candidate,
    );
    if (candidate !== undefined) await comparisons.open({ baseline, candidate });
  };
  return vscode.Disposable.from(
    register('emberline.compareProfiles', compare),
    register('emberline.revealComparison', (name: unknown) => {
      comparisons.reveal('functions', typeof name === 'string' ? name : '');
    }),
    register('emberline.chooseBaselineRevision', () => comparisons.chooseRevision()),
    register('emberline.selectForCompare', async (value: unknown) => {
      const chosen =
        comparedTrace(value) ??
        (await pick(profileTexts.selectForCompare, profileTexts.theBaseline));
      // Who closes the list keeps what was selected before.
      if (chosen === undefined) return;
      selected = chosen;
      await vscode.commands.executeCommand('setContext', selectedKey, true);
      void vscode.window.setStatusBarMessage(profileTexts.selected(titleOf(selected)), 5000);
    }),
    register('emberline.compareWithSelected', async (value: unknown) => {
      if (selected === undefined) return compare(undefined, undefined);
      const baseline = selected;
      const candidate =
        comparedTrace(value) ??
        (await pick(profileTexts.compareWith(titleOf(baseline)), profileTexts.candidate));
      if (candidate !== undefined) await comparisons.open({ baseline, candidate });
    }),
  );
}
