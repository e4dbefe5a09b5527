// A name in little room: cut in its middle, because names of kernels begin alike.
import { cutParts, shortName } from '#shared/names.ts';
import { visible } from '../lib/format.ts';

export function Name(props: { whole: string; shown?: string }) {
  const { head, tail } = cutParts(visible(props.shown ?? props.whole));
  return (
    <span class="name" data-whole={visible(props.whole)}>
      <span class="name-head">{head}</span>
      {tail === '' ? null : (
        <span class="name-tail">
          <span>{tail.slice(0, -9)}</span>
          <span>{tail.slice(-9)}</span>
        </span>
      )}
    </span>
  );
}

/** A name of the trace in its short form; exports hold it as it was recorded. */
export function ShortName(props: { whole: string }) {
  return <span data-whole={visible(props.whole)}>{visible(shortName(props.whole))}</span>;
}
