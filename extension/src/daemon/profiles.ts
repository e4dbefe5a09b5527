import { basename, dirname } from 'node:path';
import type { Sides } from '#shared/comparison.ts';
import type { ViewSelection } from '#shared/messages.ts';
import type { ProfileOpenResult, TraceInfo } from '#shared/protocol.ts';
import { traceOf } from '#shared/selection.ts';
import type { RequestOptions } from './client.ts';
import { Emitter, type Disposable } from './emitter.ts';
import type { Supervisor } from './supervisor.ts';

/** The trace that the source surfaces speak of. */
export interface ActiveTrace {
  selection: ViewSelection;
  trace: TraceInfo;
}

/**
 * A trace, run folder or log folder that somebody has open. Its handle in the daemon is renewed
 * whenever the daemon is a new one, so whoever holds this object need not know of restarts.
 */
export class OpenProfile {
  readonly path: string;
  readonly onChange = new Emitter<void>();
  /** What lies below the path; undefined until it was opened once. */
  discovery: ProfileOpenResult | undefined;
  active: ActiveTrace | undefined;
  /** How its last load went; a load that was withdrawn has failed, too. */
  condition: 'loading' | 'loaded' | 'failed' = 'loading';
  private readonly supervisor: Supervisor;
  private opening: { generation: number; result: Promise<ProfileOpenResult> } | undefined;

  constructor(path: string, supervisor: Supervisor) {
    this.path = path;
    this.supervisor = supervisor;
  }

  /** Short name for tabs, trees and status. */
  get title(): string {
    return basename(this.path) || this.path;
  }

  /** Longer name, where several profiles have the same short one. */
  get detail(): string {
    return dirname(this.path);
  }

  /** The profile as the running daemon knows it. */
  async opened(): Promise<ProfileOpenResult> {
    await this.supervisor.ready();
    const { generation } = this.supervisor.current;
    if (this.opening?.generation !== generation) {
      const result = this.supervisor.request('profile/open', { path: this.path });
      const opening = { generation, result };
      this.opening = opening;
      // A failure is not kept: the file may be there the next time.
      result.catch(() => {
        if (this.opening === opening) this.opening = undefined;
      });
    }
    const discovery = await this.opening.result;
    if (this.discovery !== discovery) {
      this.discovery = discovery;
      this.onChange.fire();
    }
    return discovery;
  }

  /**
   * Loads the trace that the selection names. `firstPicture`: progress says when there is a first
   * picture of it.
   */
  async loadTrace(
    selection: ViewSelection,
    options: RequestOptions,
    firstPicture = false,
  ): Promise<{ profile: ProfileOpenResult; trace: TraceInfo }> {
    const profile = await this.opened();
    const result = await this.supervisor.request(
      'profile/load',
      { profileId: profile.profileId, ...traceOf(selection), firstPicture },
      options,
    );
    return { profile, trace: result };
  }

  /** Sends a request about this profile. The parameters need no `profileId`. */
  async forward(
    method: string,
    params: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<unknown> {
    const { profileId } = await this.opened();
    return this.supervisor.forward(method, { ...params, profileId }, options);
  }

  /** Forgets what was read: the file below the path is another one now. */
  reopen(): void {
    const { opening } = this;
    this.opening = undefined;
    this.closeInDaemon(opening);
  }

  setCondition(condition: OpenProfile['condition']): void {
    if (this.condition === condition) return;
    this.condition = condition;
    this.onChange.fire();
  }

  setActive(active: ActiveTrace): void {
    this.active = active;
    this.condition = 'loaded';
    this.onChange.fire();
  }

  /** Lets the daemon forget it. */
  close(): void {
    this.onChange.dispose();
    const { opening } = this;
    this.opening = undefined;
    this.closeInDaemon(opening);
  }

  private closeInDaemon(opening: typeof this.opening): void {
    if (opening === undefined || opening.generation !== this.supervisor.current.generation) return;
    if (this.supervisor.current.state !== 'running') return;
    opening.result
      .then(({ profileId }) => this.supervisor.request('profile/close', { profileId }))
      .catch(() => undefined);
  }
}

/** A commit, and what the user calls it. */
export interface SourceRevision {
  name: string;
  commit: string;
}

/** Two profiles that are compared, with the selections that their page shows now. */
export interface ShownComparison {
  readonly profiles: Sides<OpenProfile>;
  readonly selections: Sides<ViewSelection>;
  /** The version of the user's code that the baseline ran, where it is not that of now. */
  readonly revision: SourceRevision | undefined;
}

/** All open profiles, and the one, or the two, that the source surfaces show. */
export class Profiles implements Disposable {
  /** A profile came, went, changed, or another one became the active one. */
  readonly onChange = new Emitter<void>();
  private readonly supervisor: Supervisor;
  private readonly open = new Map<string, { profile: OpenProfile; holders: number }>();
  private activePath: string | undefined;
  private shown: ShownComparison | undefined;

  constructor(supervisor: Supervisor) {
    this.supervisor = supervisor;
  }

  /** The comparison whose differences the source surfaces show: until another editor is active. */
  get comparison(): ShownComparison | undefined {
    return this.shown;
  }

  /** The source shows what differs; `activate` ends it. */
  compare(comparison: ShownComparison): void {
    const { candidate } = comparison.profiles;
    if (this.shown === comparison && this.activePath === candidate.path) return;
    this.shown = comparison;
    this.activePath = candidate.path;
    this.onChange.fire();
  }

  /** The comparison was closed, or its page shows other steps or traces. */
  comparisonChanged(comparison: ShownComparison, open: boolean): void {
    if (this.shown !== comparison) return;
    if (!open) this.shown = undefined;
    this.onChange.fire();
  }

  get list(): OpenProfile[] {
    return [...this.open.values()].map(({ profile }) => profile);
  }

  /** The active profile: the one chosen, else the one opened last. */
  get active(): OpenProfile | undefined {
    return this.open.get(this.activePath ?? '')?.profile ?? this.list.at(-1);
  }

  /** The profile of a path. Each call is matched by one of `release`. */
  acquire(path: string): OpenProfile {
    const known = this.open.get(path);
    if (known !== undefined) {
      known.holders++;
      return known.profile;
    }
    const profile = new OpenProfile(path, this.supervisor);
    this.open.set(path, { profile, holders: 1 });
    profile.onChange.on(() => this.onChange.fire());
    this.onChange.fire();
    return profile;
  }

  release(profile: OpenProfile): void {
    const known = this.open.get(profile.path);
    if (known === undefined || known.profile !== profile || --known.holders > 0) return;
    this.open.delete(profile.path);
    if (this.activePath === profile.path) this.activePath = undefined;
    profile.close();
    this.onChange.fire();
  }

  activate(profile: OpenProfile): void {
    if (this.activePath === profile.path && this.shown === undefined) return;
    this.activePath = profile.path;
    this.shown = undefined;
    this.onChange.fire();
  }

  dispose(): void {
    for (const { profile } of this.open.values()) profile.close();
    this.open.clear();
    this.onChange.dispose();
  }
}
