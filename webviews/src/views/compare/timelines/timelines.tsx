// The timelines of both sides, one above the other: locked they move together on matched points, and a
// click on a slice marks what it is on the other side.
import { useEffect, useRef } from 'preact/hooks';
import { sideNames, type SideName } from '#shared/comparison.ts';
import { quantity } from '#shared/numbers.ts';
import { CancelledError } from '../../../host/host.ts';
import { compared, epoch } from '../../../host/store.ts';
import { visible } from '../../../lib/format.ts';
import { commonTexts } from '../../../lib/texts.ts';
import { Check } from '../../../widgets/check.tsx';
import { ActionButton, LinkButton } from '../../../widgets/controls.tsx';
import { PlainTable } from '../../../widgets/plain_table.tsx';
import { signed } from '../change.tsx';
import { sideTitles, timelineAction } from '../links.ts';
import { failedOn, lanesOf, locked, readTracks } from './lanes.ts';
import { clearSelection, knots, match, matchText, readKnots, setLocked, showAll } from './pair.ts';
import { SideTimeline } from './side_view.tsx';
import { pairTexts } from './texts.ts';

/** A window that moves asks for finer knots once it stands still. */
const stillMs = 120;

function useTracks(side: SideName): void {
  const chosen = compared.value?.[side].selection;
  const of = JSON.stringify([chosen?.run, chosen?.worker, chosen?.span]);
  const before = useRef(of);
  const key = `${epoch.value} ${of}`;
  useEffect(() => {
    const abort = new AbortController();
    const fresh = before.current !== of;
    before.current = of;
    if (fresh) clearSelection();
    void readTracks(side, fresh, abort.signal);
    return () => abort.abort();
  }, [key]);
}

function useKnots(): void {
  const { startNs, endNs } = lanesOf('baseline').window.value;
  const ready = sideNames.every((side) => lanesOf(side).tracks.value !== undefined);
  const sides = compared.value;
  const of = JSON.stringify(sideNames.map((side) => sides?.[side].selection));
  const key = `${epoch.value} ${of} ${startNs} ${endNs}`;
  useEffect(() => {
    if (!ready) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      readKnots(abort.signal).catch((error: unknown) => {
        if (!(error instanceof CancelledError)) failedOn('baseline', error);
      });
    }, stillMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, ready]);
}

/** The selected slice and what it is on the other side, in figures. */
function Matched({ found }: { found: NonNullable<typeof match.value> }) {
  const { baseline, candidate } = {
    baseline: lanesOf('baseline'),
    candidate: lanesOf('candidate'),
  };
  const slices = { baseline: baseline.detail.value, candidate: candidate.detail.value };
  const [before, after] = [slices.baseline, slices.candidate];
  const delta =
    before === undefined || after === undefined ? undefined : after.durationNs - before.durationNs;
  return (
    <>
      <p class="pair-said">
        {matchText(found)}
        {delta === undefined ? null : [' ', pairTexts.durationDiffers(delta, signed(delta, 'ns'))]}
      </p>
      <PlainTable
        stateKey="selectedSlice"
        label={pairTexts.selectedSlice}
        columns={[
          { title: pairTexts.side },
          { title: commonTexts.slice },
          { title: commonTexts.row },
          { title: commonTexts.start, definition: pairTexts.startHint, numeric: true },
          { title: commonTexts.duration, numeric: true },
          { title: '' },
        ]}
        rows={sideNames.map((side) => {
          const slice = slices[side];
          if (slice === undefined) return [sideTitles[side], commonTexts.none, '', '', '', ''];
          const action = timelineAction(side, { slice: slice.slice });
          return [
            sideTitles[side],
            visible(slice.name),
            visible(slice.trackName),
            quantity(slice.startNs, 'ns'),
            quantity(slice.durationNs, 'ns'),
            <LinkButton key="open" title={action.title} onClick={action.run}>
              {pairTexts.showInProfile}
            </LinkButton>,
          ];
        })}
      />
    </>
  );
}

export function Timelines() {
  useTracks('baseline');
  useTracks('candidate');
  useKnots();
  const none =
    lanesOf('baseline').tracks.value !== undefined && knots.value.baselineNs.length === 0;
  return (
    <div class="pair">
      <div class="pair-tools">
        <Check label={pairTexts.lockOnMatchedPoints} checked={locked.value} onChange={setLocked} />
        <ActionButton title={pairTexts.wholeTracesHint} onClick={showAll}>
          {pairTexts.wholeTraces}
        </ActionButton>
        <span class="note">
          {none && locked.value ? pairTexts.nothingMatches : pairTexts.clickAndKeys}
        </span>
      </div>
      {sideNames.map((side) => (
        <SideTimeline key={side} side={side} />
      ))}
      {match.value === undefined ? null : (
        <section class="pair-match" aria-label={pairTexts.selectedSliceAndMatch}>
          <Matched found={match.value} />
        </section>
      )}
    </div>
  );
}
