import * as vscode from 'vscode';
import { sourceSettings } from '../workspace/config.ts';
import { isPython, type Annotations } from './annotations.ts';
import { drawnDeltas } from './deltas.ts';
import type { Context } from '../workspace/context.ts';
import { columnsOf, placedHints } from './hint_room.ts';
import { drawnHints, showsDevice, visualWidth, type DrawnHint } from './hints.ts';

/** More hints than this help nobody and slow the editor. */
const mostHints = 2000;

/** Settings that change what is drawn, or where. */
const drawnSettings = [
  'emberline',
  'editor.fontSize',
  'editor.minimap',
  'editor.scrollbar',
  'editor.wordWrap',
];

const heatLevels = [1, 2, 3, 4] as const;

/** Marks of one level in the gutter and the overview ruler. */
function marks(
  media: vscode.Uri,
  kind: 'heat' | 'relief',
  level: number,
): vscode.TextEditorDecorationType {
  const icon = (theme: string) => vscode.Uri.joinPath(media, `${kind}-${level}-${theme}.svg`);
  return vscode.window.createTextEditorDecorationType({
    light: { gutterIconPath: icon('light') },
    dark: { gutterIconPath: icon('dark') },
    gutterIconSize: 'contain',
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
    // The least heat would only clutter the ruler.
    ...(level === 1
      ? {}
      : {
          overviewRulerColor: new vscode.ThemeColor(`emberline.${kind}${level}`),
          overviewRulerLane: vscode.OverviewRulerLane.Right,
        }),
  });
}

/** The width of a letter of a monospaced font, as a part of its size. */
const letterPart = 0.605;

/** What an editor leaves its hints: columns without bound where its size is not known. */
function roomOf(
  { document, viewColumn }: vscode.TextEditor,
  { groupWidths }: Context,
): { columns: number; narrow: boolean; wraps: boolean } {
  const settings = vscode.workspace.getConfiguration('editor', document);
  const groupPx = groupWidths.of(viewColumn);
  const minimap =
    settings.get('minimap.enabled', true) && settings.get('minimap.side', 'right') === 'right'
      ? { columns: settings.get('minimap.maxColumn', 120), scale: settings.get('minimap.scale', 1) }
      : undefined;
  return {
    columns:
      groupPx === undefined
        ? Number.POSITIVE_INFINITY
        : columnsOf({
            groupPx,
            letterPx: settings.get('fontSize', 14) * letterPart,
            scrollBarPx: settings.get('scrollbar.verticalScrollbarSize', 14),
            ...(minimap === undefined ? {} : { minimap }),
          }),
    narrow: vscode.window.tabGroups.all.length > 1,
    wraps: ['on', 'bounded'].includes(settings.get('wordWrap', 'off')),
  };
}

function colorOf({ heat, faster }: DrawnHint): vscode.ThemeColor {
  if (heat < 3) return new vscode.ThemeColor('emberline.hintForeground');
  return new vscode.ThemeColor(
    faster === true ? 'emberline.fasterHintForeground' : 'emberline.hotHintForeground',
  );
}

/** End-of-line hints, and heat in the gutter and the overview ruler. */
export class CostDecorations implements vscode.Disposable {
  private readonly context: Context;
  private readonly annotations: Annotations;
  private readonly hint = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
  });
  private readonly heat: vscode.TextEditorDecorationType[];
  /** The same for what a comparison found faster. */
  private readonly relief: vscode.TextEditorDecorationType[];
  private readonly subscription: vscode.Disposable;

  constructor(context: Context, annotations: Annotations) {
    this.context = context;
    this.annotations = annotations;
    const { extensionUri } = context.extension;
    const media = vscode.Uri.joinPath(extensionUri, 'extension', 'media');
    this.heat = heatLevels.map((level) => marks(media, 'heat', level));
    this.relief = heatLevels.map((level) => marks(media, 'relief', level));
    this.subscription = vscode.Disposable.from(
      annotations.onDidChange((document) => {
        for (const editor of vscode.window.visibleTextEditors) {
          if (editor.document === document) this.draw(editor);
        }
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.drawAll()),
      vscode.window.tabGroups.onDidChangeTabGroups(({ opened, closed }) => {
        if (opened.length + closed.length === 0) return;
        // What pages told was of other groups; those that have another size now tell it.
        context.groupWidths.groupsChanged();
        this.drawAll();
      }),
      context.groupWidths.onChange.on(() => this.drawAll()),
      vscode.window.onDidChangeTextEditorOptions(({ textEditor }) => this.draw(textEditor)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (drawnSettings.some((name) => event.affectsConfiguration(name))) this.drawAll();
      }),
    );
    this.drawAll();
  }

  /** The hints that a document's newest costs make, under the present settings. */
  hintsOf(document: vscode.TextDocument): DrawnHint[] {
    const annotated = this.annotations.latest(document);
    if (annotated === undefined) return [];
    const settings = sourceSettings();
    if (annotated.compared !== undefined) {
      const { minimumShare } = settings;
      const { lineCount } = document;
      return drawnDeltas(annotated.compared, { minimumShare, lineCount }).slice(0, mostHints);
    }
    return drawnHints(annotated.result.lines, {
      device: showsDevice(settings.metric, annotated.result.hasDeviceWork),
      kind: annotated.result.deviceKind,
      minimumShare: settings.minimumShare,
      lineCount: document.lineCount,
    }).slice(0, mostHints);
  }

  private drawAll(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (!isPython(editor.document)) continue;
      this.draw(editor);
      void this.annotations.of(editor.document);
    }
  }

  private draw(editor: vscode.TextEditor): void {
    const { document } = editor;
    if (!isPython(document)) return;
    const annotated = this.annotations.latest(document);
    // Hints of an earlier text have moved with it by themselves; new places come with the answer.
    if (annotated !== undefined && annotated.version !== document.version) return;
    const settings = sourceSettings();
    const hints = this.hintsOf(document);
    editor.setDecorations(this.hint, settings.hints ? this.hintOptions(editor, hints) : []);
    for (const faster of [false, true]) {
      for (const [index, type] of (faster ? this.relief : this.heat).entries()) {
        const ranges = hints
          .filter((hint) => hint.heat === index + 1 && (hint.faster ?? false) === faster)
          .map(({ line }) => document.lineAt(line).range);
        editor.setDecorations(type, settings.heat ? ranges : []);
      }
    }
  }

  private hintOptions(
    editor: vscode.TextEditor,
    hints: readonly DrawnHint[],
  ): vscode.DecorationOptions[] {
    const { document } = editor;
    const tabSize = typeof editor.options.tabSize === 'number' ? editor.options.tabSize : 4;
    const lines = hints.map((hint) => {
      const { text, firstNonWhitespaceCharacterIndex } = document.lineAt(hint.line);
      return {
        hint,
        width: visualWidth(text, tabSize),
        indent: visualWidth(text.slice(0, firstNonWhitespaceCharacterIndex), tabSize),
      };
    });
    const placed = placedHints(lines, { ...roomOf(editor, this.context), tabSize });
    return placed.map(({ text, gapColumns, inIndent }, index) => {
      const { hint } = lines[index]!;
      const look: vscode.ThemableDecorationAttachmentRenderOptions = {
        contentText: text,
        color: colorOf(hint),
        fontStyle: hint.stale ? 'italic' : 'normal',
      };
      const { range } = document.lineAt(hint.line);
      return inIndent
        ? {
            range,
            // Above the white space: VS Code has no option for it and writes this one into the style
            // sheet as it is. The text of the line stays where it is.
            renderOptions: {
              before: { ...look, textDecoration: 'none; position: absolute; left: 0' },
            },
          }
        : { range, renderOptions: { after: { ...look, margin: `0 0 0 ${gapColumns}ch` } } };
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.hint.dispose();
    for (const type of [...this.heat, ...this.relief]) type.dispose();
  }
}
