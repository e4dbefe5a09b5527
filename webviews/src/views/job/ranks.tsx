// What the views of a job share beside its tables: the rows of one, for a chart, and links to ranks.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FailureData } from '#shared/messages.ts';
import type { DistributedTableParams, Row } from '#shared/protocol.ts';
import { CancelledError, failureOf, openRank } from '../../host/host.ts';
import { ask } from '../../host/query.ts';
import { carried, epoch, job } from '../../host/store.ts';
import { jobTexts } from './texts.ts';

export type By = DistributedTableParams['by'];

/** Whether any rank has work of several devices: else a column for them says nothing. */
export function severalDevices(): boolean {
  return (job.value?.loaded?.result.ranks ?? []).some(({ devices }) => devices.length > 1);
}

/** A rank, which opens its profile. */
export function RankLink(props: { rank: number; slice?: number; children?: ComponentChildren }) {
  const { rank, slice } = props;
  return (
    <button
      type="button"
      class="cell-link"
      tabIndex={-1}
      title={jobTexts.openProfile(rank)}
      onClick={() => openRank(rank, slice)}
    >
      {props.children ?? String(rank)}
    </button>
  );
}

/** More rows than this no chart draws. */
const mostRows = 40_000;

export interface Rows {
  rows: readonly Row[] | undefined;
  error: FailureData | undefined;
  /** There are more. */
  cut: boolean;
}

/** All rows of a table, for a chart of them. */
export function useRows(by: By): Rows {
  const [state, setState] = useState<Rows>({ rows: undefined, error: undefined, cut: false });
  const key = `${epoch.value} ${JSON.stringify(carried.value)} ${by}`;
  useEffect(() => {
    const abort = new AbortController();
    const read = async (): Promise<Rows> => {
      const rows: Row[] = [];
      for (;;) {
        const page = await ask(
          'distributed/table',
          { by, offset: rows.length, limit: 1000 },
          abort.signal,
        );
        rows.push(...page.rows);
        const cut = page.totalRows > mostRows && rows.length >= mostRows;
        if (page.rows.length === 0 || rows.length >= page.totalRows || cut) {
          return { rows, error: undefined, cut };
        }
      }
    };
    read().then(
      (next) => {
        if (!abort.signal.aborted) setState(next);
      },
      (error: unknown) => {
        if (abort.signal.aborted || error instanceof CancelledError) return;
        setState({ rows: undefined, error: failureOf(error), cut: false });
      },
    );
    return () => abort.abort();
  }, [key]);
  return state;
}
