// Sums of a marked range of time, which exports as a small trace of its own.
import { saveFile } from '../../../host/host.ts';
import { ask, useAnswer } from '../../../host/query.ts';
import { announce, title, trace } from '../../../host/store.ts';
import { fixed, plural, quantity } from '#shared/numbers.ts';
import { visible } from '../../../lib/format.ts';
import { ActionButton, LinkButton } from '../../../widgets/controls.tsx';
import { ExportedTable } from '../../../widgets/exported_table.tsx';
import { ShortName } from '../../../widgets/name.tsx';
import { Failure, Waiting } from '../../../widgets/notices.tsx';
import { fit, markedRange, select, type TimeRange } from '../state.ts';
import { failed } from '../status.ts';
import { Time, kindName, useRested } from './parts.tsx';

function deviceTitle(ordinal: number): string {
  const known = trace.value?.devices.find((device) => device.ordinal === ordinal);
  return known?.label ?? (ordinal < 0 ? 'Device' : `Device ${ordinal}`);
}

export function RangeDetails(props: { range: TimeRange }) {
  const { range } = props;
  const params = {
    startNs: Math.round(range.startNs),
    endNs: Math.round(range.endNs),
    ...(range.tracks === undefined ? {} : { tracks: range.tracks }),
  };
  const rested = useRested(params);
  const answer = useAnswer('timeline/range', rested);
  const { error, retry } = answer;
  // The sums of the range before would stand below the heading of this one.
  const current = !answer.pending && JSON.stringify(rested) === JSON.stringify(params);
  const value = current ? answer.value : undefined;
  const save = async (): Promise<void> => {
    const answer = await ask('timeline/export', params);
    saveFile(
      `${title.peek().replace(/\.(pt\.trace\.)?json(\.gz)?$/, '')}-part.pt.trace.json`,
      answer.text,
    );
    announce(`${plural(answer.events, 'slice')} exported`);
  };
  return (
    <section class="tl-details">
      <h2>Range of {quantity(range.endNs - range.startNs, 'ns')}</h2>
      <p class="tl-dim">
        {quantity(range.startNs, 'ns')} to {quantity(range.endNs, 'ns')}
        {range.tracks === undefined ? ', all tracks' : `, ${plural(range.tracks.length, 'track')}`}
        {value === undefined ? '' : `, ${plural(value.totalSlices, 'slice')}`}
      </p>
      <p class="tl-buttons">
        <LinkButton onClick={() => fit(range.startNs, range.endNs)}>Zoom to range</LinkButton>
        <LinkButton
          title="Save the slices of the range as a trace file for Emberline or Perfetto"
          onClick={() => void save().catch(failed)}
        >
          Export as Trace
        </LinkButton>
        <ActionButton
          onClick={() => {
            markedRange.value = null;
          }}
        >
          Clear
        </ActionButton>
      </p>
      {error === undefined ? null : <Failure error={error} retry={retry} />}
      {value === undefined ? (
        error === undefined ? (
          <Waiting what="Summing up..." />
        ) : null
      ) : (
        <>
          {value.devices.map(({ device, busyNs }) => (
            <p
              key={device}
              title="Time in which at least one kernel, memcpy or memset of the marked tracks runs"
            >
              {visible(deviceTitle(device))} busy {quantity(busyNs, 'ns')} (
              {quantity(busyNs / (range.endNs - range.startNs), 'ratio')} of the range)
            </p>
          ))}
          <h3>By kind</h3>
          <ExportedTable
            label="Sums by kind"
            columns={[
              { title: 'Kind' },
              {
                title: 'Slices',
                numeric: true,
                definition: 'Slices that overlap the range',
              },
              {
                title: 'Sum',
                numeric: true,
                exportUnit: 'ns',
                definition: 'Sum of durations inside the range; concurrent slices count separately',
              },
              {
                title: 'Union',
                numeric: true,
                exportUnit: 'ns',
                definition: 'Time in which at least one of them runs; overlaps count once',
              },
            ]}
            rows={value.kinds.map((kind) => [
              kindName(kind.kind),
              fixed(kind.slices, 0),
              <Time ns={kind.sumNs} />,
              <Time ns={kind.unionNs} />,
            ])}
          />
          <h3>Bottom-up</h3>
          <ExportedTable
            label="Bottom-up"
            columns={[
              { title: 'Name' },
              {
                title: 'Calls',
                numeric: true,
                definition: 'Slices of this name that overlap the range',
              },
              {
                title: 'Self',
                numeric: true,
                exportUnit: 'ns',
                definition: 'Time inside the range without children',
              },
              {
                title: 'Total',
                numeric: true,
                exportUnit: 'ns',
                definition: 'Sum of durations inside the range, children included',
              },
              { title: 'Called from', definition: 'Parents with the most of its self time' },
            ]}
            rows={value.names.map((name) => [
              <LinkButton
                title={`${visible(name.name)}\n${kindName(name.kind)}: go to the longest`}
                onClick={() => void select(name.longest.slice).catch(failed)}
              >
                <ShortName whole={name.name} />
              </LinkButton>,
              fixed(name.calls, 0),
              <Time ns={name.selfNs} />,
              <Time ns={name.sumNs} />,
              <>
                {name.callers.map((caller) => (
                  <div key={caller.name} class="tl-dim" title={visible(caller.name)}>
                    <ShortName whole={caller.name} /> {quantity(caller.selfNs, 'ns')}
                  </div>
                ))}
              </>,
            ])}
          />
        </>
      )}
    </section>
  );
}
