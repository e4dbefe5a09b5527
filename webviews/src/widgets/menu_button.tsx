// A button with a menu.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

/**
 * A button that opens a small menu. The menu lies above everything, so that neither an edge nor what
 * stands below cuts it.
 */
export function MenuButton(props: {
  label: string;
  items: readonly { label: string; title?: string; run: () => void }[];
  /** Drawn as three dots, where there is no room for the label. */
  dots?: boolean;
  /** Drawn instead of the label, which is then its name and tooltip. */
  icon?: IconName;
  tabIndex?: number;
}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wordless = props.dots === true || props.icon !== undefined;
  useLayoutEffect(() => {
    const list = menu.current;
    if (!open || list === null || button.current === null) return undefined;
    list.showPopover();
    const at = button.current.getBoundingClientRect();
    const { width, height } = list.getBoundingClientRect();
    const below = at.bottom + height <= window.innerHeight || at.top < height;
    list.style.left = `${Math.max(4, Math.min(at.right, window.innerWidth - 4) - width)}px`;
    list.style.top = `${below ? at.bottom : at.top - height}px`;
    list.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    // The menu stays where it is while the page below it moves on.
    const close = (): void => setOpen(false);
    const closeOutside = (event: Event): void => {
      if (root.current?.contains(event.target as Node) !== true) close();
    };
    document.addEventListener('pointerdown', closeOutside);
    document.addEventListener('scroll', close, { capture: true });
    window.addEventListener('resize', close);
    return () => {
      document.removeEventListener('pointerdown', closeOutside);
      document.removeEventListener('scroll', close, { capture: true });
      window.removeEventListener('resize', close);
    };
  }, [open]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    // What lies below the menu has keys of its own.
    event.stopPropagation();
    if (event.key === 'ArrowDown') items[(at + 1) % items.length]?.focus();
    else if (event.key === 'ArrowUp') items[(at - 1 + items.length) % items.length]?.focus();
    else if (event.key === 'Home') items[0]?.focus();
    else if (event.key === 'End') items[items.length - 1]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') {
      setOpen(false);
      if (event.key === 'Escape') button.current?.focus();
      return;
    } else return;
    event.preventDefault();
  };
  return (
    <div class="menu" ref={root}>
      <button
        ref={button}
        type="button"
        class="tool-button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={wordless ? props.label : undefined}
        title={wordless ? props.label : undefined}
        tabIndex={props.tabIndex}
        onClick={(event) => {
          event.stopPropagation();
          setOpen(!open);
        }}
      >
        {props.dots === true ? (
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M2.5 7h2v2h-2z M7 7h2v2h-2z M11.5 7h2v2h-2z" fill="currentColor" />
          </svg>
        ) : (
          <>
            {props.icon === undefined ? props.label : <Icon name={props.icon} />}
            <span class="chevron" aria-hidden="true" />
          </>
        )}
      </button>
      {open ? (
        <div
          ref={menu}
          popover="manual"
          class="menu-items"
          role="menu"
          aria-label={props.label}
          onKeyDown={onKeyDown}
        >
          {props.items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              title={item.title}
              tabIndex={-1}
              onClick={(event) => {
                event.stopPropagation();
                setOpen(false);
                button.current?.focus();
                item.run();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
