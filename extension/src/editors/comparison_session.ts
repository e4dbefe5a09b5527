import { selectionsOf, type SideName, type Sides } from '#shared/comparison.ts';
import type { EditorState, LoadedSide, ToView, ViewSelection } from '#shared/messages.ts';
import type { TraceInfo } from '#shared/protocol.ts';
import { selectionExists, traceOf } from '#shared/selection.ts';
import type { RequestOptions } from '../daemon/client.ts';
import { forwardCompared } from '../daemon/compared.ts';
import type { OpenProfile, ShownComparison, SourceRevision } from '../daemon/profiles.ts';
import type { Supervisor } from '../daemon/supervisor.ts';
import { PageSession } from './page_session.ts';

/** What stands behind one comparison: the profiles of both sides. */
export class ComparisonSession extends PageSession implements ShownComparison {
  readonly profiles: Sides<OpenProfile>;
  revision: SourceRevision | undefined;
  private shown: Sides<LoadedSide> | undefined;

  constructor(
    profiles: Sides<OpenProfile>,
    supervisor: Supervisor,
    state: EditorState,
    post: (message: ToView) => void,
  ) {
    super([profiles.baseline, profiles.candidate], supervisor, state, post);
    this.profiles = profiles;
  }

  /** The selections of both sides as the page last told them. */
  get selections(): Sides<ViewSelection> {
    return this.state.sides ?? { baseline: {}, candidate: {} };
  }

  protected async read({ signal, onProgress }: RequestOptions): Promise<{ show: () => ToView }> {
    const percents = { baseline: 0, candidate: 0 };
    const load = async (side: SideName): Promise<LoadedSide> => {
      const profile = this.profiles[side];
      const found = await profile.opened();
      const wanted = this.selections[side];
      return profile.loadTrace(selectionExists(found, wanted) ? wanted : {}, {
        ...(signal === undefined ? {} : { signal }),
        onProgress: (report) => {
          percents[side] = report.percent;
          const percent = (percents.baseline + percents.candidate) / 2;
          onProgress?.({ ...report, percent });
        },
      });
    };
    const [baseline, candidate] = await Promise.all([load('baseline'), load('candidate')]);
    return {
      show: () => {
        this.shown = { baseline, candidate };
        for (const side of ['baseline', 'candidate'] as const) this.tellProfile(side);
        return { type: 'loadedSides', sides: this.shown };
      },
    };
  }

  /** A profile that no editor of its own shows has this trace for the source. */
  private tellProfile(side: SideName): void {
    const profile = this.profiles[side];
    const trace = this.shown?.[side].trace;
    if (profile.active === undefined && trace !== undefined) {
      profile.setActive({ selection: this.selections[side], trace });
    } else profile.setCondition('loaded');
  }

  setState(state: EditorState): void {
    this.state = { ...state, sides: state.sides ?? this.selections };
  }

  /**
   * A request of the page: of one side, or of both with a selection for each. `extra` are parameters
   * that only the extension knows.
   */
  request(
    id: number,
    method: string,
    params: Record<string, unknown>,
    side: SideName | undefined,
    extra: Record<string, unknown> = {},
  ): Promise<void> {
    return this.answer(id, async ({ signal }, current) => {
      if (side !== undefined) {
        const result = await this.profiles[side].forward(
          method,
          { ...params, ...extra },
          { signal },
        );
        if (method === 'profile/load' && current()) {
          this.onPageLoaded(side, params as ViewSelection, result as TraceInfo);
        }
        return result;
      }
      const selections = selectionsOf(params) ?? this.selections;
      const compared = { profiles: this.profiles, selections, revision: this.revision };
      return forwardCompared(
        compared,
        this.supervisor,
        method,
        { ...params, ...extra },
        { signal },
      );
    });
  }

  /** The page chose another trace of a side. */
  private onPageLoaded(side: SideName, selection: ViewSelection, trace: TraceInfo): void {
    const sides = { ...this.selections, [side]: traceOf(selection) };
    this.state = { ...this.state, sides };
    if (this.shown === undefined) return;
    this.onShown();
    this.shown = { ...this.shown, [side]: { ...this.shown[side], trace } };
    this.last = { type: 'loadedSides', sides: this.shown };
  }
}
