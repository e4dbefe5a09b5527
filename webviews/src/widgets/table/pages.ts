// The pages of a table that have been read: asked for as they come into sight, in the order and with
// the filter that the table has now.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FailureData } from '#shared/messages.ts';
import type { Absence, Column, Row, Table } from '#shared/protocol.ts';
import type { PageMethod, PageParams, Result } from '#shared/requests.ts';
import { CancelledError, failureOf } from '../../host/host.ts';
import { ask } from '../../host/query.ts';
import { inMakersWords } from '../../host/maker.ts';
import { epoch, carried } from '../../host/store.ts';

/** Methods that answer with a page of a table. */
export type TableMethod = {
  [M in PageMethod]: Result<M> extends Table ? M : never;
}[PageMethod];

/** A table as any of its methods answers; some name an order, and what they lack. */
type AnyTable = Table & { defaultSort?: string; absences?: Absence[] };

export const pageSize = 200;

export interface Loaded {
  key: string;
  columns: Column[];
  hidden: readonly string[];
  defaultSort: string;
  absences: Absence[];
  totalRows: number;
  unfilteredRows: number;
  pages: Map<number, Row[]>;
}

export interface Asked<M extends TableMethod> {
  method: M;
  params?: PageParams<M>;
  /** Terms of the filter beside those that the user writes into its box. */
  alsoFilter?: string;
  /** The whole answer to the first page, for what a view shows beside the table. */
  onResult?: (result: Result<M>) => void;
  /** Keys of columns that say nothing in this trace. They stay in exports. */
  hideColumns?: (result: Result<M>) => readonly string[];
}

/** All rows that have been read. */
export function readRows(loaded: Loaded | undefined): Row[] {
  return [...(loaded?.pages.values() ?? [])].flat();
}

export function usePages<M extends TableMethod>(props: Asked<M>, sort: string, filter: string) {
  const terms = `${filter.trim()} ${props.alsoFilter ?? ''}`.trim();
  const params = {
    ...props.params,
    ...(sort === '' ? {} : { sort }),
    ...(terms === '' ? {} : { filter: terms }),
  } as PageParams<M>;
  const key = `${epoch.value} ${props.method} ${JSON.stringify(carried.value)} ${JSON.stringify(params)}`;
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  const [error, setError] = useState<FailureData | undefined>(undefined);
  const [attempt, setAttempt] = useState(0);
  const wanted = useRef(new Set<number>());

  /** A whole page: the daemon ends one early when its rows are long, and goes on where it ended. */
  const askPage = async (
    page: number,
    signal: AbortSignal | undefined,
  ): Promise<{ result: Result<M> & AnyTable; rows: Row[] }> => {
    const from = page * pageSize;
    const askRows = async (offset: number, limit: number): Promise<Result<M> & AnyTable> =>
      (await ask(props.method, { ...params, offset, limit }, signal)) as Result<M> & AnyTable;
    const result = await askRows(from, pageSize);
    const rows = [...result.rows];
    const expected = Math.min(pageSize, result.totalRows - from);
    while (rows.length < expected) {
      const more = (await askRows(from + rows.length, expected - rows.length)).rows;
      if (more.length === 0) break;
      rows.push(...more);
    }
    return { result, rows };
  };

  const fetchPage = (page: number, signal: AbortSignal | undefined): Promise<void> =>
    askPage(page, signal).then(
      ({ result, rows }) => {
        if (signal?.aborted === true) return;
        if (page === 0) props.onResult?.(result);
        setError(undefined);
        setLoaded((old) => {
          const pages = new Map(old?.key === key ? old.pages : []);
          pages.set(page, rows);
          return {
            key,
            columns: result.columns.map((column) => ({
              ...column,
              title: inMakersWords(column.title),
            })),
            hidden: props.hideColumns?.(result) ?? [],
            defaultSort: result.defaultSort ?? '',
            absences: result.absences ?? [],
            totalRows: result.totalRows,
            unfilteredRows: result.unfilteredRows,
            pages,
          };
        });
      },
      (failure: unknown) => {
        if (failure instanceof CancelledError || signal?.aborted === true) return;
        setError(failureOf(failure));
      },
    );

  const abortRef = useRef<AbortController>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    abortRef.current = abort;
    wanted.current = new Set([0]);
    void fetchPage(0, abort.signal);
    return () => abort.abort();
  }, [key, attempt]);

  const need = (first: number, last: number): void => {
    if (loaded?.key !== key) return;
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
      if (wanted.current.has(page)) continue;
      wanted.current.add(page);
      void fetchPage(page, abortRef.current?.signal);
    }
  };
  return {
    loaded,
    error,
    stale: loaded?.key !== key && error === undefined,
    params,
    need,
    retry: () => setAttempt(attempt + 1),
  };
}
