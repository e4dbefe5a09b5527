// Requests as hooks. Answers are kept for a while, so that going back to a tab shows it at once.
import { useEffect, useRef, useState } from 'preact/hooks';
import { CancelledError, failureOf, request } from './host.ts';
import { epoch, carried } from './store.ts';
import type { FailureData } from '#shared/messages.ts';
import type { PageMethod, PageParams, Result } from '#shared/requests.ts';

export interface Answer<T> {
  /** The newest answer; stays while the next one is on its way. */
  value: T | undefined;
  error: FailureData | undefined;
  /** An answer to what is asked now has not come yet. */
  pending: boolean;
}

const keep = 40;
const answers = new Map<string, unknown>();
let answersEpoch = -1;

function remember(key: string, value: unknown): void {
  answers.delete(key);
  answers.set(key, value);
  while (answers.size > keep) answers.delete(answers.keys().next().value!);
}

/** Asks the daemon with the current selection; the same question again within an epoch is not asked twice. */
export async function ask<M extends PageMethod>(
  method: M,
  params: PageParams<M>,
  signal?: AbortSignal,
): Promise<Result<M>> {
  if (answersEpoch !== epoch.peek()) {
    answers.clear();
    answersEpoch = epoch.peek();
  }
  const asked = answersEpoch;
  const all = { ...carried.peek(), ...params };
  const key = `${method} ${JSON.stringify(all)}`;
  if (answers.has(key)) {
    const known = answers.get(key);
    remember(key, known);
    return known as Result<M>;
  }
  const value = await request(method, all, signal);
  if (asked === answersEpoch && !('limit' in all && all.limit === -1)) remember(key, value);
  return value;
}

/** The answer to a question that may change; undefined `params` asks nothing. */
export function useAnswer<M extends PageMethod>(
  method: M,
  params: PageParams<M> | undefined,
): Answer<Result<M>> & { retry(): void } {
  const [state, setState] = useState<Answer<Result<M>> & { key: string }>({
    value: undefined,
    error: undefined,
    pending: true,
    key: '',
  });
  const [attempt, setAttempt] = useState(0);
  const selected = JSON.stringify(carried.value);
  const key =
    params === undefined
      ? ''
      : `${epoch.value} ${attempt} ${method} ${selected} ${JSON.stringify(params)}`;
  const asked = useRef(params);
  asked.current = params;
  useEffect(() => {
    if (key === '' || asked.current === undefined) return undefined;
    const abort = new AbortController();
    setState((old) => ({ ...old, error: undefined, pending: true, key }));
    ask(method, asked.current, abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ value, error: undefined, pending: false, key });
      },
      (error: unknown) => {
        if (abort.signal.aborted || error instanceof CancelledError) return;
        setState({ value: undefined, error: failureOf(error), pending: false, key });
      },
    );
    return () => abort.abort();
  }, [key]);
  return {
    value: state.value,
    error: state.error,
    pending: state.pending || state.key !== key,
    retry: () => setAttempt(attempt + 1),
  };
}
