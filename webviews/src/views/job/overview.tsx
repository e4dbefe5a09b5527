// A job at a glance: the answer, what is wrong with the input, where each rank's time goes, who comes
// last and why.
import type { DistributedJobResult, JobActivity } from '#shared/protocol.ts';
import { fixed, plural, quantity } from '#shared/numbers.ts';
import { openRank, openSource } from '../../host/host.ts';
import { job, viewState } from '../../host/store.ts';
import { visible } from '../../lib/format.ts';
import { placeName, placeOf } from '../../lib/place_text.ts';
import { LinkButton } from '../../widgets/controls.tsx';
import { Select } from '../../widgets/select.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { Facts, Panel } from '../../widgets/panel.tsx';
import { answerText, isSerious, reasonText } from './answer.ts';
import { RankBars } from './bars.tsx';
import { timeParts, waitParts } from './colors.ts';
import { inOrder, stepOf, sumByRank } from './rows.ts';
import { severalDevices, useRows } from './table.tsx';

export function useJob(): DistributedJobResult | undefined {
  return job.value?.loaded?.result;
}

/** What is missing, twice, broken, or does not belong: no figure may be read without it. */
function Wrong({ result }: { result: DistributedJobResult }) {
  const notes = result.notes.filter(({ kind }) => isSerious(kind));
  const others = result.notes.filter(({ kind }) => !isSerious(kind));
  return (
    <>
      {notes.length === 0 ? null : (
        <div class="trace-notices job-notices" role="note" aria-label="About these ranks">
          <Icon name="warning" />
          <div>
            {notes.map((note, index) => (
              <p key={index}>{visible(note.text)}</p>
            ))}
          </div>
        </div>
      )}
      {others.length === 0 ? null : (
        <ul class="job-remarks" aria-label="Remarks">
          {others.map((note, index) => (
            <li key={index}>{visible(note.text)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

export function ReasonPlace({ reason }: { reason: JobActivity }) {
  const place = placeOf(reason.place);
  if (place === undefined) return null;
  return (
    <LinkButton
      title={`Open ${visible(reason.place)}`}
      onClick={() => openSource({ ...place, function: place.function })}
    >
      {visible(placeName(place))}
    </LinkButton>
  );
}

/** Above the fold: those who cost most. */
const shownStragglers = 4;

function Stragglers({ result }: { result: DistributedJobResult }) {
  const tab = viewState('job', 'tab', 'overview');
  return (
    <Panel
      title="Who comes last"
      definition="Ranks that others wait for: their lateness is more than a hundredth of the recording."
      actions={<LinkButton onClick={() => (tab.value = 'stragglers')}>All ranks</LinkButton>}
    >
      {result.stragglers.length === 0 ? (
        <Nothing>No rank keeps the others waiting for more than 1 % of the time.</Nothing>
      ) : (
        <ol class="job-stragglers">
          {result.stragglers.slice(0, shownStragglers).map((late) => (
            <li key={late.rank}>
              <span class="job-straggler">
                <LinkButton
                  title={`Open the profile of rank ${late.rank}`}
                  onClick={() => openRank(late.rank)}
                >
                  {`Rank ${late.rank}`}
                </LinkButton>
                {` comes last to ${fixed(late.timesLast, 0)} of ${plural(late.calls, 'collective')}, ${quantity(late.latenessUs, 'us')} behind the others; they wait ${quantity(late.causedUs, 'us')} for it, added up.`}
              </span>
              {late.reasons.length === 0 ? (
                <p class="note">Cause unknown: nothing before these collectives stands out.</p>
              ) : (
                <ul class="job-reasons" aria-label={`What rank ${late.rank} did instead`}>
                  {late.reasons.slice(0, 3).map((reason, index) => (
                    <li key={index}>
                      {visible(reasonText(reason))} <ReasonPlace reason={reason} />
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
  if (rows === undefined) return <Waiting what="Adding up the steps" />;
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
      title="Time of each rank"
      definition="Each moment of a step counts for one of these. The parts add up to the step. A click opens the rank's profile."
      yTitle={one === 'mean' ? 'Mean step' : `Step ${one}`}
      parts={timeParts}
      lines={lines}
      asTable={asTable}
      empty="No rank recorded a whole step."
      cut={cut}
      tools={
        steps.length > 1 && steps.length <= 200 ? (
          <Select
            label="Steps"
            hideLabel
            value={one}
            choices={[
              { value: 'mean', label: `mean of ${plural(steps.length, 'step')}` },
              ...steps.map((name) => ({ value: name, label: `step ${name}` })),
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
  if (rows === undefined) return <Waiting what="Adding up the collectives" />;
  const keys = waitParts.map(({ key }) => key);
  return (
    <RankBars
      title="Transfer and waiting of each rank"
      definition="Time in collectives and sends of the whole recording. A rank that waits little keeps the others waiting. A click opens the rank's profile."
      yTitle="Time in collectives"
      parts={waitParts}
      lines={sumByRank(rows, keys, { devices: false, mean: false })}
      asTable={asTable}
      empty="No collective was found on more than one rank."
      cut={cut}
    />
  );
}

/** Bars of more ranks than this take the whole width. */
const sideBySide = 24;

export function JobOverview() {
  const result = useJob();
  if (result === undefined) return null;
  return (
    <div class="job">
      <section class="job-answer" aria-label="Answer">
        <h1>{visible(answerText(result))}</h1>
      </section>
      <Wrong result={result} />
      <Stragglers result={result} />
      <div class={result.ranks.length <= sideBySide ? 'job-two' : 'job-one'}>
        <TimeByRank />
        <WaitingByRank />
      </div>
      <Panel title="Figures">
        <Facts
          items={[
            { name: 'Ranks', value: fixed(result.ranks.length, 0) },
            {
              name: 'World size',
              value: result.worldSize === null ? 'not recorded' : fixed(result.worldSize, 0),
              definition: 'Ranks of the job as recorded.',
            },
            { name: 'Machines', value: fixed(result.nodes.length, 0) },
            { name: 'Process groups', value: fixed(result.groups, 0) },
            { name: 'Recording', value: quantity(result.durationNs, 'ns') },
            {
              name: 'Collectives',
              value: `${fixed(result.collectives, 0)}, ${fixed(result.matchedCollectives, 0)} found on several ranks`,
            },
            {
              name: 'Transfer',
              value: quantity(result.transferUs, 'us'),
              definition: 'Sum of the shortest calls of each collective.',
            },
            {
              name: 'Waiting',
              value: quantity(result.waitingUs, 'us'),
              definition: 'What all ranks together took beyond that.',
            },
          ]}
        />
      </Panel>
    </div>
  );
}
