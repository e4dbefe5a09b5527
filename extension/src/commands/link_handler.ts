import * as vscode from 'vscode';
import { profileTexts } from '#shared/texts.ts';
import type { Context } from '../workspace/context.ts';
import { plainText } from '../source/format.ts';
import type { ComparisonEditors } from '../editors/compare_editor.ts';
import { parseComparisonLink, parseTimelineLink } from '../editors/link.ts';
import type { ProfileEditors } from '../editors/profile_editor.ts';

/** Links that pages copied: a timeline's file, window and selection again, or a comparison. */
export function registerLinkHandler(
  context: Context,
  editors: ProfileEditors,
  comparisons: ComparisonEditors,
): vscode.Disposable {
  return vscode.window.registerUriHandler({
    async handleUri(uri) {
      const comparison = parseComparisonLink(uri.path, uri.query);
      if (comparison !== undefined) {
        await comparisons.open(comparison);
        return;
      }
      const link = parseTimelineLink(uri.path, uri.query);
      if (link === undefined) {
        void vscode.window.showWarningMessage(profileTexts.noProfileBehindLink);
        return;
      }
      // The holder of the editor keeps the profile; this one only bridges the opening.
      const profile = context.profiles.acquire(link.path);
      try {
        await editors.navigate(profile, link.to);
        if (Object.keys(link.selection).length > 0) await editors.select(profile, link.selection);
      } catch (error) {
        context.log.warn(`A link could not be opened: ${String(error)}`);
        void vscode.window.showErrorMessage(plainText(profileTexts.noProfileAt(link.path)));
      } finally {
        context.profiles.release(profile);
      }
    },
  });
}
