// A Python stack, innermost frame first. Runs of library frames are folded to one line.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { copyText, openSource } from '../host/host.ts';
import { usePlacedFrames } from '../host/place.ts';
import { announce } from '../host/store.ts';
import { fileName, isFilePath, visible } from '../lib/format.ts';
import type { Frame } from '#shared/protocol.ts';
import { ActionButton } from './controls.tsx';
import { widgetTexts } from './texts.ts';

export function frameTarget(frame: Frame) {
  return {
    file: frame.file,
    line: frame.line,
    function: frame.function,
    lineIsDefinition: frame.lineIsDefinition,
  };
}

export function FrameLink(props: { frame: Frame; full?: boolean }) {
  const { frame } = props;
  const place =
    frame.file === ''
      ? ''
      : `${props.full === true ? frame.file : fileName(frame.file)}${frame.line > 0 ? `:${frame.line}` : ''}`;
  const note = frame.lineIsDefinition ? widgetTexts.firstLineOnly : '';
  if (!isFilePath(frame.file)) {
    return (
      <span class="frame-text">
        <span class="frame-function">{visible(frame.function)}</span>
        {place === '' ? null : <span class="frame-place">{visible(place)}</span>}
      </span>
    );
  }
  return (
    <button
      type="button"
      class="frame-link"
      title={`${visible(frame.file)}:${frame.line}${note === '' ? '' : `\n${note}`}`}
      onClick={(event) => openSource(frameTarget(frame), event.ctrlKey || event.metaKey)}
    >
      <span class="frame-function">{visible(frame.function)}</span>
      <span class="frame-place">{visible(place)}</span>
    </button>
  );
}

interface Part {
  frames: Frame[];
  folded: boolean;
}

function parts(frames: readonly Frame[]): Part[] {
  const result: Part[] = [];
  for (const frame of frames) {
    const last = result[result.length - 1];
    if (last !== undefined && last.folded === frame.library) last.frames.push(frame);
    else result.push({ frames: [frame], folded: frame.library });
  }
  // One or two library frames need no fold.
  return result.map((part) => (part.frames.length <= 2 ? { ...part, folded: false } : part));
}

export function StackList(props: {
  frames: readonly Frame[];
  /** A slice with this stack, by which the lines inside the functions are found. */
  slice?: number | undefined;
  /** What else can be done with the stack, beside copying it. */
  actions?: ComponentChildren;
}) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const frames = usePlacedFrames(props.frames, props.slice);
  if (frames.length === 0) return <p class="nothing">{widgetTexts.noFrames}</p>;
  const copy = (): void => {
    copyText(
      frames
        .map((frame) =>
          frame.file === ''
            ? visible(frame.function)
            : `${visible(frame.file)}:${frame.line} ${visible(frame.function)}`,
        )
        .join('\n'),
    );
    announce(widgetTexts.stackCopied);
  };
  return (
    <>
      <p class="stack-actions">
        {props.actions}
        <ActionButton onClick={copy}>{widgetTexts.copyStack}</ActionButton>
      </p>
      <ol class="stack" aria-label={widgetTexts.pythonStackLabel}>
        {parts(frames).map((part, index) =>
          part.folded && !unfolded.has(index) ? (
            <li key={index} class="fold">
              <ActionButton onClick={() => setUnfolded(new Set([...unfolded, index]))}>
                {widgetTexts.libraryFrames(part.frames.length)}
              </ActionButton>
            </li>
          ) : (
            part.frames.map((frame, at) => (
              <li key={`${index}.${at}`} class={frame.library ? 'library' : ''}>
                <FrameLink frame={frame} />
              </li>
            ))
          ),
        )}
      </ol>
    </>
  );
}
