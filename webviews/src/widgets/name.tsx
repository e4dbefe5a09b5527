// A name in little room: one shortening that knows how wide its place is, so that nothing is cut twice.
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { shortName } from '#shared/names.ts';
import { fitName, fitPath, fitTrack, type WidthOf } from '../lib/fit_name.ts';
import { visible } from '../lib/format.ts';

/** One observer for all names: each tells how much room it has before it is painted. */
const heard = new WeakMap<Element, () => void>();
let observer: ResizeObserver | undefined;

function observe(element: Element, changed: () => void): () => void {
  observer ??= new ResizeObserver((entries) => {
    for (const { target } of entries) heard.get(target)?.();
  });
  const used = observer;
  heard.set(element, changed);
  used.observe(element);
  return () => used.unobserve(element);
}

const pencil = document.createElement('canvas').getContext('2d');

/** Measures texts as an element draws them. */
export function widthIn(element: Element): WidthOf {
  const { font } = getComputedStyle(element);
  return (text) => {
    if (pencil === null) return 0;
    // Others may have set another one since.
    pencil.font = font;
    return pencil.measureText(text).width;
  };
}

/**
 * A text that `fit` shortens to the room that it has. The page holds the whole of it, for assistive
 * technology; what is drawn is the short form.
 */
function Fitted(props: {
  whole: string;
  shown: string;
  fit: (shown: string, room: number, widthOf: WidthOf) => string;
}) {
  const { shown, fit } = props;
  const place = useRef<HTMLSpanElement>(null);
  const [fitted, setFitted] = useState({ of: shown, text: shown });
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    return observe(element, () => {
      // Half a pixel too much is not seen; a column that is as wide as its name has no more.
      const room = element.getBoundingClientRect().width + 0.5;
      const text = room < 1 ? shown : fit(shown, room, widthIn(element));
      setFitted((last) => (last.of === shown && last.text === text ? last : { of: shown, text }));
    });
  }, [shown, fit]);
  const cut = fitted.of === shown && fitted.text !== shown;
  return (
    <span
      class="fitted-name"
      ref={place}
      data-whole={props.whole}
      data-fitted={cut ? fitted.text : undefined}
    >
      <span>{shown}</span>
    </span>
  );
}

export function Name(props: { whole: string; shown?: string }) {
  const whole = visible(props.whole);
  const fit = useCallback(
    (shown: string, room: number, widthOf: WidthOf) =>
      fitName(shown, room, widthOf, visible(shortName(props.whole))),
    [props.whole],
  );
  return <Fitted whole={whole} shown={visible(props.shown ?? props.whole)} fit={fit} />;
}

type PathMark = ' / ' | ': ' | ', ' | '.';

const lastNames = new Map(
  ([' / ', ': ', ', ', '.'] as const).map((mark) => [
    mark,
    (path: string, room: number, widthOf: WidthOf) =>
      fitPath(path, path.lastIndexOf(mark), room, widthOf),
  ]),
);

/** Names one inside of the other, the last of which is the thing's own and stays. */
export function PathName(props: {
  path: string;
  marks: readonly PathMark[];
  /** Without any of the marks. */
  otherwise?: typeof fitTrack;
}) {
  const path = visible(props.path);
  const mark = props.marks.find((one) => path.includes(one));
  const fit = mark === undefined ? (props.otherwise ?? fitName) : lastNames.get(mark)!;
  return <Fitted whole={path} shown={path} fit={fit} />;
}

/** What stands behind these marks tells tracks apart: "HCCL: Plane 0", "Queue depth, stream 7". */
const trackMarks = [': ', ', '] as const;

export function TrackName({ name }: { name: string }) {
  return <PathName path={name} marks={trackMarks} otherwise={fitTrack} />;
}

/**
 * A name of the trace in its short form; exports hold it as it was recorded. `among` has what to show for
 * names that stand below each other, some of which may be alike in their short form.
 */
export function ShortName(props: { whole: string; among?: ReadonlyMap<string, string> }) {
  const { whole, among } = props;
  return <span data-whole={visible(whole)}>{visible(among?.get(whole) ?? shortName(whole))}</span>;
}
