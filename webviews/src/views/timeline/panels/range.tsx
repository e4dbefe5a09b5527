// Sums of a marked range of time, which exports as a small trace of its own.
import { useMemo } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import type { TimelineRangeResult } from '#shared/protocol.ts';
import { saveFile } from '../../../host/host.ts';
import { ask, useAnswer } from '../../../host/query.ts';
import { announce, title, trace } from '../../../host/store.ts';
import { fixed, quantity } from '#shared/numbers.ts';
import { visible } from '../../../lib/format.ts';
import { columnNames } from '../../../lib/legend_names.ts';
import { commonTexts } from '../../../lib/texts.ts';
import { ActionButton, LinkButton } from '../../../widgets/controls.tsx';
import { ExportedTable } from '../../../widgets/exported_table.tsx';
import { ShortName } from '../../../widgets/name.tsx';
import { Failure, Waiting } from '../../../widgets/notices.tsx';
import { fit, markedRange, select, type TimeRange } from '../state.ts';
import { failed } from '../status.ts';
import { Time, kindName, useRested } from './parts.tsx';
import { panelTexts } from './texts.ts';

function deviceTitle(ordinal: number): string {
  const known = trace.value?.devices.find((device) => device.ordinal === ordinal);
  return known?.label ?? (ordinal < 0 ? commonTexts.device : panelTexts.deviceNumber(ordinal));
}

function SumsByKind({ value }: { value: TimelineRangeResult }) {
  return (
    <>
      <h3>{panelTexts.byKind}</h3>
      <ExportedTable
        stateKey="sumsByKind"
        label={panelTexts.sumsByKind}
        columns={[
          { title: commonTexts.kind },
          {
            title: panelTexts.slices,
            numeric: true,
            definition: panelTexts.slicesHint,
          },
          {
            title: commonTexts.sum,
            numeric: true,
            exportUnit: 'ns',
            definition: panelTexts.sumHint,
          },
          {
            title: panelTexts.union,
            numeric: true,
            exportUnit: 'ns',
            definition: panelTexts.unionHint,
          },
        ]}
        rows={value.kinds.map((kind) => [
          kindName(kind.kind),
          fixed(kind.slices, 0),
          <Time ns={kind.sumNs} />,
          <Time ns={kind.unionNs} />,
        ])}
      />
    </>
  );
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
  const shown = useMemo(
    () =>
      columnNames(
        value?.names.flatMap(({ name, callers }) => [name, ...callers.map((one) => one.name)]) ??
          [],
      ),
    [value],
  );
  const save = async (): Promise<void> => {
    const answer = await ask('timeline/export', params);
    saveFile(
      `${title.peek().replace(/\.(pt\.trace\.)?json(\.gz)?$/, '')}-part.pt.trace.json`,
      answer.text,
    );
    announce(panelTexts.exported(answer.events));
  };
  const trackCount = range.tracks?.length;
  const sliceCount = value?.totalSlices;
  return (
    <section class="tl-details tl-range">
      <div>
        <h2>{panelTexts.rangeOf(range.endNs - range.startNs)}</h2>
        <p class="tl-dim">
          {panelTexts.whatRangeHolds(range.startNs, range.endNs, trackCount, sliceCount)}
        </p>
        <p class="tl-buttons">
          <ActionButton onClick={() => fit(range.startNs, range.endNs)}>
            {panelTexts.zoomToRange}
          </ActionButton>
          <ActionButton
            title={panelTexts.exportAsTraceHint}
            onClick={() => void save().catch(failed)}
          >
            {panelTexts.exportAsTrace}
          </ActionButton>
          <ActionButton
            onClick={() => {
              markedRange.value = null;
            }}
          >
            {commonTexts.clear}
          </ActionButton>
        </p>
        {error === undefined ? null : <Failure error={error} retry={retry} />}
        {value === undefined ? (
          error === undefined ? (
            <Waiting what={panelTexts.summingUp} />
          ) : null
        ) : (
          <>
            {value.devices.map(({ device, busyNs }) => (
              <p key={device} title={panelTexts.busyInRangeHint}>
                {panelTexts.busyInRange(
                  visible(deviceTitle(device)),
                  busyNs,
                  busyNs / (range.endNs - range.startNs),
                )}
              </p>
            ))}
            {value.kinds.length === 0 ? null : <SumsByKind value={value} />}
          </>
        )}
      </div>
      {value === undefined || value.names.length === 0 ? null : (
        <div>
          <h3>{panelTexts.bottomUp}</h3>
          <ExportedTable
            stateKey="bottomUp"
            label={panelTexts.bottomUp}
            columns={[
              { title: commonTexts.name },
              {
                title: sharedTexts.calls,
                numeric: true,
                definition: panelTexts.callsInRange,
              },
              {
                title: sharedTexts.self,
                numeric: true,
                exportUnit: 'ns',
                definition: panelTexts.selfHint,
              },
              {
                title: panelTexts.total,
                numeric: true,
                exportUnit: 'ns',
                definition: panelTexts.totalHint,
              },
              { title: sharedTexts.calledFrom, definition: panelTexts.callersOfSelfTime },
            ]}
            rows={value.names.map((name) => [
              <LinkButton
                title={panelTexts.goToLongest(visible(name.name), kindName(name.kind))}
                onClick={() => void select(name.longest.slice).catch(failed)}
              >
                <ShortName whole={name.name} among={shown} />
              </LinkButton>,
              fixed(name.calls, 0),
              <Time ns={name.selfNs} />,
              <Time ns={name.sumNs} />,
              <>
                {name.callers.map((caller) => (
                  <div key={caller.name} class="tl-dim" title={visible(caller.name)}>
                    <ShortName whole={caller.name} among={shown} /> {quantity(caller.selfNs, 'ns')}
                  </div>
                ))}
              </>,
            ])}
          />
        </div>
      )}
    </section>
  );
}
