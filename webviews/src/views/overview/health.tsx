// Whether the trace is whole: what was read, what was wrong with it, what was not recorded.
import type { ComponentChildren } from 'preact';
import { useAnswer } from '../../host/query.ts';
import { deviceKind, viewState } from '../../host/store.ts';
import { fixed, quantity } from '#shared/numbers.ts';
import { visible } from '../../lib/format.ts';
import { ExportedTable } from '../../widgets/exported_table.tsx';
import { Absences, Failure, Waiting } from '../../widgets/notices.tsx';
import { Facts, Panel } from '../../widgets/panel.tsx';

/** What the one-letter phases of the trace event format stand for. */
const phases: Record<string, string> = {
  i: 'instant',
  C: 'counter',
  s: 'flow start',
  t: 'flow step',
  f: 'flow end',
  M: 'metadata',
  '?': 'other',
};

/** "s fwdbwd" as "fwdbwd (flow start)"; categories of slices stand for themselves. */
function categoryName(category: string): string {
  const [, letter = '', rest = ''] = /^([A-Za-z?])(?: (.*))?$/.exec(category) ?? [];
  const phase = phases[letter];
  if (phase === undefined) return category === '' ? '(none)' : category;
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
  if (value === undefined) return <Waiting what="Reading trace health" />;
  const problemCount = quantity(
    value.problems.reduce((sum, problem) => sum + problem.count, 0),
    'count',
  );
  const health = (
    <Panel
      id="trace-health"
      title="Trace health"
      definition="What was read, what was damaged, and what was not recorded."
    >
      <Facts
        items={[
          {
            name: 'Events',
            value: quantity(value.events, 'count'),
            definition: 'Slices, instants, counters, flows and metadata in the file.',
          },
          {
            name: 'Read in',
            value: `${fixed(value.totalSeconds, 2)} s`,
            definition: 'Time from opening the file to the first view.',
          },
          {
            name: 'Size',
            definition: 'Of the file, and of its text when it was compressed.',
            value: `${quantity(value.fileBytes, 'bytes')} file, ${quantity(value.textBytes, 'bytes')} text`,
          },
          {
            name: 'Problems',
            definition: 'Damaged or missing parts of the file. The rest was read.',
            value: value.problems.length === 0 ? 'none' : problemCount,
          },
          ...(value.unlinkedDeviceSlices > 0
            ? [
                {
                  name: `${deviceKind.value} work without a launch`,
                  value: quantity(value.unlinkedDeviceSlices, 'count'),
                  definition: `${deviceKind.value} slices whose launch or operator is not in the trace.`,
                },
              ]
            : []),
        ]}
      />
      {value.problems.length === 0 ? null : (
        <ExportedTable
          class="health-table"
          label="Problems found while reading"
          columns={[
            { title: 'Problem' },
            { title: 'Count', numeric: true, definition: 'Number of occurrences.' },
            {
              title: 'First at byte',
              numeric: true,
              definition: "Where it was met first, counted in the file's uncompressed text.",
            },
          ]}
          rows={value.problems.map((problem) => [
            visible(problem.message),
            quantity(problem.count, 'count'),
            quantity(problem.firstOffset, 'count'),
          ])}
        />
      )}
      <Unfolding name="categories" summary="Events by category">
        <ExportedTable
          class="health-table"
          label="Events by category"
          columns={[
            { title: 'Category', definition: 'As the recorder wrote it.' },
            {
              title: 'Events',
              numeric: true,
              definition: 'Entries of the trace of this category.',
            },
          ]}
          rows={value.categories.map((entry) => [
            visible(categoryName(entry.category)),
            quantity(entry.count, 'count'),
          ])}
        />
      </Unfolding>
      {value.absences.length === 0 || props.nothing ? null : (
        <Unfolding name="absences" summary={`Not recorded (${value.absences.length})`}>
          <Absences absences={value.absences} />
        </Unfolding>
      )}
    </Panel>
  );
  return (
    <>
      {props.nothing ? <Absences title="Nothing was recorded" absences={value.absences} /> : null}
      {health}
    </>
  );
}
