// Whether the trace is whole: what was read, what was wrong with it, what was not recorded.
import type { ComponentChildren } from 'preact';
import { useAnswer } from '../../host/query.ts';
import { viewState } from '../../host/view_state.ts';
import { deviceKind } from '../../host/store.ts';
import { quantity } from '#shared/numbers.ts';
import { visible } from '../../lib/format.ts';
import { lostEvents, problemsToTell } from '../../lib/problems.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ExportedTable } from '../../widgets/exported_table.tsx';
import { Absences, Failure, Waiting } from '../../widgets/notices.tsx';
import { Facts, Panel } from '../../widgets/panel.tsx';
import { overviewTexts } from './texts.ts';

/** What the one-letter phases of the trace event format stand for. */
const phases: Record<string, string> = {
  i: commonTexts.instant,
  C: overviewTexts.counter,
  s: overviewTexts.flowStart,
  t: overviewTexts.flowStep,
  f: overviewTexts.flowEnd,
  M: overviewTexts.metadata,
  '?': overviewTexts.other,
};

/** "s fwdbwd" as "fwdbwd (flow start)"; categories of slices stand for themselves. */
function categoryName(category: string): string {
  const [, letter = '', rest = ''] = /^([A-Za-z?])(?: (.*))?$/.exec(category) ?? [];
  const phase = phases[letter];
  if (phase === undefined) return category === '' ? overviewTexts.noCategory : category;
  return rest === '' ? phase : `${rest} (${phase})`;
}

/** A part of the health panel that opens, and stays as it was left. */
function Unfolding(props: { name: string; summary: string; children: ComponentChildren }) {
  const open = viewState('overview', `${props.name}Open`, false);
  return (
    <details
      open={open.value}
      onToggle={(event) => (open.value = (event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary>{props.summary}</summary>
      {props.children}
    </details>
  );
}

/** `nothing`: no time was recorded, so that what is missing is all there is to say. */
export function Health(props: { nothing: boolean }) {
  const { value, error, retry } = useAnswer('profile/check', {});
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={overviewTexts.readingTraceHealth} />;
  const { told, scraps } = problemsToTell(value.problems);
  const problemCount = quantity(
    told.reduce((sum, problem) => sum + problem.count, 0),
    'count',
  );
  const health = (
    <Panel
      id="trace-health"
      title={overviewTexts.traceHealth}
      definition={overviewTexts.traceHealthHint}
    >
      <Facts
        items={[
          {
            name: overviewTexts.events,
            value: overviewTexts.eventsOf(value.events, lostEvents(value.problems)),
            definition: overviewTexts.eventsHint,
          },
          {
            name: overviewTexts.readIn,
            value: quantity(1e6 * value.totalSeconds, 'us'),
            definition: overviewTexts.readInHint,
          },
          {
            name: commonTexts.size,
            definition: overviewTexts.sizeHint,
            value: overviewTexts.sizeOf(value.fileBytes, value.textBytes),
          },
          {
            name: overviewTexts.problems,
            definition: overviewTexts.problemsHint,
            value: value.problems.length === 0 ? 'none' : problemCount,
          },
          ...(value.unlinkedDeviceSlices > 0
            ? [
                {
                  name: overviewTexts.workWithoutLaunch(deviceKind.value),
                  value: quantity(value.unlinkedDeviceSlices, 'count'),
                  definition: overviewTexts.workWithoutLaunchHint(deviceKind.value),
                },
              ]
            : []),
        ]}
      />
      {value.problems.length === 0 ? null : (
        <ExportedTable
          class="health-table"
          stateKey="problemsFound"
          label={overviewTexts.problemsFound}
          columns={[
            { title: overviewTexts.problem },
            { title: commonTexts.count, numeric: true, definition: overviewTexts.countHint },
            {
              title: overviewTexts.firstAtByte,
              numeric: true,
              definition: overviewTexts.firstAtByteHint,
            },
          ]}
          rows={told.map((problem) => [
            visible(problem.message),
            quantity(problem.count, 'count'),
            quantity(problem.firstOffset, 'count'),
          ])}
        />
      )}
      {scraps === 0 ? null : <p class="note">{overviewTexts.scraps(scraps)}</p>}
      <Unfolding name="categories" summary={overviewTexts.eventsByCategory}>
        <ExportedTable
          class="health-table"
          stateKey="eventsByCategory"
          label={overviewTexts.eventsByCategory}
          columns={[
            { title: overviewTexts.category, definition: overviewTexts.categoryHint },
            {
              title: overviewTexts.events,
              numeric: true,
              definition: overviewTexts.eventsOfCategoryHint,
            },
          ]}
          rows={value.categories.map((entry) => [
            visible(categoryName(entry.category)),
            quantity(entry.count, 'count'),
          ])}
        />
      </Unfolding>
      {value.absences.length === 0 || props.nothing ? null : (
        <Unfolding name="absences" summary={overviewTexts.notRecorded(value.absences.length)}>
          <Absences absences={value.absences} />
        </Unfolding>
      )}
    </Panel>
  );
  return (
    <>
      {props.nothing ? (
        <Absences
          title={
            value.problems.some(({ notice }) => notice)
              ? overviewTexts.noWorkRead
              : overviewTexts.noWorkRecorded
          }
          absences={value.absences}
        />
      ) : null}
      {health}
    </>
  );
}
