import * as vscode from 'vscode';
import type { SourceTarget } from '#shared/messages.ts';
import { sourceTexts } from '#shared/texts.ts';
import { sourceSettings, updateSetting } from '../workspace/config.ts';
import type { Context } from '../workspace/context.ts';
import type { ProfileEditors } from '../editors/profile_editor.ts';
import { isPython, type Annotations } from '../source/annotations.ts';
import type { CostDecorations } from '../source/decorations.ts';
import { neighborHint } from '../source/hints.ts';
import { openOrLocate } from '../source/open_source.ts';

function pythonEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor !== undefined && isPython(editor.document) ? editor : undefined;
}

function say(message: string): void {
  void vscode.window.showInformationMessage(message);
}

async function goToHotLine(
  annotations: Annotations,
  decorations: CostDecorations,
  direction: 1 | -1,
): Promise<void> {
  const editor = pythonEditor();
  if (editor === undefined) return say(sourceTexts.hotLinesInPython);
  await annotations.of(editor.document);
  const hints = decorations.hintsOf(editor.document);
  const hint = neighborHint(hints, editor.selection.active.line, direction);
  if (hint === undefined) return say(sourceTexts.noHotLine);
  const line = editor.document.lineAt(hint.line);
  const start = new vscode.Position(hint.line, line.firstNonWhitespaceCharacterIndex);
  editor.selection = new vscode.Selection(start, start);
  editor.revealRange(line.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function showInTimeline(
  context: Context,
  annotations: Annotations,
  editors: ProfileEditors,
): Promise<void> {
  const editor = pythonEditor();
  if (editor === undefined) return say(sourceTexts.needsLine);
  const annotated = await annotations.of(editor.document);
  const row = editor.selection.active.line + 1;
  const costs = annotated?.result.lines.filter(({ line, stale }) => line === row && !stale) ?? [];
  const cost = costs[0];
  if (annotated === undefined || cost === undefined) {
    return say(sourceTexts.noCalls);
  }
  context.profiles.activate(annotated.profile);
  await editors.navigate(annotated.profile, {
    view: 'timeline',
    line: { file: cost.file, line: cost.recordedLine },
  });
}

let toggling: Promise<void> = Promise.resolve();

/** Switches all surfaces off where one is on, else all on; one toggle after the other. */
function toggle(): Promise<void> {
  toggling = toggling.then(toggleNow, toggleNow);
  return toggling;
}

async function toggleNow(): Promise<void> {
  const settings = sourceSettings();
  const surfaces = ['codeLens', 'hints', 'heat', 'hover', 'findings'] as const;
  const on = !surfaces.some((surface) => settings[surface]);
  for (const surface of surfaces) {
    await updateSetting(`${surface}.enabled`, on);
  }
}

function targetOf(value: unknown): SourceTarget | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const target = value as { file?: unknown; line?: unknown; function?: unknown };
  if (typeof target.file !== 'string' || typeof target.line !== 'number') return undefined;
  return {
    file: target.file,
    line: target.line,
    ...(typeof target.function === 'string' ? { function: target.function } : {}),
  };
}

/** Commands about the source and what is shown in it. */
export function registerSourceCommands(
  context: Context,
  editors: ProfileEditors,
  annotations: Annotations,
  decorations: CostDecorations,
): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register('emberline.nextHotLine', () => goToHotLine(annotations, decorations, 1)),
    register('emberline.previousHotLine', () => goToHotLine(annotations, decorations, -1)),
    register('emberline.showInTimeline', () => showInTimeline(context, annotations, editors)),
    register('emberline.toggleAnnotations', toggle),
    register('emberline.copyText', async (value: unknown) => {
      if (typeof value === 'string') await vscode.env.clipboard.writeText(value);
    }),
    register('emberline.openFrame', async (value: unknown) => {
      const target = targetOf(value);
      const profile = context.profiles.active;
      if (target !== undefined && profile !== undefined) await openOrLocate(profile, target);
    }),
  );
}
