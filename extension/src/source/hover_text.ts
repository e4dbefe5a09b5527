import type { NamedCost, SourceHoverResult } from '#shared/protocol.ts';
import { formatBytes, formatCount, formatUs } from '#shared/numbers.ts';
import { shownNames, tensorShapes } from '#shared/names.ts';
import { sourceTexts } from '#shared/texts.ts';
import { sharedTexts } from '#shared/common_texts.ts';
import { escapeMarkdown, shorten, staleNote } from './format.ts';
import { lineCost } from './hints.ts';

export interface HoverLinks {
  /** A command link, or undefined where commands are not to be had. */
  link: (command: string, ...args: unknown[]) => string | undefined;
}

/**
 * A link of Markdown, or the text alone where there is no address. Brackets in an address, which
 * holds names of the trace, would end the link early, and what follows would be markup.
 */
function linked(text: string, address: string | undefined): string {
  if (address === undefined) return text;
  const whole = address.replace(
    /[()\s<>\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return `[${text}](${whole})`;
}

const longest = { operator: 60, kernel: 70, caller: 60 };

/** Recorded shapes as `8x3x32x32, 16`; what is no shape without its brackets. */
export function shapeText(shape: string): string {
  return tensorShapes(shape) ?? shape.replace(/[[\],\s]+/g, ' ').trim();
}

function tableOf(title: string, all: readonly NamedCost[], kind: string, length: number) {
  const device = kind !== 'CPU';
  const rows = all.filter((row) => (device ? row.deviceUs : row.hostUs) > 0);
  if (rows.length === 0) return '';
  const backward = rows.some((row) => row.backwardUs > 0);
  const shaped = rows.some((row) => row.shapes.some((shape) => shapeText(shape) !== ''));
  const shown = shownNames(rows.map(({ name }) => name));
  const table = rows.map((row) => {
    const shapes = row.shapes.map(shapeText).filter((shape) => shape !== '');
    return [
      escapeMarkdown(shorten(shown.get(row.name)!, length)),
      formatUs(device ? row.deviceUs : row.hostUs),
      ...(backward ? [row.backwardUs > 0 ? formatUs(row.backwardUs) : ''] : []),
      `×${formatCount(row.calls)}`,
      ...(shaped ? [shapes.map((shape) => escapeMarkdown(shorten(shape, 40))).join('; ')] : []),
    ];
  });
  const head = [title, kind, ...(backward ? [sharedTexts.inBackward] : []), sharedTexts.calls];
  const align = [':--', ...Array.from({ length: head.length - 1 }, () => '--:')];
  if (shaped) {
    head.push(sourceTexts.shapes);
    align.push(':--');
  }
  // Hovers leave no room between columns.
  const line = (cells: readonly string[]) => `| ${cells.join(' &nbsp;&nbsp;| ')} |`;
  return [line(head), `|${align.join('|')}|`, ...table.map(line)].join('\n');
}

/** The figures of a line as rows of a table; what is zero is left out. */
function summary(
  result: SourceHoverResult,
  device: boolean,
  kind: string,
  saving: string | undefined,
): string[] {
  const line = result.cost;
  if (line === null) return [];
  const cost = lineCost(line, device, kind);
  const rows: [string, string][] = [];
  const time = (name: string, us: number): void => {
    if (us > 0) rows.push([name, formatUs(us)]);
  };
  if (cost.selfUs !== cost.us) time(sharedTexts.self, cost.selfUs);
  if (cost.backwardUs > 0 || cost.recomputeUs > 0) {
    time(sharedTexts.forward, cost.us - cost.backwardUs - cost.recomputeUs);
  }
  time(sharedTexts.backward, cost.backwardUs);
  time(sharedTexts.recompute, cost.recomputeUs);
  if (device && saving !== undefined) rows.push([sourceTexts.savingHead, saving]);
  if (device) time('CPU', line.hostTotalUs);
  time(sourceTexts.waitsFor(kind), line.synchronizationUs);
  time(sourceTexts.idle(kind), line.idleUs);
  if (line.allocatedBytes > 0) rows.push([sourceTexts.allocates, formatBytes(line.allocatedBytes)]);
  if (line.collectives > 0) {
    rows.push([
      sharedTexts.collectives,
      `${formatCount(line.collectives)}, ${formatUs(line.collectiveUs)}`,
    ]);
  }
  if (line.runs > 0) {
    rows.push([
      line.confidence === 'function' ? sharedTexts.calls : sourceTexts.runs,
      formatCount(line.runs),
    ]);
  }
  const head = sourceTexts.ofAll(cost.us, cost.side, cost.share);
  if (rows.length === 0) return [head];
  const cells = rows.map(([name, value]) => `| ${name} &nbsp;&nbsp;| ${value} |`);
  return [head, ['| | |', '|:--|--:|', ...cells].join('\n')];
}

function confidence(result: SourceHoverResult): string | undefined {
  switch (result.cost?.confidence) {
    case undefined:
    case 'exact':
      return undefined;
    case 'aligned':
      return sourceTexts.aligned;
    case 'statement':
      return sourceTexts.statementOnly;
    case 'function':
      return sourceTexts.functionOnly;
  }
}

/**
 * The hover of a line as Markdown. Everything that comes from the trace is escaped; links are the
 * only commands in it.
 */
export function hoverMarkdown(
  result: SourceHoverResult,
  options: {
    device: boolean;
    kind?: string;
    profile: string;
    findings: readonly string[];
    /** What the line could save, where that is known and worth a word. */
    saving?: string | undefined;
  } & HoverLinks,
): string | undefined {
  const line = result.cost;
  if (!result.found || line === null) return undefined;
  const { device, link, kind = 'GPU' } = options;
  const blocks = summary(result, device, kind, options.saving);
  if (line.stale) blocks.push(staleNote);
  const how = confidence(result);
  if (how !== undefined) blocks.push(how);
  if (result.byOperator.length > 0) {
    const side = device ? kind : 'CPU';
    blocks.push(
      tableOf(sharedTexts.operator, result.byOperator.slice(0, 8), side, longest.operator),
    );
  }
  if (result.byKernel.length > 0) {
    blocks.push(tableOf(sharedTexts.kernel, result.byKernel.slice(0, 6), kind, longest.kernel));
  }
  if (result.callers.length > 0) {
    const callers = result.callers.slice(0, 5).map((caller) => {
      const name = escapeMarkdown(
        shorten(sourceTexts.callerAt(caller.function, caller.line), longest.caller),
      );
      const target = { file: caller.file, line: caller.line, function: caller.function };
      const us = formatUs(device ? caller.deviceUs : caller.hostUs);
      return `- ${linked(name, link('emberline.openFrame', target))} ${us}`;
    });
    blocks.push(`${sharedTexts.calledFrom}\n\n${callers.join('\n')}`);
  }
  for (const finding of options.findings) blocks.push(`💡 ${escapeMarkdown(finding)}`);
  blocks.push(linksOf(result, device, link));
  blocks.push(`<sub>${escapeMarkdown(options.profile)}</sub>`);
  return blocks.filter((block) => block !== '').join('\n\n');
}

function linksOf(result: SourceHoverResult, device: boolean, link: HoverLinks['link']): string {
  const line = result.cost;
  if (line === null) return '';
  const links: [string, string | undefined][] = [
    [
      sharedTexts.timeline,
      link('emberline.reveal', {
        view: 'timeline',
        line: { file: line.file, line: line.recordedLine },
      }),
    ],
  ];
  const operator = result.byOperator[0]?.name;
  if (operator !== undefined) {
    links.push([
      sharedTexts.operators,
      link('emberline.reveal', { view: 'operators', filter: operator }),
    ]);
  }
  const kernel = result.byKernel[0]?.name;
  if (device && kernel !== undefined) {
    links.push([
      sharedTexts.kernels,
      link('emberline.reveal', { view: 'kernels', filter: kernel }),
    ]);
  }
  return links
    .flatMap(([text, href]) => (href === undefined ? [] : [linked(text, href)]))
    .join(' · ');
}
