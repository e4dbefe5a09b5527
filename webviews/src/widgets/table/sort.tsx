// The order of a table's rows: a column's key, with a minus before it for descending.

export interface Sort {
  key: string;
  descending: boolean;
}

export function sortOf(text: string): Sort {
  return { key: text.replace(/^-/, ''), descending: text.startsWith('-') };
}

export function ariaSort(sort: Sort, key: string): 'ascending' | 'descending' | 'none' {
  return sort.key !== key ? 'none' : sort.descending ? 'descending' : 'ascending';
}

/** What stands in a heading of figures: title, unit, and the mark of the order. */
export function HeadText(props: { title: string; suffix: string; sort: Sort; of: string }) {
  const { title, suffix, sort } = props;
  return (
    <>
      <span class="head-text">
        {title}
        {suffix === '' ? null : <span class="head-unit"> {suffix}</span>}
      </span>
      {sort.key === props.of ? (
        <span class={`sort-mark ${sort.descending ? 'down' : 'up'}`} aria-hidden="true" />
      ) : null}
    </>
  );
}
