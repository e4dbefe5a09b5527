import type { EditorState, ToView, ViewSelection } from '#shared/messages.ts';
import type { RequestOptions } from '../daemon/client.ts';
import type { OpenProfile } from '../daemon/profiles.ts';
import type { Supervisor } from '../daemon/supervisor.ts';
import type { TraceInfo } from '#shared/protocol.ts';
import { sameTrace, selectionExists, traceOf } from '#shared/selection.ts';
import { PageSession } from './page_session.ts';

/** What stands behind one profile editor. */
export class PanelSession extends PageSession {
  private readonly profile: OpenProfile;
  /** The trace that the page shows. */
  private shown: { selection: ViewSelection; trace: TraceInfo } | undefined;

  constructor(
    profile: OpenProfile,
    supervisor: Supervisor,
    state: EditorState,
    post: (message: ToView) => void,
  ) {
    super([profile], supervisor, state, post);
    this.profile = profile;
  }

  protected async read(options: RequestOptions): Promise<{ show: () => ToView }> {
    const found = await this.profile.opened();
    const { selection: wanted } = this.state;
    const selection = selectionExists(found, wanted) ? wanted : {};
    const { profile, trace } = await this.profile.loadTrace(selection, options, true);
    return {
      show: () => {
        this.show(selection, trace);
        return { type: 'loaded', profile, trace };
      },
    };
  }

  private show(selection: ViewSelection, trace: TraceInfo): void {
    this.shown = { selection, trace };
    this.profile.setActive({ selection, trace });
  }

  /** The page's view and selection changed. A change of trace comes as a request of its own. */
  setState(state: EditorState): void {
    this.state = state;
    this.becomeActive();
  }

  /** The source surfaces follow this editor. */
  becomeActive(): void {
    const { shown, profile } = this;
    const { selection } = this.state;
    if (shown === undefined || !sameTrace(shown.selection, selection)) return;
    const { active } = profile;
    const same =
      active !== undefined &&
      sameTrace(active.selection, selection) &&
      (active.selection.steps ?? '') === (selection.steps ?? '');
    if (!same) profile.setActive({ selection, trace: shown.trace });
  }

  /** A request of the page; `extra` are parameters that only the extension knows. */
  request(
    id: number,
    method: string,
    params: Record<string, unknown>,
    extra: Record<string, unknown> = {},
  ): Promise<void> {
    return this.answer(id, async (abort, current) => {
      const loads = method === 'profile/load';
      const options: RequestOptions = { signal: abort.signal };
      const wanted = { ...params, ...extra };
      if (loads) {
        options.onProgress = this.reporter(abort);
        wanted.firstPicture = true;
      }
      const result = await this.profile.forward(method, wanted, options);
      if (loads && current()) this.onPageLoaded(params as ViewSelection, result as TraceInfo);
      return result;
    });
  }

  /** The page chose another trace of the profile. */
  private onPageLoaded(selection: ViewSelection, trace: TraceInfo): void {
    const chosen = traceOf(selection);
    this.state = { ...this.state, selection: chosen };
    this.onShown();
    this.show(chosen, trace);
    if (this.profile.discovery === undefined) return;
    this.last = { type: 'loaded', profile: this.profile.discovery, trace };
  }
}
