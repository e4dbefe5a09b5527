// The critical path: what the end of each step waited for, and what the steps would take without it.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PathKind, TimelineCriticalSumsResult } from '#shared/protocol.ts';
import { fixed, plural, quantity, share } from '#shared/numbers.ts';
import { openSource, saveFile } from '../../../host/host.ts';
import { ask, useAnswer } from '../../../host/query.ts';
import { announce, title } from '../../../host/store.ts';
import { visible } from '../../../lib/format.ts';
import { placeName, placeOf } from '../../../lib/place_text.ts';
import { LinkButton, Segments } from '../../../widgets/controls.tsx';
import { ExportedTable } from '../../../widgets/exported_table.tsx';
import { ShortName } from '../../../widgets/name.tsx';
import { Failure, Nothing, Waiting } from '../../../widgets/notices.tsx';
import { criticalPath, extentOf, fit, shownWindow, tracks } from '../state.ts';
import { failed } from '../status.ts';
import { SliceLink, Time, useRested } from './parts.tsx';

const kindNames: Record<PathKind, string> = {
  host: 'Host',
  hostUnknown: 'Host, not recorded',
  dataLoading: 'Data loading',
  launch: 'Launch',
  computation: 'Computation',
  communication: 'Communication',
  copy: 'Copy',
  kernelGap: 'Between kernels',
  synchronisation: 'Synchronization',
};

/** Parts listed below the sums: the longest in the window. */
const listed = 50;

const groupings = { operators: 'Operators', lines: 'Lines', kernels: 'Kernels' } as const;
type Grouping = keyof typeof groupings;
type SumRow = TimelineCriticalSumsResult['rows'][number];

const titles: Record<Grouping, string> = {
  operators: 'Operator',
  lines: 'Line',
  kernels: 'Kernel',
};

function SumName({ row }: { row: SumRow }) {
  const place = placeOf(row.place);
  if (place !== undefined) {
    return (
      <LinkButton title={`Open ${visible(row.place)}`} onClick={() => openSource(place)}>
        {visible(placeName(place))}
      </LinkButton>
    );
  }
  const name = row.name === '' ? row.place : row.name;
  return name === '' ? <span class="tl-dim">Not known</span> : <ShortName whole={name} />;
}

function Sums() {
  const by = useSignal<Grouping>('operators');
  const { value, error, retry } = useAnswer('timeline/criticalSums', { by: by.value });
  return (
    <>
      <Segments label="Rows" of={by} choices={groupings} />
      {error !== undefined ? (
        <Failure error={error} retry={retry} />
      ) : value === undefined || value.by !== by.value ? (
        <Waiting what="Playing the steps without each..." />
      ) : (
        <ExportedTable
          label={`Critical path by ${titles[by.value].toLowerCase()}`}
          columns={[
            { title: titles[by.value] },
            {
              title: 'On path',
              numeric: true,
              exportUnit: 'ns',
              definition: 'Time on the critical paths of all whole steps',
            },
            { title: 'Share', numeric: true, definition: 'Of these steps' },
            {
              title: 'Would save',
              numeric: true,
              exportUnit: 'ns',
              definition:
                'What these steps would be shorter if it took no time: then something else holds them up',
            },
          ]}
          rows={value.rows.map((row) => [
            <SumName row={row} />,
            <Time ns={row.timeNs} />,
            share(row.timeNs, value.wholeNs),
            row.withoutNs === null ? '\u2013' : <Time ns={value.wholeNs - row.withoutNs} />,
          ])}
        />
      )}
    </>
  );
}

/** The whole trace as a file that other viewers open too. */
async function saveAugmented(): Promise<void> {
  const all = tracks.peek();
  if (all === undefined) return;
  const { startNs, endNs } = extentOf(all);
  const answer = await ask('timeline/export', { startNs, endNs, augmented: true });
  const name = title.peek().replace(/(?:\.pt\.trace)?\.json(?:\.gz)?$/, '');
  saveFile(`${name}_with_counters.pt.trace.json`, answer.text);
  announce(`${plural(answer.events, 'slice')} exported`);
}

export function PathPanel() {
  const { startNs, endNs } = shownWindow.value;
  const params = { startNs: Math.floor(startNs), endNs: Math.ceil(endNs) };
  const { value, error, retry } = useAnswer('timeline/criticalPath', useRested(params));
  useEffect(() => {
    criticalPath.value = value;
    return () => {
      criticalPath.value = undefined;
    };
  }, [value]);
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what="Following the critical path..." />;
  if (value.steps === 0) return <Nothing>This trace has nothing to follow.</Nothing>;
  const longest = [...value.parts]
    .sort((a, b) => b.endNs - b.startNs - (a.endNs - a.startNs))
    .slice(0, listed);
  return (
    <section class="tl-path">
      <h2>Critical path</h2>
      <p>
        What the end of {value.steps === 1 ? 'the step' : `each of ${fixed(value.steps, 0)} steps`}{' '}
        waited for, followed back to its begin. It is marked in the tracks, with arrows from what
        ran to what waited for it.
      </p>
      <p class="tl-buttons">
        <LinkButton
          title="Save the trace with counters of queue length and copy bandwidth and with the critical path marked; it opens here and in Perfetto"
          onClick={() => void saveAugmented().catch(failed)}
        >
          Export with Counters and Path
        </LinkButton>
      </p>
      <h3>All steps</h3>
      <Sums />
      <h3>In this window</h3>
      {value.wholeNs === 0 ? (
        <Nothing>No whole step lies in this window.</Nothing>
      ) : (
        <ExportedTable
          label="Critical path by kind"
          columns={[
            { title: 'Bound by' },
            { title: 'Time', numeric: true, exportUnit: 'ns' },
            { title: 'Share', numeric: true },
          ]}
          rows={[...value.sums]
            .sort((a, b) => b.timeNs - a.timeNs)
            .map((sum) => [
              kindNames[sum.kind],
              <Time ns={sum.timeNs} />,
              share(sum.timeNs, value.wholeNs),
            ])}
        />
      )}
      {value.totalParts > longest.length ? (
        <p class="tl-dim">
          The longest {fixed(longest.length, 0)} of {plural(value.totalParts, 'part')}:
        </p>
      ) : null}
      <ol class="tl-results">
        {longest.map((part) => (
          <li key={part.startNs}>
            <LinkButton onClick={() => fit(part.startNs, part.endNs)}>
              {quantity(part.endNs - part.startNs, 'ns')} at {quantity(part.startNs, 'ns')}
            </LinkButton>{' '}
            <span class="tl-dim">{kindNames[part.kind]}</span>
            {part.slice === null ? null : (
              <div>
                <SliceLink to={part.slice} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
