// What tells a job of several ranks: in the address of its editor, between page and extension.
import { selectionOf } from './selection.ts';

/** A folder with the traces of the ranks of a job, or with digests of them. */
export interface JobAddress {
  path: string;
  /** Of a folder with several jobs: which of its runs. */
  run?: string;
}

/** The same job always gives the same text: an address is known by it. */
export function writeJob({ path, run }: JobAddress): string {
  return JSON.stringify({ path, ...selectionOf({ run }) });
}

/** Addresses come from anywhere: what is no job gives nothing. */
export function readJob(text: string): JobAddress | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { path, run } = value as Record<string, unknown>;
  if (typeof path !== 'string' || path === '') return undefined;
  return typeof run === 'string' && run !== '' ? { path, run } : { path };
}

/** How many ranks are put together for the pictures of a job of `total` before that of all. */
export function firstPictures(total: number): number[] {
  const sizes: number[] = [];
  for (let size = 2; size < total; size *= 4) sizes.push(size);
  return sizes;
}
