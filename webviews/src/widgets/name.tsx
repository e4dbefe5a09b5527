// A name in little room: template arguments give way first, unless they were shortened to the word that
// tells them apart; other names are cut in their middle, because names of kernels begin alike.
import { cutParts, functionParts, shortName } from '#shared/names.ts';
import { visible } from '../lib/format.ts';

export function Name(props: { whole: string; shown?: string }) {
  const shown = visible(props.shown ?? props.whole);
  const parts = functionParts(shown);
  const telling = parts !== undefined && shown.includes('<\u2026');
  const { head, tail } = telling ? { head: parts.name, tail: '' } : cutParts(parts?.name ?? shown);
  return (
    <span class="name" data-whole={visible(props.whole)}>
      <span class="name-head">{head}</span>
      {tail === '' ? null : (
        <span class="name-tail">
          <span>{tail.slice(0, -9)}</span>
          <span>{tail.slice(-9)}</span>
        </span>
      )}
      {parts === undefined ? null : (
        <span class={`name-arguments ${telling ? 'telling' : ''}`}>{parts.args}</span>
      )}
    </span>
  );
}

/** A name of the trace in its short form; exports hold it as it was recorded. */
export function ShortName(props: { whole: string }) {
  return <span data-whole={visible(props.whole)}>{visible(shortName(props.whole))}</span>;
}
