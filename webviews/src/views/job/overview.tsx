// A job at a glance: the answer, what is wrong with the input, where each rank's time goes, who comes
// last and why.
import { sharedTexts } from '#shared/common_texts.ts';
import type { DistributedJobResult, JobActivity } from '#shared/protocol.ts';
import { fixed, quantity } from '#shared/numbers.ts';
import { openRank, openSource } from '../../host/host.ts';
import { viewState } from '../../host/view_state.ts';
import { job } from '../../host/store.ts';
import { unbroken, visible } from '../../lib/format.ts';
import { placeName, placeOf } from '../../lib/place_text.ts';
import { commonTexts } from '../../lib/texts.ts';
import { LinkButton } from '../../widgets/controls.tsx';
import { Select } from '../../widgets/select.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { Facts, Panel } from '../../widgets/panel.tsx';
import { answerOf, bandwidthsOf, latenessTexts, notesOf, reasonText } from './answer.ts';
import { RankBars } from './bars.tsx';
import { timeParts, waitParts } from './colors.ts';
import { JobNotices } from './notices.tsx';
import { inOrder, stepOf, sumByRank } from './rows.ts';
import { severalDevices, useRows } from './ranks.tsx';
import { jobTexts } from './texts.ts';

export function useJob(): DistributedJobResult | undefined {
  return job.value?.loaded?.result;
}

/** What is only worth knowing. */
function Remarks({ result }: { result: DistributedJobResult }) {
  const { others } = notesOf(result, job.value?.path ?? '');
  if (others.length === 0) return null;
  const show = ({ by, filter }: NonNullable<ReturnType<typeof bandwidthsOf>>): void => {
    viewState('job', 'communicationBy', by).value = by;
    viewState('job', `${by}Filter`, '').value = filter;
    viewState('job', `${by}Sort`, '').value = 'busBandwidth';
    viewState('job', 'tab', 'overview').value = 'communication';
  };
  return (
    <ul class="job-remarks" aria-label={jobTexts.remarks}>
      {others.map((note, index) => {
        const bandwidths = bandwidthsOf(note);
        return (
          <li key={index}>
            {unbroken(visible(note.text))}{' '}
            {bandwidths === undefined ? null : (
              <LinkButton onClick={() => show(bandwidths)}>{jobTexts.showBandwidths}</LinkButton>
            )}
          </li>
        );
      })}
    </ul>
  );
}

export function ReasonPlace({ reason }: { reason: JobActivity }) {
  const place = placeOf(reason.place);
  if (place === undefined) return null;
  return (
    <LinkButton
      title={commonTexts.openPlace(visible(reason.place))}
      onClick={() => openSource({ ...place, function: place.function })}
    >
      {visible(placeName(place))}
    </LinkButton>
  );
}

/** Above the fold: those who cost most. */
const shownStragglers = 4;
/** The others must not push the charts below it. */
const shownReasons = (at: number): number => (at === 0 ? 3 : 1);

function Stragglers({ result }: { result: DistributedJobResult }) {
  const tab = viewState('job', 'tab', 'overview');
  return (
    <Panel
      title={jobTexts.whoComesLast}
      definition={jobTexts.whoComesLastHint}
      actions={
        <LinkButton onClick={() => (tab.value = 'stragglers')}>{jobTexts.allRanks}</LinkButton>
      }
    >
      {result.stragglers.length === 0 ? (
        <Nothing>{jobTexts.nobodyComesLast}</Nothing>
      ) : (
        <ol class="job-stragglers">
          {result.stragglers.slice(0, shownStragglers).map((late, at) => (
            <li key={late.rank}>
              <span class="job-straggler">
                <LinkButton
                  title={jobTexts.openProfile(late.rank)}
                  onClick={() => openRank(late.rank)}
                >
                  {jobTexts.rankNumber(late.rank)}
                </LinkButton>{' '}
                {unbroken(latenessTexts(late).join(' '))}
              </span>
              {late.reasons.length === 0 ? (
                <p class="note">{jobTexts.causeUnknown}</p>
              ) : (
                <ul class="job-reasons" aria-label={jobTexts.didInstead(late.rank)}>
                  {late.reasons.slice(0, shownReasons(at)).map((reason, index) => (
                    <li key={index}>
                      {unbroken(visible(reasonText(reason)))} <ReasonPlace reason={reason} />
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function TimeByRank() {
  const { rows, error, cut } = useRows('steps');
  const asTable = viewState('job', 'timeAsTable', false);
  const step = viewState('job', 'timeStep', 'mean');
  if (error !== undefined) return <Failure error={error} />;
  if (rows === undefined) return <Waiting what={jobTexts.addingUpSteps} />;
  const steps = inOrder(rows.map(stepOf));
  const one = steps.includes(step.value) ? step.value : 'mean';
  const lines = sumByRank(
    rows,
    timeParts.map(({ key }) => key),
    {
      devices: severalDevices(),
      mean: true,
      keep: (row) => (one === 'mean' ? row.partial !== true : stepOf(row) === one),
    },
  );
  return (
    <RankBars
      stateKey="timeOfRanks"
      title={jobTexts.timeOfRanks}
      definition={jobTexts.timeOfRanksHint}
      yTitle={one === 'mean' ? commonTexts.step : commonTexts.stepNamed(one)}
      parts={timeParts}
      lines={lines}
      asTable={asTable}
      empty={jobTexts.noWholeStep}
      cut={cut}
      tools={
        steps.length > 1 && steps.length <= 200 ? (
          <Select
            label={commonTexts.steps}
            hideLabel
            value={one}
            choices={[
              { value: 'mean', label: jobTexts.meanOfSteps(steps.length) },
              ...steps.map((name) => ({ value: name, label: commonTexts.stepNamed(name) })),
            ]}
            onChange={(next) => (step.value = next)}
          />
        ) : null
      }
    />
  );
}

function WaitingByRank() {
  const { rows, error, cut } = useRows('lateness');
  const asTable = viewState('job', 'waitAsTable', false);
  if (error !== undefined) return <Failure error={error} />;
  if (rows === undefined) return <Waiting what={jobTexts.addingUpCollectives} />;
  const keys = waitParts.map(({ key }) => key);
  return (
    <RankBars
      stateKey="transferAndWaiting"
      title={jobTexts.transferAndWaiting}
      definition={jobTexts.transferAndWaitingHint}
      yTitle={commonTexts.time}
      parts={waitParts}
      lines={sumByRank(rows, keys, { devices: false, mean: false })}
      asTable={asTable}
      empty={jobTexts.noneOnSeveralRanks}
      cut={cut}
    />
  );
}

/** Bars of more ranks than this take the whole width. */
const sideBySide = 24;

export function JobOverview() {
  const result = useJob();
  if (result === undefined) return null;
  const answer = answerOf(result);
  return (
    <div class="job">
      <section class="job-answer" aria-label={commonTexts.answer}>
        <h1>{unbroken(visible(answer.first))}</h1>
        <p>{unbroken(visible(answer.rest))}</p>
      </section>
      <JobNotices result={result} all />
      <Remarks result={result} />
      <Stragglers result={result} />
      <div class={result.ranks.length <= sideBySide ? 'job-two' : 'job-one'}>
        <TimeByRank />
        <WaitingByRank />
      </div>
      <Panel title={commonTexts.figures}>
        <Facts
          items={[
            { name: jobTexts.ranks, value: fixed(result.ranks.length, 0) },
            {
              name: jobTexts.worldSize,
              value: result.worldSize === null ? jobTexts.notRecorded : fixed(result.worldSize, 0),
              definition: jobTexts.worldSizeHint,
            },
            { name: jobTexts.machines, value: fixed(result.nodes.length, 0) },
            { name: jobTexts.processGroups, value: fixed(result.groups, 0) },
            { name: jobTexts.recording, value: quantity(result.durationNs, 'ns') },
            {
              name: sharedTexts.collectives,
              value: jobTexts.foundOnSeveralRanks(result.collectives, result.matchedCollectives),
            },
            {
              name: jobTexts.transfer,
              value: quantity(result.transferUs, 'us'),
              definition: jobTexts.transferSumHint,
            },
            {
              name: jobTexts.waiting,
              value: quantity(result.waitingUs, 'us'),
              definition: jobTexts.waitingSumHint,
            },
          ]}
        />
      </Panel>
    </div>
  );
}
