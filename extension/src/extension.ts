import * as vscode from 'vscode';
import { settingsTexts } from '#shared/texts.ts';
import { registerCompareCommands } from './commands/compare_commands.ts';
import { registerDaemonCommands } from './commands/daemon_commands.ts';
import { offerJob, registerJobCommands } from './commands/job_commands.ts';
import { registerLinkHandler } from './commands/link_handler.ts';
import { openStartupProfile, registerProfileCommands } from './commands/profile_commands.ts';
import { registerSourceCommands } from './commands/source_commands.ts';
import {
  costSettings,
  costSettingsChanged,
  serverPath,
  traceCache,
  userPackages,
} from './workspace/config.ts';
import type { Context } from './workspace/context.ts';
import { DaemonClient } from './daemon/client.ts';
import { daemonProgram } from './daemon/locate.ts';
import { Profiles } from './daemon/profiles.ts';
import { Supervisor } from './daemon/supervisor.ts';
import { registerTextDocuments } from './editors/as_text.ts';
import { ComparisonEditors } from './editors/compare_editor.ts';
import { FolderFiles } from './editors/folder_files.ts';
import { JobEditors } from './editors/job_editor.ts';
import { ProfileEditors } from './editors/profile_editor.ts';
import { TraceOffer } from './editors/trace_offer.ts';
import { Annotations } from './source/annotations.ts';
import { CostLenses } from './source/code_lens.ts';
import { GroupWidths } from './workspace/group_widths.ts';
import { CostDecorations } from './source/decorations.ts';
import { FindingActions, Findings } from './source/findings.ts';
import { CostHover } from './source/hover.ts';
import { HotLinesTree } from './views/hot_lines_tree.ts';
import { ProfilesTree } from './views/profiles_tree.ts';
import { StatusItem } from './views/status.ts';

let supervisor: Supervisor | undefined;

function createContext(extension: vscode.ExtensionContext): Context {
  const log = vscode.window.createOutputChannel('Emberline', { log: true });
  const version = (extension.extension.packageJSON as { version?: unknown }).version;
  supervisor = new Supervisor({
    log,
    launch: () =>
      DaemonClient.launch({
        command: daemonProgram(extension.extensionPath, serverPath()),
        args: ['serve'],
        env: {
          ...process.env,
          ...userPackages(),
          ...traceCache(extension.globalStorageUri.fsPath),
        },
        clientVersion: typeof version === 'string' ? version : '',
        log,
      }),
  });
  const profiles = new Profiles(supervisor);
  extension.subscriptions.push(log, supervisor, profiles);
  const groupWidths = new GroupWidths();
  return { extension, log, supervisor, profiles, groupWidths };
}

/** Which commands and views make sense, for the `when` clauses of the manifest. */
function keepContextKeys({ profiles, supervisor: daemon }: Context): vscode.Disposable {
  const update = () => {
    const open = profiles.list.length > 0;
    void vscode.commands.executeCommand('setContext', 'emberline.hasProfile', open);
  };
  update();
  // Until then, files are told from others by their names alone.
  void vscode.commands.executeCommand('setContext', 'emberline.active', true);
  return vscode.Disposable.from(profiles.onChange.on(update), daemon.onStatus.on(update));
}

function registerSourceSurfaces(context: Context, editors: ProfileEditors): vscode.Disposable {
  const annotations = new Annotations(context);
  const findings = new Findings(context, annotations);
  const decorations = new CostDecorations(context, annotations);
  const lenses = new CostLenses(annotations);
  const python = { language: 'python' };
  const profilesTree = new ProfilesTree(context, findings);
  const hotLines = new HotLinesTree(context, annotations);
  return vscode.Disposable.from(
    annotations,
    findings,
    decorations,
    lenses,
    profilesTree,
    hotLines,
    vscode.languages.registerCodeLensProvider(python, lenses),
    vscode.languages.registerHoverProvider(python, new CostHover(context, annotations, findings)),
    vscode.languages.registerCodeActionsProvider(python, new FindingActions(findings), {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    vscode.window.registerTreeDataProvider('emberline.profiles', profilesTree),
    vscode.window.registerTreeDataProvider('emberline.hotLines', hotLines),
    registerSourceCommands(context, editors, annotations, decorations),
  );
}

export function activate(extension: vscode.ExtensionContext): void {
  const context = createContext(extension);
  const editors = new ProfileEditors(context);
  const showInProfile: ConstructorParameters<typeof ComparisonEditors>[1] = async (
    profile,
    selection,
    to,
  ) => {
    await editors.navigate(profile, to);
    if (selection !== undefined) await editors.select(profile, selection);
  };
  const comparisons = new ComparisonEditors(context, showInProfile);
  const jobs = new JobEditors(context, showInProfile);
  extension.subscriptions.push(
    new FolderFiles().register(),
    registerTextDocuments(),
    new TraceOffer(extension.workspaceState),
    editors.register(),
    comparisons.register(),
    jobs.register(),
    registerJobCommands(jobs),
    registerProfileCommands(context, editors, (path) => void offerJob(context, jobs, path)),
    registerCompareCommands(context, comparisons),
    registerDaemonCommands(context),
    registerLinkHandler(context, editors, comparisons),
    registerSourceSurfaces(context, editors),
    new StatusItem(context),
    keepContextKeys(context),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const { state } = context.supervisor.current;
      const restarts = ['emberline.serverPath', 'emberline.traceCache', 'emberline.userPackages'];
      if (restarts.some((key) => event.affectsConfiguration(key)) && state !== 'idle') {
        void context.supervisor.restart().catch(() => undefined);
      }
      if (costSettingsChanged(event)) tellCostProblems();
    }),
  );
  // Nobody waits for it: the commands are there at once.
  void openStartupProfile(context).catch((error: unknown) => context.log.error(String(error)));
}

/** Names entries of the cost model's settings that cannot be used, which are left out. */
function tellCostProblems(): void {
  const { problems } = costSettings();
  if (problems.length === 0) return;
  void vscode.window.showWarningMessage(settingsTexts.ignores(problems[0]!, problems.length - 1));
}

export async function deactivate(): Promise<void> {
  await supervisor?.stop();
}
