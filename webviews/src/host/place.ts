// Places in the source of what ran: recorders since PyTorch 1.11 name the first line of each function;
// the line inside it is found by the daemon, from the slice.
import type { Frame, Row } from '#shared/protocol.ts';
import { openSource } from './host.ts';
import type { SourceTarget } from '#shared/messages.ts';
import { ask, useAnswer } from './query.ts';

const same = (a: Pick<Frame, 'file' | 'function'>, b: Pick<Frame, 'file' | 'function'>): boolean =>
  a.file === b.file && a.function === b.function;

/** The frames of a slice's stack, with the lines that were found once they are known. */
export function usePlacedFrames(
  frames: readonly Frame[],
  slice: number | undefined,
): readonly Frame[] {
  const wanted = slice !== undefined && frames.some((frame) => frame.lineIsDefinition);
  const answer = useAnswer('source/stack', wanted ? { slice } : undefined);
  const placed = answer.value?.frames;
  if (!wanted || placed === undefined) return frames;
  return frames.map((frame, index) => {
    const found = placed[index];
    return found !== undefined && same(found, frame) ? found : frame;
  });
}

/** Opens the place that a row's file, line and function name, found as the slice it leads to. */
export function openRowPlace(row: Row, toSide = false): void {
  const { file, line, function: name, slice } = row;
  if (typeof file !== 'string' || file === '') return;
  const target = {
    file,
    line: typeof line === 'number' && line > 0 ? line : 1,
    function: typeof name === 'string' ? name : '',
    lineIsDefinition: row.lineIsDefinition === true || row.confidence === 'function',
  };
  void openPlace(target, typeof slice === 'number' ? slice : undefined, toSide);
}

/** Opens the line of a frame of the slice's stack: the calling line where it can be found. */
export async function openPlace(
  target: SourceTarget,
  slice: number | undefined,
  toSide = false,
): Promise<void> {
  let best = target;
  if (target.lineIsDefinition === true && slice !== undefined && slice >= 0) {
    const { frames } = await ask('source/stack', { slice }).catch(
      // The function is better than nothing.
      () => ({ frames: [] }),
    );
    const found = frames.find(
      (frame) =>
        frame.file === target.file && frame.function === target.function && !frame.lineIsDefinition,
    );
    if (found !== undefined) best = { ...target, line: found.line, lineIsDefinition: false };
  }
  openSource(best, toSide);
}
