// The first levels of a chart that may be deep, above a table that comes first.
import type { ComponentChildren } from 'preact';
import { useKept } from './kept.ts';

/** What a chart may take of the height where it stands low. */
export const lowPx = 82;

export function Levels(props: {
  name: string;
  /** Height of the whole chart; undefined where it may take all of it. */
  heightPx: number | undefined;
  /** Something below the first levels is chosen. */
  deep?: boolean;
  children: ComponentChildren;
}) {
  const { name, heightPx } = props;
  const open = useKept(`${name}AllLevels`, false);
  if (heightPx === undefined || heightPx <= lowPx) return <>{props.children}</>;
  const all = open.value || props.deep === true;
  const label = all ? 'Show the first levels' : 'Show all levels';
  return (
    <>
      <div class="levels" style={{ height: `${all ? heightPx : lowPx}px` }}>
        {props.children}
      </div>
      <button
        type="button"
        class="levels-more"
        aria-expanded={all}
        aria-label={`${label} of ${name}`}
        title={label}
        onClick={() => (open.value = !all)}
      >
        <span class="chevron" aria-hidden="true" />
      </button>
    </>
  );
}
