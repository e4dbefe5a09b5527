import { isSideName, selectionsOf } from '#shared/comparison.ts';
import {
  type EditorState,
  type PageView,
  type SourceTarget,
  type TimelinePlace,
  type ToHost,
} from '#shared/messages.ts';
import { views, type ViewName } from '#shared/protocol.ts';
import { hostParams, isPageMethod } from '#shared/requests.ts';
import { selectionOf } from '#shared/selection.ts';

const viewNames: ReadonlySet<string> = new Set(views.map(({ name }) => name));

const ownParams: ReadonlySet<string> = new Set(hostParams);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isViewName(value: unknown): value is ViewName {
  return typeof value === 'string' && viewNames.has(value);
}

function isPageView(value: unknown): value is PageView {
  return isViewName(value) || value === 'compare' || value === 'job';
}

function pageParams(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([key]) => !ownParams.has(key)));
}

function sourceTarget(value: unknown): SourceTarget | undefined {
  if (!isRecord(value) || typeof value.file !== 'string' || typeof value.line !== 'number') {
    return undefined;
  }
  return {
    file: value.file,
    line: Math.max(0, Math.trunc(value.line)),
    ...(typeof value.function === 'string' ? { function: value.function } : {}),
    ...(typeof value.lineIsDefinition === 'boolean'
      ? { lineIsDefinition: value.lineIsDefinition }
      : {}),
  };
}

function timelinePlace({ slice, search, line }: Record<string, unknown>): TimelinePlace {
  const place: TimelinePlace = {};
  if (typeof slice === 'number' && Number.isSafeInteger(slice) && slice >= 0) place.slice = slice;
  if (typeof search === 'string') place.search = search;
  const target = sourceTarget(line);
  if (target !== undefined) place.line = { file: target.file, line: target.line };
  return place;
}

/** A state as a page sent it or as it was stored; undefined when it is not one. */
export function editorState(value: unknown): EditorState | undefined {
  if (!isRecord(value) || !isPageView(value.view)) return undefined;
  const sides = selectionsOf(value.sides);
  const selection = isRecord(value.selection) ? value.selection : {};
  return {
    view: value.view,
    selection: selectionOf(selection),
    views: isRecord(value.views) ? value.views : {},
    ...(sides === undefined ? {} : { sides }),
  };
}

/** Checks a message of a page: pages show what traces hold, and are not trusted. */
export function parseMessage(value: unknown): ToHost | undefined {
  if (!isRecord(value)) return undefined;
  switch (value.type) {
    case 'ready':
    case 'cancelLoad':
    case 'retry':
    case 'openAsText':
    case 'showLog':
    case 'restartDaemon':
      return { type: value.type };
    case 'request':
      if (typeof value.id !== 'number' || typeof value.method !== 'string') return undefined;
      if (!isPageMethod(value.method)) return undefined;
      return {
        type: 'request',
        id: value.id,
        method: value.method,
        params: isRecord(value.params) ? pageParams(value.params) : {},
        ...(isSideName(value.side) ? { side: value.side } : {}),
      };
    case 'cancel':
      return typeof value.id === 'number' ? { type: 'cancel', id: value.id } : undefined;
    case 'state': {
      const state = editorState(value.state);
      return state && { type: 'state', state };
    }
    case 'openSource': {
      const target = sourceTarget(value.target);
      const side = isSideName(value.side) ? { side: value.side } : {};
      return target && { type: 'openSource', target, toSide: value.toSide === true, ...side };
    }
    case 'width':
      return typeof value.px === 'number' && value.px > 0
        ? { type: 'width', px: value.px }
        : undefined;
    case 'copy':
      return typeof value.text === 'string' ? { type: 'copy', text: value.text } : undefined;
    case 'save':
      if (typeof value.suggestedName !== 'string' || typeof value.content !== 'string') {
        return undefined;
      }
      return {
        type: 'save',
        suggestedName: safeFileName(value.suggestedName),
        content: value.content,
        base64: value.base64 === true,
      };
    case 'openToSide':
      return isViewName(value.view) ? { type: 'openToSide', view: value.view } : undefined;
    case 'showInProfile':
      return isSideName(value.side) && isRecord(value.to)
        ? { type: 'showInProfile', side: value.side, to: timelinePlace(value.to) }
        : undefined;
    case 'openRank': {
      const { rank, slice } = value;
      if (typeof rank !== 'number' || !Number.isSafeInteger(rank)) return undefined;
      const place = typeof slice === 'number' ? timelinePlace({ slice }) : {};
      return { type: 'openRank', rank, ...place };
    }
    case 'swapSides': {
      const state = editorState(value.state);
      return state && { type: 'swapSides', state };
    }
    default:
      return undefined;
  }
}

/** A file name without folders and control characters, whatever the trace is called. */
export function safeFileName(name: string): string {
  const plain = name.replace(/[\\/:*?"<>|\u0000-\u001f]/g, '_').replace(/^\.+/, '');
  return plain.slice(0, 120) || 'profile';
}
