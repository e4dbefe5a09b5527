// The tabs of the views.
import { useEffect, useRef } from 'preact/hooks';
import type { TraceInfo } from '#shared/protocol.ts';
import { views, type ViewEntry } from '../views/registry.ts';
import { shellTexts } from './texts.ts';

export function shownViews(info: TraceInfo): ViewEntry[] {
  return views.filter((entry) => entry.shown === undefined || entry.shown(info));
}

/** What stands on a tab. */
interface Tab<Name extends string> {
  name: Name;
  title: string;
}

export function Tabs<Name extends string>(props: {
  entries: readonly Tab<Name>[];
  current: Tab<Name>;
  onPick: (name: Name) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = props.entries.indexOf(props.current);
    const count = props.entries.length;
    const next = {
      ArrowRight: (at + 1) % count,
      ArrowLeft: (at - 1 + count) % count,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    props.onPick(props.entries[next]!.name);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  useEffect(() => {
    list.current
      ?.querySelector('[aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [props.current.name]);
  return (
    <div class="tabs" role="tablist" aria-label={shellTexts.views} ref={list} onKeyDown={onKeyDown}>
      {props.entries.map((entry) => (
        <button
          key={entry.name}
          type="button"
          role="tab"
          id={`tab-${entry.name}`}
          aria-selected={entry.name === props.current.name}
          aria-controls="view"
          tabIndex={entry.name === props.current.name ? 0 : -1}
          class="tab"
          onClick={() => props.onPick(entry.name)}
        >
          {entry.title}
        </button>
      ))}
    </div>
  );
}
