// The tabs of the views. Those that have no room are in a menu behind the others.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TraceInfo } from '#shared/protocol.ts';
import { tabsThatFit } from '../lib/tabs.ts';
import { views, type ViewEntry } from '../views/registry.ts';
import { MenuButton } from '../widgets/menu_button.tsx';
import { useOwnWidth } from '../widgets/width.ts';
import { shellTexts } from './texts.ts';

export function shownViews(info: TraceInfo): ViewEntry[] {
  return views.filter((entry) => entry.shown === undefined || entry.shown(info));
}

/** What stands on a tab. */
interface Tab<Name extends string> {
  name: Name;
  title: string;
}

/** What the button of the menu takes. */
const menuPx = 32;

export function Tabs<Name extends string>(props: {
  entries: readonly Tab<Name>[];
  current: Tab<Name>;
  onPick: (name: Name) => void;
}) {
  const bar = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [fits, setFits] = useState<readonly boolean[]>([]);
  const roomPx = useOwnWidth(bar, 0);
  const tabOf = (index: number): HTMLElement | undefined =>
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index];
  const focusNext = useRef(false);
  const at = props.entries.indexOf(props.current);
  // Tabs in the menu keep their place in the document, where they can be measured.
  useLayoutEffect(() => {
    const widths = props.entries.map((_, index) => tabOf(index)?.offsetWidth ?? 0);
    const now = tabsThatFit(widths, roomPx, at, menuPx);
    if (now.join() !== fits.join()) setFits(now);
    else if (focusNext.current) {
      focusNext.current = false;
      tabOf(at)?.focus();
    }
  });
  const shown = (index: number): boolean => fits[index] ?? true;
  const onKeyDown = (event: KeyboardEvent): void => {
    const count = props.entries.length;
    const next = {
      ArrowRight: (at + 1) % count,
      ArrowLeft: (at - 1 + count) % count,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    focusNext.current = true;
    props.onPick(props.entries[next]!.name);
  };
  const more = props.entries.filter((_, index) => !shown(index));
  return (
    <div class="tab-bar" ref={bar}>
      <div
        class="tabs"
        role="tablist"
        aria-label={shellTexts.views}
        ref={list}
        onKeyDown={onKeyDown}
      >
        {props.entries.map((entry, index) => (
          <button
            key={entry.name}
            type="button"
            role="tab"
            id={`tab-${entry.name}`}
            aria-selected={entry.name === props.current.name}
            aria-controls="view"
            tabIndex={entry.name === props.current.name ? 0 : -1}
            class={shown(index) ? 'tab' : 'tab in-menu'}
            onClick={() => props.onPick(entry.name)}
          >
            {entry.title}
          </button>
        ))}
      </div>
      {more.length === 0 ? null : (
        <MenuButton
          dots
          label={shellTexts.moreViews}
          items={more.map(({ name, title }) => ({ label: title, run: () => props.onPick(name) }))}
        />
      )}
    </div>
  );
}
