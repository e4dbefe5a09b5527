import { bothSides } from '#shared/comparison.ts';
import { selectionOf } from '#shared/selection.ts';
import type { RequestOptions } from './client.ts';
import type { ShownComparison } from './profiles.ts';
import type { Supervisor } from './supervisor.ts';

/** Sends a request about two profiles: each side goes by its handle and its selection. */
export async function forwardCompared(
  { profiles, selections, revision }: ShownComparison,
  supervisor: Supervisor,
  method: string,
  params: Record<string, unknown>,
  options?: RequestOptions,
): Promise<unknown> {
  const { baseline, candidate } = profiles;
  const [before, after] = await Promise.all([baseline.opened(), candidate.opened()]);
  const ids = { baseline: before.profileId, candidate: after.profileId };
  const named = bothSides((side) => ({ ...selectionOf(selections[side]), profileId: ids[side] }));
  const source = revision === undefined ? {} : { baselineRevision: revision.commit };
  return supervisor.forward(method, { ...params, ...named, ...source }, options);
}
