// Memory of one device: the curve, and under it events, sums per operator and the peak. The range
// chosen on the curve holds for the tables too.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import { useNavigation } from '../../host/navigation.ts';
import { useAnswer } from '../../host/query.ts';
import { scopedState, viewState } from '../../host/view_state.ts';
import { trace } from '../../host/store.ts';
import { partColor } from '../../lib/colors.ts';
import { fixed, quantity } from '#shared/numbers.ts';
import { visible } from '../../lib/format.ts';
import type { MemoryResult, Row } from '#shared/protocol.ts';
import type { PageParams } from '#shared/requests.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { Charts } from '../../widgets/charts.tsx';
import { Check } from '../../widgets/check.tsx';
import { ActionButton, LinkButton, Segments } from '../../widgets/controls.tsx';
import { Select } from '../../widgets/select.tsx';
import { Curve, type CurveRange, type CurveSeries } from '../../widgets/curve.tsx';
import type { RowAction } from '../../widgets/table/actions.tsx';
import { DataTable } from '../../widgets/table/data_table.tsx';
import { Absences, Failure, Lacks, Waiting } from '../../widgets/notices.tsx';
import { Facts } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { SmallTableView } from '../../widgets/small_table.tsx';
import {
  lineAction,
  moduleAction,
  numberOf,
  operatorAction,
  sourceAction,
  text,
  timelineAction,
  viewAction,
} from '../links.ts';
import { memoryTexts } from './texts.ts';

const rowActions = (row: Row) => [
  ...timelineAction(row, text(row, 'operator').replace(/ \(.*\)$/, '')),
  ...sourceAction(row),
  ...operatorAction(row),
];

/** A row of the peak names an operator, a line or a module. */
const peakActions = (row: Row, by: string) => [
  ...(row.slice === null ? [] : timelineAction(row, text(row, 'name'))),
  ...sourceAction(row),
  ...(by === 'byOperator' ? operatorAction({ operator: text(row, 'name') }) : []),
  ...(by === 'byLine' ? lineAction(row) : []),
  ...(by === 'byModule' && !text(row, 'name').startsWith('<')
    ? moduleAction({ module: text(row, 'name') })
    : []),
];

/** The states of an allocation as terms of the filter. */
const states = [
  { value: '', label: memoryTexts.all },
  { value: 'state=released', label: memoryTexts.released },
  { value: 'state=open', label: memoryTexts.stillHeld },
  { value: 'state="release only"', label: memoryTexts.releaseOnly },
];
const stateTerm = /(?:^|\s+)state=(?:"[^"]*"|\S+)/g;

/** To the part of the curve in which the memory was held. */
function curveAction(row: Row, setRange: (range: CurveRange) => void): RowAction[] {
  const from = numberOf(row, 'allocationUs');
  const to = numberOf(row, 'releaseUs');
  if (from === undefined && to === undefined) return [];
  const start = 1000 * (from ?? 0);
  const end = to === undefined ? (trace.value?.durationNs ?? start) : 1000 * to;
  // A little more than the time itself, so that both ends are in sight.
  const margin = Math.max(1000, (end - start) * 0.2);
  return [
    {
      label: memoryTexts.curve,
      title: memoryTexts.curveHint,
      run: () =>
        setRange({ from: Math.max(0, start - margin), to: Math.max(end + margin, start + 2000) }),
    },
  ];
}

const noRange: { from?: number; to?: number } = {};

export function MemoryView() {
  const device = scopedState('trace', 'memory', 'device', '');
  const stored = scopedState('trace', 'memory', 'range', noRange);
  const part = viewState('memory', 'table', 'statistics');
  const peakBy = viewState('memory', 'peakBy', 'byOperator');
  const eventsFilter = viewState('memory', 'eventsFilter', '');
  const withCapacity = viewState('memory', 'capacity', false);
  useNavigation('memory', (to) => {
    if (to.range !== undefined) stored.value = { from: to.range.startNs, to: to.range.endNs };
    if (to.filter !== undefined) {
      part.value = 'statistics';
      viewState('memory', 'statisticsFilter', '').value = to.filter;
    }
  });
  const asTable = viewState('memory', 'curveAsTable', false);
  const frame = useRef<HTMLDivElement>(null);
  const range: CurveRange | undefined =
    stored.value.from !== undefined && stored.value.to !== undefined
      ? { from: stored.value.from, to: stored.value.to }
      : undefined;
  const params: PageParams<'view/memory'> = {};
  if (device.value !== '') params.device = device.value;
  if (range !== undefined) {
    params.startNs = Math.round(range.from);
    params.endNs = Math.round(range.to);
  }
  const { value, error, retry } = useAnswer('view/memory', {
    ...params,
    points: 2000,
  });
  const current = value?.devices.find((one) => one.name === value.device);
  const capacity = current?.capacityBytes ?? undefined;
  const series = useMemo<CurveSeries[]>(() => {
    if (value === undefined) return [];
    const { curve } = value;
    const list: CurveSeries[] = [
      {
        title: commonTexts.allocated,
        color: 'var(--vscode-charts-blue)',
        values: curve.allocatedBytes,
      },
    ];
    if (curve.reservedBytes.length > 0) {
      list.push({
        title: memoryTexts.reserved,
        color: partColor(1),
        values: curve.reservedBytes,
      });
    }
    if (capacity !== undefined && withCapacity.value) {
      list.push({
        title: memoryTexts.capacity,
        color: 'var(--vscode-charts-red)',
        dashed: true,
        values: curve.timesNs.map(() => capacity),
      });
    }
    return list;
  }, [value, capacity, withCapacity.value]);

  // A file written anew may have other devices than the one that was chosen before.
  const goneDevice = error?.kind === 'invalidArgument' && device.value !== '';
  useEffect(() => {
    if (!goneDevice) return;
    device.value = '';
    stored.value = noRange;
  }, [goneDevice]);

  if (error !== undefined && !goneDevice) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={memoryTexts.readingMemory} />;
  if (value.devices.length === 0 || current === undefined) {
    return (
      <>
        <Absences title={memoryTexts.noMemoryRecords} absences={value.absences} />
      </>
    );
  }
  const setRange = (next: CurveRange | undefined): void => {
    stored.value = next === undefined ? noRange : next;
  };
  // In the table's own bar: a heading of its own would take a row of the table.
  const tables = (
    <Segments
      label={commonTexts.table}
      of={part}
      choices={{
        statistics: sharedTexts.operators,
        events: memoryTexts.allocations,
        peak: memoryTexts.atPeak,
      }}
    />
  );
  const peakTable = value.peak[peakBy.value as keyof MemoryResult['peak']] ?? value.peak.byOperator;
  return (
    <>
      <div class="toolbar">
        <Select
          label={commonTexts.device}
          value={value.device}
          choices={value.devices.map((one) => ({ value: one.name, label: one.name }))}
          onChange={(name) => {
            device.value = name;
            setRange(undefined);
          }}
        />
        {capacity === undefined ? null : (
          <Check
            label={memoryTexts.capacityLine}
            checked={withCapacity.value}
            onChange={(on) => (withCapacity.value = on)}
          />
        )}
        {range === undefined ? (
          <span class="note">{memoryTexts.dragToSelect}</span>
        ) : (
          <>
            <span>{memoryTexts.rangeTo(range.from, range.to)}</span>
            <ActionButton onClick={() => setRange(undefined)}>{commonTexts.resetZoom}</ActionButton>
            {viewAction('timeline', sharedTexts.timeline, memoryTexts.showRangeInTimeline, {
              range: { startNs: Math.round(range.from), endNs: Math.round(range.to) },
            }).map((action) => (
              <LinkButton key={action.label} title={action.title} onClick={action.run}>
                {action.label}
              </LinkButton>
            ))}
          </>
        )}
      </div>
      <Facts
        row
        items={[
          {
            name: memoryTexts.peakAllocated,
            value: memoryTexts.peakAt(current.peakAllocatedBytes, current.peakNs),
            definition: memoryTexts.peakAllocatedHint,
          },
          ...(current.peakReservedBytes === null
            ? []
            : [
                {
                  name: memoryTexts.peakReserved,
                  value: quantity(current.peakReservedBytes, 'bytes'),
                  definition: memoryTexts.peakReservedHint,
                },
              ]),
          ...(capacity === undefined
            ? []
            : [
                {
                  name: memoryTexts.capacity,
                  value: quantity(capacity, 'bytes'),
                  definition: commonTexts.deviceMemoryHint,
                },
              ]),
          {
            name: memoryTexts.records,
            value: quantity(current.records, 'count'),
            definition: memoryTexts.recordsHint,
          },
        ]}
      />
      <Charts
        title={memoryTexts.memoryOf(visible(current.name))}
        definition={memoryTexts.curveSubtitle}
        actions={<ChartMenu name={commonTexts.memory} chart={frame} asTable={asTable} pngOnly />}
      >
        {asTable.value ? (
          <div ref={frame}>
            <PlainTable
              stateKey="memoryOverTime"
              label={memoryTexts.memoryOverTime}
              columns={[
                {
                  title: memoryTexts.timeMs,
                  numeric: true,
                  definition: commonTexts.sinceStart,
                },
                {
                  title: memoryTexts.allocatedBytes,
                  numeric: true,
                  definition: memoryTexts.allocatedBytesHint,
                },
                ...(value.curve.reservedBytes.length > 0
                  ? [
                      {
                        title: memoryTexts.reservedBytes,
                        numeric: true,
                        definition: memoryTexts.reservedBytesHint,
                      },
                    ]
                  : []),
              ]}
              rows={value.curve.timesNs.map((time, index) => [
                fixed(time / 1e6, 6),
                quantity(value.curve.allocatedBytes[index], 'count'),
                ...(value.curve.reservedBytes.length > 0
                  ? [quantity(value.curve.reservedBytes[index], 'count')]
                  : []),
              ])}
            />
          </div>
        ) : value.curve.timesNs.length === 0 ? (
          <p class="nothing">{memoryTexts.noAddressInRange}</p>
        ) : (
          <Curve
            label={memoryTexts.memoryOfOverTime(current.name)}
            xTitle={commonTexts.time}
            xUnit="ns"
            yTitle={commonTexts.memory}
            yUnit="bytes"
            x={value.curve.timesNs}
            series={series}
            range={range}
            full={{ from: 0, to: trace.value?.durationNs ?? value.endNs }}
            onRange={setRange}
            frame={frame}
            stepped
          />
        )}
      </Charts>
      <Lacks absences={value.absences} />
      <div>
        {part.value === 'events' ? (
          <DataTable
            name={memoryTexts.memoryEvents}
            rows={memoryTexts.eventRows}
            view="memory"
            stateKey="events"
            method="view/memoryEvents"
            params={params}
            firstShare={2.5}
            lesser={['address', 'function', 'releaseUs', 'module', 'file', 'durationUs']}
            actions={(row) => [
              ...rowActions(row),
              ...moduleAction(row),
              ...curveAction(row, setRange),
            ]}
            toolbar={
              <>
                {tables}
                <Select
                  label={memoryTexts.state}
                  value={
                    states.find((one) => eventsFilter.value.includes(one.value || '\0'))?.value ??
                    ''
                  }
                  choices={states}
                  onChange={(term) => {
                    const rest = eventsFilter.value.replaceAll(stateTerm, '').trim();
                    eventsFilter.value = `${rest} ${term}`.trim();
                  }}
                />
              </>
            }
          />
        ) : part.value === 'peak' ? (
          <>
            <div class="toolbar">
              {tables}
              <Segments
                label={memoryTexts.groupPeakBy}
                of={peakBy}
                choices={{
                  byOperator: sharedTexts.operator,
                  byLine: commonTexts.line,
                  byModule: commonTexts.module,
                }}
              />
            </div>
            <SmallTableView
              stateKey="memoryAtPeak"
              name={memoryTexts.memoryAtPeak}
              table={peakTable}
              actions={(row) => peakActions(row, peakBy.value)}
            />
          </>
        ) : (
          <DataTable
            name={memoryTexts.memoryStatistics}
            rows={memoryTexts.statisticRows}
            view="memory"
            stateKey="statistics"
            method="view/memoryStatistics"
            params={params}
            defaultSort="-selfSizeIncreaseBytes"
            firstShare={3}
            lesser={['selfAllocationCount', 'allocationCount', 'selfAllocationSizeBytes', 'calls']}
            toolbar={tables}
            actions={rowActions}
          />
        )}
      </div>
    </>
  );
}
