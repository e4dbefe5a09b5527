import * as vscode from 'vscode';
import type { Navigation } from '#shared/messages.ts';
import { sourceSettings } from '../workspace/config.ts';
import type { CompareAnnotationsResult, SourceLens } from '#shared/protocol.ts';
import { sourceTexts } from '#shared/texts.ts';
import { isPython, type Annotations } from './annotations.ts';
import { comparedSide, lensDelta, lensPlaces } from './deltas.ts';
import { labelText } from './format.ts';
import { hottestLines, lensTitle, lineHint, showsDevice } from './hints.ts';
import { operatorRows } from './row_filter.ts';
import { savingLenses } from './savings.ts';

/** Where a click on the lens of a definition leads: its hottest operators, or its module. */
function lensTarget(lens: SourceLens): Navigation {
  const rows = operatorRows(lens.operators);
  if (rows !== undefined) return { view: 'operators', filter: rows };
  if (lens.kind === 'module') {
    return { view: 'modules', filter: lens.name.split('.').at(-1) ?? lens.name };
  }
  return { view: 'lines', filter: lens.name };
}

function at(line: number): vscode.Range {
  return new vscode.Range(line - 1, 0, line - 1, 0);
}

/** CodeLens on functions, classes and modules that the active profile ran, and on the hottest lines. */
export class CostLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly annotations: Annotations;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(annotations: Annotations) {
    this.annotations = annotations;
    this.subscription = vscode.Disposable.from(
      annotations.onDidChange(() => this.changed.fire()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('emberline')) this.changed.fire();
      }),
    );
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const settings = sourceSettings();
    if (!settings.codeLens || !isPython(document)) return [];
    const annotated = await this.annotations.of(document);
    if (annotated === undefined) return [];
    const { result, compared } = annotated;
    if (compared !== undefined) return this.deltas(document, compared, settings.minimumShare);
    const device = showsDevice(settings.metric, result.hasDeviceWork);
    const lenses: vscode.CodeLens[] = [];
    for (const lens of result.lenses) {
      if (lens.line < 1 || lens.line > document.lineCount) continue;
      if ((device ? lens.deviceUs : lens.hostUs) <= 0) continue;
      lenses.push(
        new vscode.CodeLens(at(lens.line), {
          title: lensTitle(lens, device, result.deviceKind),
          tooltip: sourceTexts.showOperators(labelText(lens.name)),
          command: 'emberline.reveal',
          arguments: [lensTarget(lens)],
        }),
      );
    }
    const hottest = hottestLines(result.lines, {
      device,
      count: settings.hottestLines,
      minimumShare: Math.max(settings.minimumShare, 0.02),
    });
    const defined = new Set(result.lenses.map(({ line }) => line));
    for (const [index, line] of hottest.entries()) {
      if (line.line < 1 || line.line > document.lineCount || defined.has(line.line)) continue;
      const rank = index === 0 ? sourceTexts.hottest : sourceTexts.hot(index + 1);
      const target: Navigation = {
        view: 'timeline',
        line: { file: line.file, line: line.recordedLine },
      };
      lenses.push(
        new vscode.CodeLens(at(line.line), {
          title: `$(flame)\u00a0${rank} · ${lineHint(line, device)}`,
          tooltip: sourceTexts.showCalls,
          command: 'emberline.reveal',
          arguments: [target],
        }),
      );
    }
    const savings = savingLenses(device ? annotated.savings : undefined, result.lines, {
      count: settings.savings,
      minimumShare: Math.max(settings.minimumShare, 0.02),
      deviceUs: result.totals.deviceUs,
    });
    for (const { line, title, target } of savings) {
      if (line < 1 || line > document.lineCount) continue;
      lenses.push(
        new vscode.CodeLens(at(line), {
          title,
          tooltip: sourceTexts.showInRoofline,
          command: 'emberline.reveal',
          arguments: [target],
        }),
      );
    }
    return lenses;
  }

  /** How much slower or faster the functions and classes are, while a comparison is shown. */
  private deltas(
    { lineCount }: vscode.TextDocument,
    compared: CompareAnnotationsResult,
    minimumShare: number,
  ): vscode.CodeLens[] {
    return lensPlaces(compared, { minimumShare, lineCount }).map(
      (place) =>
        new vscode.CodeLens(at(place.line), {
          title: lensDelta(place, comparedSide(compared)),
          tooltip: sourceTexts.showInComparison(labelText(place.function)),
          command: 'emberline.revealComparison',
          arguments: [place.function],
        }),
    );
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}
