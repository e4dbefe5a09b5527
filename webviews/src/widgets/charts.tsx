// The charts above a table. In a narrow view they would push it out of sight: there they wait to be
// asked for.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { LinkButton } from './controls.tsx';
import { useKept } from './kept.ts';
import { useWidth } from './width.ts';

const narrowPx = 620;

export function Charts(props: { class?: string; children: ComponentChildren }) {
  const root = useRef<HTMLDivElement>(null);
  const narrow = useWidth(root) < narrowPx;
  const open = useKept('chartsOpen', false);
  return (
    <div ref={root} class="charts">
      {narrow ? (
        <p>
          <LinkButton pressed={open.value} onClick={() => (open.value = !open.value)}>
            {open.value ? 'Hide the charts' : 'Show the charts'}
          </LinkButton>
        </p>
      ) : null}
      {narrow && !open.value ? null : (
        <div class={`columns ${props.class ?? ''}`}>{props.children}</div>
      )}
    </div>
  );
}
