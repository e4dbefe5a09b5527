// A name in little room: cut in its middle, because names of kernels begin alike.
import { cutParts } from '../lib/names.ts';
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
