import { firstPictures } from '#shared/job.ts';
import type { EditorState, LoadedJob, ToView } from '#shared/messages.ts';
import type { DistributedJobResult, ProfileOpenResult } from '#shared/protocol.ts';
import type { RequestOptions } from '../daemon/client.ts';
import { cancelled, failureData } from '../daemon/failure.ts';
import type { OpenProfile } from '../daemon/profiles.ts';
import type { Supervisor } from '../daemon/supervisor.ts';
import { PageSession } from './page_session.ts';

/** Where the ranks of a job come from: an open folder of traces, or a folder of digests. */
export type JobSource = { profile: OpenProfile } | { digests: string };

type JobParams = { profileId: string; run?: string; span?: string } | { digests: string };

/** What stands behind one job: its ranks, of which the first are shown before all are there. */
export class JobSession extends PageSession {
  private readonly source: JobSource;
  private shown: LoadedJob | undefined;

  constructor(
    source: JobSource,
    supervisor: Supervisor,
    state: EditorState,
    post: (message: ToView) => void,
  ) {
    super('profile' in source ? [source.profile] : [], supervisor, state, post);
    this.source = source;
  }

  /** A rank of the job as far as it is loaded. */
  rank(number: number): DistributedJobResult['ranks'][number] | undefined {
    return this.shown?.result.ranks.find(({ rank }) => rank === number);
  }

  private async params(): Promise<{ params: JobParams; profile?: ProfileOpenResult }> {
    await this.supervisor.ready();
    if ('digests' in this.source) return { params: { digests: this.source.digests } };
    const profile = await this.source.profile.opened();
    const { run, span } = this.state.selection;
    return {
      profile,
      params: {
        profileId: profile.profileId,
        ...(run === undefined ? {} : { run }),
        ...(span === undefined ? {} : { span }),
      },
    };
  }

  protected async read({ signal, onProgress }: RequestOptions): Promise<{ show: () => ToView }> {
    const { params, profile } = await this.params();
    const { run } = this.state.selection;
    const runs = profile?.runs ?? [];
    const chosen = run === undefined ? runs[0] : runs.find(({ name }) => name === run);
    const total = chosen?.workers.length ?? 0;
    const about = profile === undefined ? {} : { profile };
    let done = 0;
    let partial: LoadedJob | undefined;
    const load = async (maxRanks: number): Promise<LoadedJob> => {
      const size = maxRanks === 0 ? total : maxRanks;
      const from = done;
      const result = await this.supervisor.request(
        'distributed/job',
        { ...params, maxRanks },
        {
          ...(signal === undefined ? {} : { signal }),
          onProgress: (report) => {
            const ranks = from + (report.percent / 100) * (size - from);
            const percent = total > 0 ? (100 * ranks) / total : report.percent;
            onProgress?.({ ...report, percent });
          },
        },
      );
      done = size;
      return { result, maxRanks, stopped: false, ...about };
    };
    try {
      for (const size of firstPictures(total)) {
        partial = await this.loadFirst(() => load(size), partial);
        if (signal?.aborted !== true && partial !== undefined) {
          this.shown = partial;
          this.tell({ type: 'loadedJob', job: partial });
        }
      }
      const job = await load(0);
      return { show: () => this.show(job) };
    } catch (error) {
      if (partial === undefined || failureData(error).kind !== cancelled) throw error;
      const job = { ...partial, stopped: true };
      return { show: () => this.show(job) };
    }
  }

  /** The first ranks may be broken: then more of them are needed for a first picture. */
  private async loadFirst(
    load: () => Promise<LoadedJob>,
    before: LoadedJob | undefined,
  ): Promise<LoadedJob | undefined> {
    try {
      return await load();
    } catch (error) {
      if (failureData(error).kind === cancelled) throw error;
      return before;
    }
  }

  private show(job: LoadedJob): ToView {
    this.shown = job;
    if ('profile' in this.source) this.source.profile.setCondition('loaded');
    return { type: 'loadedJob', job };
  }

  setState(state: EditorState): void {
    this.state = state;
  }

  /** A request of the page; it says itself of which run and of how many ranks. */
  request(
    id: number,
    method: string,
    params: Record<string, unknown>,
    extra: Record<string, unknown> = {},
  ): Promise<void> {
    return this.answer(id, async ({ signal }) => {
      const { params: job } = await this.params();
      return this.supervisor.forward(method, { ...params, ...extra, ...job }, { signal });
    });
  }
}
