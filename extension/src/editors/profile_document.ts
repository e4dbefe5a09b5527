import type * as vscode from 'vscode';
import type { OpenProfile } from '../daemon/profiles.ts';

/** A profile as VS Code's document: only its address; the daemon reads the file. */
export class ProfileDocument implements vscode.CustomDocument {
  readonly uri: vscode.Uri;
  readonly profile: OpenProfile;
  private readonly onDispose: () => void;

  constructor(uri: vscode.Uri, profile: OpenProfile, onDispose: () => void) {
    this.uri = uri;
    this.profile = profile;
    this.onDispose = onDispose;
  }

  dispose(): void {
    this.onDispose();
  }
}
