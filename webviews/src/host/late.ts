// What a page draws before all of its script is there: each view is a script of its own, which comes when
// the view is first shown, or when the page has nothing else to do.
import type { FunctionComponent } from 'preact';

export interface Late<Props = object> {
  /** Undefined until its script has come. */
  component: FunctionComponent<Props> | undefined;
  /** Fetches the script; a fetch that failed is tried again. */
  load(): Promise<FunctionComponent<Props>>;
}

export function late<Props = object>(fetch: () => Promise<FunctionComponent<Props>>): Late<Props> {
  let coming: Promise<FunctionComponent<Props>> | undefined;
  const made: Late<Props> = {
    component: undefined,
    load: () => {
      coming ??= fetch().then(
        (component) => (made.component = component),
        (error: unknown) => {
          coming = undefined;
          throw error;
        },
      );
      return coming;
    },
  };
  return made;
}

interface Loadable {
  component: unknown;
  load(): Promise<unknown>;
}

/** Fetches one script after the other, whenever the page is idle: a switch of views then waits for none. */
export function loadWhenIdle(scripts: readonly Loadable[]): void {
  const [next, ...rest] = scripts.filter(({ component }) => component === undefined);
  if (next === undefined) return;
  const fetchNext = (): void => {
    // One that cannot be had says so where it is shown.
    next.load().then(
      () => loadWhenIdle(rest),
      () => undefined,
    );
  };
  // Safari has no idle callbacks.
  if ('requestIdleCallback' in window) window.requestIdleCallback(fetchNext);
  else setTimeout(fetchNext, 200);
}
