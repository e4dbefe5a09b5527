import * as vscode from 'vscode';
import { sharedTexts } from '#shared/common_texts.ts';
import type { Context } from '../workspace/context.ts';
import { failureData } from '../daemon/failure.ts';
import { plainText } from '../source/format.ts';

/** Commands about the daemon. */
export function registerDaemonCommands({ supervisor, log }: Context): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand('emberline.showLog', () => log.show()),
    vscode.commands.registerCommand('emberline.restartDaemon', async () => {
      try {
        await supervisor.restart();
      } catch (error) {
        const { message, hint } = failureData(error);
        const showLog = sharedTexts.showLog;
        const text = hint === undefined ? message : `${message} ${hint}`;
        const answer = await vscode.window.showErrorMessage(plainText(text), showLog);
        if (answer === showLog) log.show();
      }
    }),
  );
}
