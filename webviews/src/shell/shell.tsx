// The frame around the views: banner, tabs, selectors, loading and failure.
import type { FunctionComponent } from 'preact';
import { useEffect, useErrorBoundary, useLayoutEffect, useRef } from 'preact/hooks';
import { openSource, openToSide, tellHost } from '../host/host.ts';
import {
  announcement,
  cancelOwnLoad,
  daemon,
  missingSource,
  navigate,
  path,
  profile,
  selectSteps,
  selectTrace,
  selection,
  status,
  title,
  trace,
  view,
  viewState,
} from '../host/store.ts';
import type { FailureData } from '#shared/messages.ts';
import { fileName, fixed, plural, quantity, visible } from '../lib/format.ts';
import type { TraceInfo } from '#shared/protocol.ts';
import { Button, LinkButton, Progress, Select } from '../widgets/controls.tsx';
import { Notices } from '../widgets/notices.tsx';
import { views, type ViewEntry } from '../views/registry.ts';

function Banner() {
  const state = daemon.value;
  if (state === undefined) return null;
  return (
    <div class={`banner ${state.state}`} role="alert">
      <span>
        {state.message ??
          (state.state === 'restarting'
            ? 'The analysis process ended and is starting again.'
            : 'The analysis process has stopped.')}
      </span>
      <span class="buttons">
        {state.state === 'stopped' ? (
          <Button onClick={() => tellHost('restartDaemon')}>Restart</Button>
        ) : null}
        <Button secondary onClick={() => tellHost('showLog')}>
          Show Log
        </Button>
      </span>
    </div>
  );
}

function MissingSource() {
  const target = missingSource.value;
  if (target === undefined) return null;
  return (
    <div class="banner missing" role="alert">
      <span>
        {fileName(target.file)} was not found on this machine. It was recorded as{' '}
        <code>{visible(target.file)}</code>.
      </span>
      <span class="buttons">
        <Button
          onClick={() => {
            missingSource.value = undefined;
            openSource(target);
          }}
        >
          Locate...
        </Button>
        <Button secondary onClick={() => (missingSource.value = undefined)}>
          Dismiss
        </Button>
      </span>
    </div>
  );
}

function stepChoices(info: TraceInfo) {
  return [
    { value: 'all', label: `Whole trace (${plural(info.steps.length, 'step')})` },
    ...info.steps.map((step) => ({
      value: step.name,
      label: `${step.name}${step.partial ? ' (partial)' : ''}, ${quantity(step.durationNs, 'ns')}`,
    })),
  ];
}

function Selectors() {
  const info = trace.value;
  const found = profile.value;
  if (info === undefined || found === undefined) return null;
  const run = found.runs.find((r) => r.name === (selection.value.run ?? info.run)) ?? found.runs[0];
  const worker =
    run?.workers.find((w) => w.name === (selection.value.worker ?? info.worker)) ?? run?.workers[0];
  const steps = selection.value.steps ?? 'all';
  const range = /^(\d+)-(\d+)$/.exec(steps);
  const names = info.steps.map((step) => ({ value: step.name, label: step.name }));
  const names1 = (list: { name: string }[]): { value: string; label: string }[] =>
    list.map((item) => ({ value: item.name, label: item.name === '' ? '(unnamed)' : item.name }));
  return (
    <div class="selectors" role="group" aria-label="Selection">
      {found.runs.length > 1 && run !== undefined ? (
        <Select
          label="Run"
          value={run.name}
          choices={names1(found.runs)}
          onChange={(name) => void selectTrace({ run: name })}
        />
      ) : null}
      {run !== undefined && worker !== undefined && run.workers.length > 1 ? (
        <Select
          label="Worker"
          value={worker.name}
          choices={names1(run.workers)}
          onChange={(name) => void selectTrace({ run: run.name, worker: name })}
        />
      ) : null}
      {run !== undefined && worker !== undefined && worker.spans.length > 1 ? (
        <Select
          label="Span"
          value={selection.value.span ?? info.span}
          choices={worker.spans.map((span) => ({ value: span.span, label: span.span }))}
          onChange={(span) => void selectTrace({ run: run.name, worker: worker.name, span })}
        />
      ) : null}
      {info.hasRecordedSteps && info.steps.length > 0 ? (
        range === null ? (
          <>
            <Select
              label="Steps"
              value={steps}
              choices={[
                ...stepChoices(info),
                ...(info.steps.length > 2 ? [{ value: 'range', label: 'Range...' }] : []),
              ]}
              onChange={(value) =>
                selectSteps(
                  value === 'range'
                    ? `${info.steps[0]!.name}-${info.steps[info.steps.length - 1]!.name}`
                    : value,
                )
              }
            />
          </>
        ) : (
          <>
            <Select
              label="Steps from"
              value={range[1]!}
              choices={names}
              onChange={(from) => selectSteps(orderedRange(from, range[2]!))}
            />
            <Select
              label="to"
              value={range[2]!}
              choices={names}
              onChange={(to) => selectSteps(orderedRange(range[1]!, to))}
            />
            <LinkButton onClick={() => selectSteps(undefined)}>Whole trace</LinkButton>
          </>
        )
      ) : null}
    </div>
  );
}

function orderedRange(from: string, to: string): string {
  return Number(from) <= Number(to) ? `${from}-${to}` : `${to}-${from}`;
}

export function shownViews(info: TraceInfo): ViewEntry[] {
  return views.filter((entry) => entry.shown === undefined || entry.shown(info));
}

function Tabs(props: { entries: readonly ViewEntry[]; current: ViewEntry }) {
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
    view.value = props.entries[next]!.name;
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  useEffect(() => {
    list.current
      ?.querySelector('[aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [props.current.name]);
  return (
    <div class="tabs" role="tablist" aria-label="Views" ref={list} onKeyDown={onKeyDown}>
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
          onClick={() => (view.value = entry.name)}
        >
          {entry.title}
        </button>
      ))}
    </div>
  );
}

function Loading(props: { stage: string; percent: number | undefined }) {
  const percent = props.percent;
  return (
    <main class="state-page">
      <h1>{visible(title.value)}</h1>
      <p role="status">
        {props.stage === '' ? 'Loading' : props.stage}
        {percent === undefined ? '' : `, ${fixed(percent, 0)} %`}
      </p>
      <Progress label="Loading the trace" percent={percent} />
      <p class="buttons">
        <Button
          secondary
          onClick={() => {
            if (!cancelOwnLoad()) tellHost('cancelLoad');
          }}
        >
          Cancel
        </Button>
      </p>
    </main>
  );
}

const advice: Record<string, string> = {
  unreadable:
    'Check that the file is a trace of torch.profiler, and that it was copied completely.',
  cancelled: 'Loading was cancelled. Retry reads the trace again.',
  notFound: 'Check that the file still exists, and that this machine can read it.',
};

function Failed(props: { error: FailureData }) {
  const { error } = props;
  const cancelled = error.kind === 'cancelled';
  const hint = error.hint !== undefined && error.hint !== '' ? error.hint : advice[error.kind];
  return (
    <main class="state-page failed" aria-live="assertive">
      <h1>{cancelled ? 'Loading was cancelled' : 'This trace cannot be shown'}</h1>
      <dl class="facts">
        <div class="fact">
          <dt>File</dt>
          <dd>
            <code>{visible(path.value)}</code>
          </dd>
        </div>
        <div class="fact">
          <dt>Why</dt>
          <dd>{visible(error.message)}</dd>
        </div>
        {error.offset === undefined ? null : (
          <div class="fact">
            <dt>Where</dt>
            <dd>Byte {fixed(error.offset, 0)} of the text</dd>
          </div>
        )}
        {hint === undefined ? null : (
          <div class="fact">
            <dt>What to do</dt>
            <dd>{visible(hint)}</dd>
          </div>
        )}
      </dl>
      <p class="buttons">
        <Button onClick={() => tellHost('retry')}>Retry</Button>
        <Button secondary onClick={() => tellHost('showLog')}>
          Show Log
        </Button>
      </p>
    </main>
  );
}

/** A fault in one view must not take the others with it. */
function Guarded(props: { component: FunctionComponent }) {
  const [error, reset] = useErrorBoundary();
  const Component = props.component;
  if (error !== undefined) {
    return (
      <section class="failure" role="alert">
        <p>This view failed: {error instanceof Error ? error.message : String(error)}</p>
        <Button onClick={reset}>Try again</Button>
      </section>
    );
  }
  return <Component />;
}

/** Each view finds its scroll position again. */
function ViewBody(props: { entry: ViewEntry }) {
  const element = useRef<HTMLDivElement>(null);
  const saved = viewState(props.entry.name, 'scrollTop', 0);
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
      aria-labelledby={`tab-${props.entry.name}`}
      tabIndex={-1}
      onScroll={() => {
        saved.value = Math.round(element.current?.scrollTop ?? 0);
      }}
    >
      <div class={`view view-${props.entry.name}`}>
        <Guarded component={props.entry.component} />
      </div>
    </div>
  );
}

/** "/" goes to the view's filter, as in many lists. The timeline has a search of its own. */
function focusFilter(event: KeyboardEvent): void {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (view.peek() === 'timeline') return;
  // Typing happens inside the shadow trees of form controls.
  if (event.composedPath().some((one) => one instanceof HTMLInputElement)) return;
  const box = document.querySelector<HTMLElement>('#view .filter vscode-textfield');
  if (box === null) return;
  event.preventDefault();
  box.focus();
}

export function Shell() {
  const state = status.value;
  const info = trace.value;
  let content;
  if (state.kind === 'failed') content = <Failed error={state.error} />;
  else if (state.kind === 'starting') content = <Loading stage="Starting" percent={undefined} />;
  else if (state.kind === 'loading' || info === undefined) {
    content =
      state.kind === 'loading' ? (
        <Loading stage={state.stage} percent={state.percent} />
      ) : (
        <Loading stage="" percent={undefined} />
      );
  } else {
    const entries = shownViews(info);
    const current = entries.find((entry) => entry.name === view.value) ?? entries[0]!;
    content = (
      <main class="profile">
        <header class="shell-header">
          <Tabs entries={entries} current={current} />
          <div class="shell-tools">
            <Selectors />
            <LinkButton
              class="side-button"
              title={`Open ${current.title} in an editor beside`}
              label={`Open ${current.title} to the side`}
              onClick={() => openToSide(current.name)}
            >
              <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                <path d="M2 3h12v10H2z M8.5 3v10" fill="none" stroke="currentColor" />
              </svg>
            </LinkButton>
          </div>
        </header>
        <Notices problems={info.problems} />
        {info.problems.length > 0 && current.name !== 'overview' ? (
          <div class="problem-line">
            <span>
              {info.problems.length === 1
                ? 'One kind of problem was found while reading this trace.'
                : `${info.problems.length} kinds of problems were found while reading this trace.`}
            </span>
            <LinkButton onClick={() => navigate({ view: 'overview' })}>Trace health</LinkButton>
          </div>
        ) : null}
        <ViewBody key={current.name} entry={current} />
      </main>
    );
  }
  return (
    <div class="shell" onKeyDown={focusFilter}>
      <Banner />
      <MissingSource />
      {content}
      <div class="visually-hidden" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </div>
  );
}
