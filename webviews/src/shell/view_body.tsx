// Where a view stands: it scrolls, finds its place again, and fails alone.
import { useErrorBoundary, useLayoutEffect, useRef } from 'preact/hooks';
import type { PageView } from '#shared/messages.ts';
import type { Late } from '../host/late.ts';
import { viewState } from '../host/view_state.ts';
import { Button } from '../widgets/controls.tsx';
import { Arriving } from './arriving.tsx';
import { shellTexts } from './texts.ts';

/** A fault in one view must not take the others with it. */
function Guarded(props: { body: Late }) {
  const [error, reset] = useErrorBoundary();
  if (error !== undefined) {
    return (
      <section class="failure" role="alert">
        <p>{shellTexts.viewFailed(error instanceof Error ? error.message : String(error))}</p>
        <Button onClick={reset}>{shellTexts.tryAgain}</Button>
      </section>
    );
  }
  return <Arriving of={props.body} given={{}} />;
}

/** Each view finds its scroll position again. */
export function ViewBody(props: {
  view: PageView;
  /** Of the tab that shows it. */
  tab: string;
  body: Late;
}) {
  const element = useRef<HTMLDivElement>(null);
  const saved = viewState(
    props.view,
    props.view === props.tab ? 'scrollTop' : `${props.tab}ScrollTop`,
    0,
  );
  useLayoutEffect(() => {
    const body = element.current;
    if (body === null) return undefined;
    const wanted = saved.peek();
    if (wanted === 0) return undefined;
    // The content grows as answers arrive.
    const observer = new ResizeObserver(() => {
      if (body.scrollHeight - body.clientHeight >= wanted) {
        body.scrollTop = wanted;
        observer.disconnect();
      }
    });
    for (const child of body.children) observer.observe(child);
    // Whoever scrolls, types or clicks before that has gone elsewhere.
    const stop = (): void => observer.disconnect();
    const taken = ['wheel', 'keydown', 'pointerdown'] as const;
    for (const type of taken) body.addEventListener(type, stop, { passive: true });
    return () => {
      stop();
      for (const type of taken) body.removeEventListener(type, stop);
    };
  }, []);
  return (
    <div
      ref={element}
      class="view-body"
      id="view"
      role="tabpanel"
      aria-labelledby={`tab-${props.tab}`}
      tabIndex={-1}
      onScroll={() => {
        saved.value = Math.round(element.current?.scrollTop ?? 0);
      }}
    >
      <div class={`view view-${props.tab}`}>
        <Guarded body={props.body} />
      </div>
    </div>
  );
}
