import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import type { Navigation, ViewSelection } from '#shared/messages.ts';
import { profileTexts } from '#shared/texts.ts';
import { openOnStartup } from '../workspace/config.ts';
import type { Context } from '../workspace/context.ts';
import { profileUri, type ProfileEditors } from '../editors/profile_editor.ts';
import { isViewName } from '../editors/messages.ts';
import { labelText, plainText } from '../source/format.ts';
import { recorderSnippet } from '../source/recorder.ts';
import { mayHoldTrace, viewTypeFor } from '../editors/profile_path.ts';
import { pickProfile } from './pick_profile.ts';

/** Opens a path in the profile editor; says why where that is not possible. */
export async function openProfile(path: string): Promise<void> {
  let uri: vscode.Uri;
  try {
    uri = await profileUri(path);
  } catch {
    void vscode.window.showErrorMessage(plainText(profileTexts.noProfileAt(path)));
    return;
  }
  await vscode.commands.executeCommand('vscode.openWith', uri, viewTypeFor(uri));
}

/** The Explorer hands over the entry under the mouse, and all that are selected with it. */
async function onOpen(
  resource: unknown,
  selected: unknown,
  opened: (path: string) => void = () => undefined,
): Promise<void> {
  if (!(resource instanceof vscode.Uri)) {
    const picked = await pickProfile({
      title: profileTexts.openProfile,
      placeholder: profileTexts.traceOrOther,
    });
    if (picked === undefined) return;
    await openProfile(picked.path);
    opened(picked.path);
    return;
  }
  const all = Array.isArray(selected)
    ? selected.filter((uri): uri is vscode.Uri => uri instanceof vscode.Uri)
    : [];
  const several = all.some((uri) => uri.toString() === resource.toString());
  for (const { fsPath } of several ? all : [resource]) {
    await openProfile(fsPath);
    opened(fsPath);
  }
}

/** The profile that comes with the extension, beside the program that it is of. */
function samplePath({ extension }: Context): string {
  return join(extension.extensionPath, 'samples', 'train_cnn', 'slow.pt.trace.json.gz');
}

/** For commands that show something of a profile while none is open. */
async function offerProfile(context: Context): Promise<void> {
  const [open, sample] = [profileTexts.openSome, profileTexts.openSample];
  const answer = await vscode.window.showInformationMessage(profileTexts.noneOpen, open, sample);
  if (answer === sample) await openProfile(samplePath(context));
  else if (answer === open) await onOpen(undefined, undefined);
}

async function copyRecorder(): Promise<void> {
  await vscode.env.clipboard.writeText(recorderSnippet);
  void vscode.window.showInformationMessage(profileTexts.recordingCopied);
}

async function onChoose(context: Context): Promise<void> {
  const { profiles } = context;
  const picked = await vscode.window.showQuickPick(
    profiles.list.map((profile) => ({
      label: `$(flame) ${labelText(profile.title)}`,
      description: profile === profiles.active ? profileTexts.isActive : '',
      detail: labelText(profile.detail),
      profile,
    })),
    {
      title: profileTexts.activeProfile,
      placeHolder: profileTexts.annotateWith,
      // A page may take the focus back from the Command Palette after this list has opened.
      ignoreFocusOut: true,
    },
  );
  if (picked !== undefined) profiles.activate(picked.profile);
}

/** A navigation as a command's argument: commands can be run by anybody. */
export function navigationOf(value: unknown): Navigation | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { view, filter, groupBy, line } = value as Record<keyof Navigation, unknown>;
  if (!isViewName(view)) return undefined;
  const to: Navigation = { view };
  if (typeof filter === 'string') to.filter = filter;
  if (typeof groupBy === 'string') to.groupBy = groupBy;
  if (typeof line === 'object' && line !== null) {
    const { file, line: row } = line as { file?: unknown; line?: unknown };
    if (typeof file === 'string' && typeof row === 'number') to.line = { file, line: row };
  }
  return to;
}

/** Commands about profiles and their editors. */
export function registerProfileCommands(
  context: Context,
  editors: ProfileEditors,
  opened: (path: string) => void,
): vscode.Disposable {
  const { profiles } = context;
  const open = (resource: unknown, selected: unknown) => onOpen(resource, selected, opened);
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register('emberline.openProfile', open),
    register('emberline.openAsProfile', open),
    register('emberline.openSample', () => openProfile(samplePath(context))),
    register('emberline.copyRecorder', copyRecorder),
    register('emberline.showWalkthrough', () =>
      vscode.commands.executeCommand(
        'workbench.action.openWalkthrough',
        `${context.extension.extension.id}#start`,
        false,
      ),
    ),
    register('emberline.showHotLines', async () => {
      if (profiles.active === undefined) await offerProfile(context);
      else await vscode.commands.executeCommand('emberline.hotLines.focus');
    }),
    register('emberline.chooseProfile', () => onChoose(context)),
    register('emberline.reveal', async (to: unknown) => {
      const navigation = navigationOf(to);
      const profile = profiles.active;
      if (navigation === undefined) return;
      if (profile === undefined) await offerProfile(context);
      else await editors.navigate(profile, navigation);
    }),
    register('emberline.selectTrace', async (path: unknown, selection: unknown) => {
      const profile = profiles.list.find((candidate) => candidate.path === path);
      if (profile === undefined) return;
      profiles.activate(profile);
      await editors.select(profile, (selection ?? undefined) as ViewSelection | undefined);
    }),
  );
}

/** Opens the profile of the setting, in a window that shows nothing yet. */
export async function openStartupProfile(context: Context): Promise<void> {
  const wanted = openOnStartup();
  if (wanted === '') return;
  const open = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
  if (open.some(({ input }) => input instanceof vscode.TabInputCustom)) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const path = isAbsolute(wanted) || folder === undefined ? wanted : join(folder, wanted);
  context.log.info(`Opening ${path}, as emberline.openOnStartup says`);
  if (!mayHoldTrace(path)) context.log.debug('It is taken for a folder');
  await openProfile(path);
}
