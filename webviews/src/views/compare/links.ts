// Ways from a comparison to the profiles and to the code of its sides.
import { sharedTexts } from '#shared/common_texts.ts';
import { sideNames, type SideName } from '#shared/comparison.ts';
import type { SourceTarget, TimelinePlace } from '#shared/messages.ts';
import type { Row } from '#shared/protocol.ts';
import { openSource, request, showInProfile } from '../../host/host.ts';
import { compared } from '../../host/store.ts';
import { selectionOf } from '#shared/selection.ts';
import { fileName } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import type { RowAction } from '../../widgets/table/actions.tsx';
import { numberOf, text } from '../links.ts';
import { comparisonTexts } from './texts.ts';

export const sideTitles = {
  baseline: sharedTexts.baseline,
  candidate: sharedTexts.candidate,
} as const;

/** Opens a place in the code of a side: the calling line where its trace names only the function. */
export async function openSidePlace(
  side: SideName,
  target: SourceTarget,
  slice: number | undefined,
  toSide = false,
): Promise<void> {
  let line = target.line;
  if (target.lineIsDefinition === true && slice !== undefined) {
    const selection = selectionOf(compared.peek()?.[side].selection ?? {});
    const { frames } = await request(
      'source/stack',
      { slice, ...selection },
      undefined,
      side,
    ).catch(
      // The function is better than nothing.
      () => ({ frames: [] }),
    );
    const found = frames.find(
      (frame) =>
        frame.file === target.file && frame.function === target.function && !frame.lineIsDefinition,
    );
    line = found?.line ?? line;
  }
  openSource({ ...target, line }, toSide, side);
}

/** The places of a row in the code, the candidate's first: that is what is at hand. */
export function placesOf(
  row: Row,
): { side: SideName; name: string; open: (toSide?: boolean) => void }[] {
  return [...sideNames].reverse().flatMap((side) => {
    const file = text(row, `${side}File`);
    if (file === '') return [];
    const line = numberOf(row, `${side}Line`) ?? 0;
    const target = {
      file,
      line: Math.max(1, line),
      function: text(row, `${side}Function`),
      lineIsDefinition: row[`${side}LineIsDefinition`] === true,
    };
    const slice = numberOf(row, `${side}Slice`);
    return [
      {
        side,
        name: `${fileName(file)}${line > 0 ? `:${line}` : ''}`,
        open: (toSide = false) => void openSidePlace(side, target, slice, toSide),
      },
    ];
  });
}

/** What a row is in the timeline of a side; undefined where that side has nothing of it. */
function timelinePlace(row: Row, side: SideName): TimelinePlace | undefined {
  const status = text(row, 'status');
  if (status === (side === 'baseline' ? 'new' : 'gone')) return undefined;
  // A row is replaced by another row: it is on one side.
  if (status === 'replaced' && numberOf(row, `${side}Calls`) === 0) return undefined;
  const slice = numberOf(row, `${side}Slice`);
  if (slice !== undefined) return { slice };
  const file = text(row, `${side}File`);
  const line = numberOf(row, `${side}Line`);
  if (file !== '' && line !== undefined) return { line: { file, line } };
  // A kernel that is the same one may be called otherwise there.
  const otherName = side === 'baseline' ? text(row, 'baselineName') : '';
  return { search: otherName !== '' ? otherName : text(row, 'name') };
}

/** To the timelines of both profiles, and to the code. */
export function rowActions(row: Row): RowAction[] {
  const timelines = sideNames.flatMap((side) => {
    const place = timelinePlace(row, side);
    return place === undefined ? [] : [timelineAction(side, place)];
  });
  const place = placesOf(row)[0];
  if (place === undefined) return timelines;
  const title = comparisonTexts.openPlaceOf(place.name, place.side);
  return [...timelines, { label: commonTexts.code, title, run: () => place.open() }];
}

export function timelineAction(side: SideName, place: TimelinePlace): RowAction {
  return {
    label: sideTitles[side],
    title: comparisonTexts.showInTimelineOf(side),
    run: () => showInProfile(side, place),
  };
}
