// What stands beside the timeline: details of a slice, sums of a range, search, gaps, the visible
// slices as a table, the file's own metadata.
import { effect, useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { saveFile } from '../../host/host.ts';
import { openPlace, usePlacedFrames } from '../../host/place.ts';
import { ask, useAnswer } from '../../host/query.ts';
import { announce, navigate, title, trace } from '../../host/store.ts';
import { exact, fixed, isFilePath, plural, quantity, visible } from '../../lib/format.ts';
import type {
  Frame,
  SliceDetail,
  SliceRef,
  SourceLineSlicesResult,
  TimelineInstantResult,
  TimelineSearchResult,
} from '#shared/protocol.ts';
import type { PageParams } from '#shared/requests.ts';
import { Button, Check, FilterBox, LinkButton, Select } from '../../widgets/controls.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { frameTarget } from '../../widgets/stack_list.tsx';
import { ExportedTable } from '../../widgets/exported_table.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { filterFor } from '../links.ts';
import type { Row } from './layout.ts';
import { arrived, failed, settled, type Stage } from './stage.tsx';
import {
  arrows,
  detail,
  fit,
  foldLibrary,
  found,
  gaps,
  gapsDevice,
  markedRange,
  searchExact,
  searchKind,
  searchModule,
  searchRegex,
  searchText,
  select,
  selectInstant,
  shownInstant,
  shownWindow,
  showGaps,
  tracks,
  type TimeRange,
} from './state.ts';

const kindNames: Record<string, string> = {
  cpuOp: 'Operator',
  userAnnotation: 'Annotation',
  gpuUserAnnotation: 'Annotation (device)',
  kernel: 'Kernel',
  memcpy: 'Copy',
  memset: 'Set',
  runtime: 'Runtime call',
  driver: 'Driver call',
  pythonFunction: 'Python function',
  overhead: 'Profiler overhead',
  sync: 'Synchronization',
  cudaEvent: 'Device event',
  traceSpan: 'Capture span',
  collective: 'Collective',
  communication: 'Collective (device)',
  derived: 'Derived range',
  deviceOther: 'Device work',
  hostOther: 'Other host range',
};

export function kindName(kind: string): string {
  return kindNames[kind] ?? kind;
}

/**
 * A value once it has rested for a moment: what is dragged or moved would otherwise ask the daemon
 * sixty times a second for sums over millions of slices.
 */
function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), 150);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

/** `bare` where the duration stands beside it. */
function SliceLink(props: { to: SliceRef; bare?: boolean }) {
  return (
    <LinkButton
      title={`${props.to.name}\n${quantity(props.to.durationNs, 'ns')} at ${quantity(props.to.startNs, 'ns')}`}
      onClick={() => void select(props.to.slice).catch(failed)}
    >
      {visible(props.to.name)}
      {props.bare === true ? null : (
        <>
          {' '}
          <span class="tl-dim">{quantity(props.to.durationNs, 'ns')}</span>
        </>
      )}
    </LinkButton>
  );
}

/** A time in a unit that suits it; whole on hover and in exports. */
function Time(props: { ns: number }) {
  return (
    <span title={exact(props.ns, 'ns')} data-whole={props.ns}>
      {quantity(props.ns, 'ns')}
    </span>
  );
}

function Links(props: { title: string; to: readonly SliceRef[]; total?: number }) {
  if (props.to.length === 0) return null;
  const more = (props.total ?? props.to.length) - props.to.length;
  return (
    <>
      <dt>{props.title}</dt>
      <dd>
        {props.to.slice(0, 20).map((ref) => (
          <div key={ref.slice}>
            <SliceLink to={ref} />
          </div>
        ))}
        {props.to.length > 20 || more > 0 ? (
          <div class="tl-dim">and {fixed(more + Math.max(0, props.to.length - 20), 0)} more</div>
        ) : null}
      </dd>
    </>
  );
}

/** Who put a graph's work into the graph at capture: a name, for it has no place on this timeline. */
function Recorder(props: { title: string; name: string | null }) {
  if (props.name === null) return null;
  return (
    <>
      <dt title="When the graph was captured">{props.title}</dt>
      <dd>{visible(props.name)}</dd>
    </>
  );
}

function Stack(props: { frames: readonly Frame[]; slice: number }) {
  const frames = usePlacedFrames(props.frames, props.slice);
  const shown = foldLibrary.value ? frames.filter((frame) => !frame.library) : frames;
  const folded = frames.length - shown.length;
  if (frames.length === 0) return null;
  return (
    <section>
      <h3>Python stack</h3>
      <Check
        label="Fold library frames"
        checked={foldLibrary.value}
        onChange={(checked) => {
          foldLibrary.value = checked;
        }}
      />
      <ol class="tl-stack">
        {shown.map((frame, index) => (
          <li key={index}>
            {!isFilePath(frame.file) ? (
              <span>{visible(frame.function)}</span>
            ) : (
              <LinkButton
                title={`Open ${frame.file}:${frame.line}`}
                onClick={() => void openPlace(frameTarget(frame), props.slice)}
              >
                {visible(frame.function)}{' '}
                <span class="tl-dim">
                  {visible(frame.file)}:{frame.line}
                </span>
              </LinkButton>
            )}
          </li>
        ))}
      </ol>
      {folded > 0 ? <p class="tl-dim">{plural(folded, 'library frame')} folded</p> : null}
    </section>
  );
}

/** Recorded arrows that are neither launches nor from forward to backward, with what they carry. */
function Flows(props: { slice: number }) {
  const flows = arrows.value.filter((arrow) => arrow.kind === 'other');
  if (flows.length === 0) return null;
  return (
    <section>
      <h3>Recorded arrows</h3>
      <PlainTable
        label="Recorded arrows"
        columns={[{ title: 'Arrow' }, { title: 'Slice' }, { title: 'Arguments' }]}
        rows={flows.slice(0, 50).map((flow) => {
          const away = flow.from.slice === props.slice;
          return [
            `${visible(flow.name)} ${away ? 'to' : 'from'}`,
            <SliceLink to={away ? flow.to : flow.from} />,
            flow.args.map((arg) => `${visible(arg.key)}: ${visible(arg.value)}`).join(', '),
          ];
        })}
      />
      {flows.length > 50 ? <p class="tl-dim">and {fixed(flows.length - 50, 0)} more</p> : null}
    </section>
  );
}

/** The filter that leaves the row of exactly this name. */
function rowNamed(column: string, name: string): string {
  // A name with quotes cannot be written exactly: rows that hold its longest part have to do.
  return name.includes('"') ? filterFor(name) : `${column}=${filterFor(name)}`;
}

function SliceDetails(props: { slice: SliceDetail }) {
  const { slice } = props;
  const one = (ref: SliceRef | null): SliceRef[] => (ref === null ? [] : [ref]);
  const userFrame = slice.stack.find((frame) => !frame.library && isFilePath(frame.file));
  return (
    <div class="tl-details">
      <h2 title={visible(slice.name)}>{visible(slice.name)}</h2>
      <p class="tl-buttons">
        <LinkButton onClick={() => fit(slice.startNs, slice.startNs + slice.durationNs)}>
          Zoom to it
        </LinkButton>
        {slice.kind === 'cpuOp' ? (
          <LinkButton
            onClick={() => navigate({ view: 'operators', filter: rowNamed('name', slice.name) })}
          >
            Operators
          </LinkButton>
        ) : null}
        {slice.kind === 'cpuOp' && trace.value?.hasMemory === true ? (
          <LinkButton
            onClick={() => navigate({ view: 'memory', filter: rowNamed('operator', slice.name) })}
          >
            Memory
          </LinkButton>
        ) : null}
        {slice.kind === 'kernel' ? (
          <LinkButton
            onClick={() =>
              navigate({ view: 'kernels', filter: rowNamed('name', slice.name), groupBy: 'name' })
            }
          >
            Kernels
          </LinkButton>
        ) : null}
        {slice.copy === null ? null : (
          <LinkButton
            onClick={() =>
              navigate({
                view: 'kernels',
                copies: Object.entries(slice.copy!)
                  .filter(([, value]) => value !== '')
                  .map(([key, value]) => `${key}=${filterFor(value)}`)
                  .join(' '),
              })
            }
          >
            Copies
          </LinkButton>
        )}
        {slice.module === null ? null : (
          <LinkButton
            onClick={() =>
              navigate({
                view: 'modules',
                filter: filterFor(slice.module!.name.replace('nn.Module: ', '')),
              })
            }
          >
            Module
          </LinkButton>
        )}
        {userFrame === undefined ? null : (
          <LinkButton onClick={() => void openPlace(frameTarget(userFrame), slice.slice)}>
            Code
          </LinkButton>
        )}
        {userFrame === undefined ? null : (
          <LinkButton
            onClick={() =>
              navigate({
                view: 'lines',
                groupBy: 'line',
                filter: `${filterFor(userFrame.file.split(/[\\/]/).pop() ?? '')} ${filterFor(userFrame.function)}`,
              })
            }
          >
            Lines
          </LinkButton>
        )}
      </p>
      <dl>
        <dt>What</dt>
        <dd>
          {kindName(slice.kind)} <span class="tl-dim">{visible(slice.category)}</span>
        </dd>
        <dt>Where</dt>
        <dd>
          {visible(slice.trackName)}
          {slice.step === null ? '' : `, step ${slice.step}`}
        </dd>
        <dt title="Since the start of the trace">Start</dt>
        <dd title={`${slice.startNs} ns`}>{quantity(slice.startNs, 'ns')}</dd>
        <dt title="From its start to its end, with what ran inside">Duration</dt>
        <dd title={`${slice.durationNs} ns`}>{quantity(slice.durationNs, 'ns')}</dd>
        {slice.children > 0 ? (
          <>
            <dt title="Duration less that of slices directly inside">Self</dt>
            <dd>{quantity(slice.selfNs, 'ns')}</dd>
          </>
        ) : null}
        {slice.queueDelayNs === null ? null : (
          <>
            <dt title="Start of the device work less the end of the call that launched it">
              Waited in queue
            </dt>
            <dd>{quantity(slice.queueDelayNs, 'ns')}</dd>
          </>
        )}
        <Links title="Launched by" to={one(slice.launch)} />
        <Links title="Operator" to={one(slice.op)} />
        <Links title="Module" to={one(slice.module)} />
        <Recorder title="Recorded by" name={slice.capturedOp} />
        <Recorder title="Recorded in" name={slice.capturedModule} />
        <Links title="Annotation" to={one(slice.annotation)} />
        <Links title="Forward" to={one(slice.forward)} />
        <Links title="Backward" to={slice.backward} />
        <Links title="Inside" to={one(slice.parent)} />
        <Links title="Device work" to={slice.launched} total={slice.launchedTotal} />
      </dl>
      <Flows slice={slice.slice} />
      <Stack frames={slice.stack} slice={slice.slice} />
      {slice.args.length === 0 ? null : (
        <section>
          <h3>Recorded arguments</h3>
          <PlainTable
            label="Recorded arguments"
            columns={[{ title: 'Key' }, { title: 'Value' }]}
            rows={slice.args.map((arg) => [visible(arg.key), visible(arg.value)])}
          />
        </section>
      )}
      <p class="tl-dim">Event {slice.eventIndex} of the file</p>
    </div>
  );
}

function deviceTitle(ordinal: number): string {
  const known = trace.value?.devices.find((device) => device.ordinal === ordinal);
  return known?.label ?? (ordinal < 0 ? 'Device' : `Device ${ordinal}`);
}

function RangeDetails(props: { range: TimeRange }) {
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
        {range.tracks === undefined ? ', all rows' : `, ${plural(range.tracks.length, 'row')}`}
        {value === undefined ? '' : `, ${plural(value.totalSlices, 'slice')}`}
      </p>
      <p class="tl-buttons">
        <LinkButton onClick={() => fit(range.startNs, range.endNs)}>Zoom to it</LinkButton>
        <LinkButton
          title="A small trace file with the slices of the range; opens here and in Perfetto"
          onClick={() => void save().catch(failed)}
        >
          Export as trace
        </LinkButton>
        <LinkButton
          onClick={() => {
            markedRange.value = null;
          }}
        >
          Clear
        </LinkButton>
      </p>
      {error === undefined ? null : <Failure error={error} retry={retry} />}
      {value === undefined ? (
        error === undefined ? (
          <Waiting what="Adding up..." />
        ) : null
      ) : (
        <>
          {value.devices.map(({ device, busyNs }) => (
            <p
              key={device}
              title="Time in which at least one kernel, copy or set of the marked rows runs"
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
                definition: 'Slices of which a part is in the range',
              },
              {
                title: 'Sum',
                numeric: true,
                exportUnit: 'ns',
                definition:
                  'Sum of the durations inside the range; what runs at the same time counts twice',
              },
              {
                title: 'Union',
                numeric: true,
                exportUnit: 'ns',
                definition: 'Time in which at least one of them runs: what overlaps counts once',
              },
            ]}
            rows={value.kinds.map((kind) => [
              kindName(kind.kind),
              fixed(kind.slices, 0),
              <Time ns={kind.sumNs} />,
              <Time ns={kind.unionNs} />,
            ])}
          />
          <h3>Longest by name</h3>
          <ExportedTable
            label="Sums by name"
            columns={[
              { title: 'Name' },
              {
                title: 'Calls',
                numeric: true,
                definition: 'Slices of the name of which a part is in the range',
              },
              {
                title: 'Sum',
                numeric: true,
                exportUnit: 'ns',
                definition:
                  'Sum of the durations inside the range, with what ran inside each slice',
              },
            ]}
            rows={value.names.map((name) => [
              <LinkButton
                title={`${kindName(name.kind)}: go to the longest`}
                onClick={() => void select(name.longest.slice).catch(failed)}
              >
                {visible(name.name)}
              </LinkButton>,
              fixed(name.calls, 0),
              <Time ns={name.sumNs} />,
            ])}
          />
        </>
      )}
    </section>
  );
}

const instantKinds: Record<TimelineInstantResult['kind'], string> = {
  instant: 'Instant',
  objectCreated: 'Object created',
  objectSnapshot: 'Snapshot of an object',
  objectDeleted: 'Object deleted',
  memoryDump: 'Memory dump',
  sample: 'Sample',
  clockSync: 'Clock synchronization',
};

function InstantDetails(props: { instant: TimelineInstantResult }) {
  const { instant } = props;
  const step = (title: string, to: number | null) =>
    to === null ? null : (
      <LinkButton onClick={() => void selectInstant(to).catch(failed)}>{title}</LinkButton>
    );
  return (
    <section class="tl-details">
      <h2 title={visible(instant.name)}>{visible(instant.name)}</h2>
      <p class="tl-dim">
        {instantKinds[instant.kind]} at {quantity(instant.ns, 'ns')} {visible(instant.category)}
      </p>
      <p class="tl-buttons">
        {step('Previous', instant.previous)} {step('Next', instant.next)}
      </p>
      {instant.args.length === 0 ? null : (
        <PlainTable
          label="Recorded arguments"
          columns={[{ title: 'Key' }, { title: 'Value' }]}
          rows={instant.args.map((arg) => [visible(arg.key), visible(arg.value)])}
        />
      )}
    </section>
  );
}

export function DetailsPanel() {
  const range = markedRange.value;
  const slice = detail.value;
  const instant = slice === undefined ? shownInstant.value : undefined;
  if (range === null && slice === undefined && instant === undefined) {
    return (
      <Nothing>
        Click a slice to see everything that was recorded of it. Drag with Shift to add up a range.
        Press ? for all keys.
      </Nothing>
    );
  }
  return (
    <>
      {slice === undefined ? null : <SliceDetails slice={slice} />}
      {instant === undefined ? null : <InstantDetails instant={instant} />}
      {range === null ? null : <RangeDetails range={range} />}
    </>
  );
}

/** Parameters of the slices of one line of code, as the lines view and the editor place them. */
export function lineParams(line: { file: string; line: number }): PageParams<'source/lineSlices'> {
  return { file: line.file, line: line.line, limit: 1000 };
}

/** The slices of a line in the form of a search's answer. */
function ofLine(answer: SourceLineSlicesResult): SearchResult {
  const counts = new Map<number, number>();
  for (const { track } of answer.slices) counts.set(track, (counts.get(track) ?? 0) + 1);
  return {
    total: answer.total,
    byTrack: [...counts].map(([track, count]) => ({ track, count })),
    results: answer.slices.slice(0, 200),
  };
}

type SearchResult = Pick<TimelineSearchResult, 'total' | 'byTrack' | 'results'> &
  Partial<Pick<TimelineSearchResult, 'sumNs'>>;

export function SearchPanel() {
  const exact = searchExact.value;
  const params: PageParams<'timeline/search'> = { limit: 200 };
  if (exact?.name !== undefined) params.name = exact.name;
  else if (exact === undefined) {
    if (searchText.value !== '') params.text = searchText.value;
    if (searchRegex.value) params.regex = true;
  }
  if (searchKind.value !== '') params.kind = searchKind.value;
  if (searchModule.value !== '') params.module = searchModule.value;
  const asked = Object.keys(params).some((key) => key !== 'limit' && key !== 'regex');
  const line = exact?.line;
  const search = useAnswer('timeline/search', asked && line === undefined ? params : undefined);
  const calls = useAnswer('source/lineSlices', line === undefined ? undefined : lineParams(line));
  const showing = asked || line !== undefined;
  const value =
    line === undefined ? search.value : calls.value === undefined ? undefined : ofLine(calls.value);
  const error = line === undefined ? search.error : calls.error;
  const at = useSignal(-1);
  const results = line === undefined ? search.value?.results : calls.value?.slices;
  const list = showing ? results : undefined;
  useEffect(() => {
    found.value = new Set(list?.map((ref) => ref.slice) ?? []);
    at.value = -1;
    return () => {
      found.value = new Set();
    };
  }, [list]);
  const step = (by: number): void => {
    if (list === undefined || list.length === 0) return;
    at.value = (at.value + by + list.length) % list.length;
    void select(list[at.value]!.slice).catch(failed);
  };
  const names = new Map(tracks.value?.tracks.map((track) => [track.id, track.name]));
  return (
    <section class="tl-search">
      <h2>Search</h2>
      {exact === undefined ? (
        <>
          <FilterBox
            label="Find slices"
            placeholder={searchRegex.value ? 'Regular expression' : 'Text in the name'}
            value={searchText.value}
            onChange={(text) => {
              searchText.value = text;
            }}
          />
          <Check
            label="Regular expression"
            checked={searchRegex.value}
            onChange={(checked) => {
              searchRegex.value = checked;
            }}
          />
        </>
      ) : (
        <p>
          {exact.name === undefined
            ? `Slices of ${visible(exact.line?.file ?? '')}:${exact.line?.line ?? 0}`
            : visible(exact.name)}{' '}
          <LinkButton
            onClick={() => {
              searchExact.value = undefined;
            }}
          >
            Search for something else
          </LinkButton>
        </p>
      )}
      {line !== undefined ? null : (
        <>
          <Select
            label="Kind"
            value={searchKind.value}
            choices={[
              { value: '', label: 'Every kind' },
              ...Object.entries(kindNames).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(kind) => {
              searchKind.value = kind;
            }}
          />
          <FilterBox
            label="Inside modules"
            placeholder="Inside modules named..."
            value={searchModule.value}
            onChange={(text) => {
              searchModule.value = text;
            }}
          />
        </>
      )}
      {error === undefined || !showing ? null : <Failure error={error} />}
      {!showing ? (
        <Nothing>Searches all slices of the trace, drawn or not.</Nothing>
      ) : value === undefined ? (
        error === undefined ? (
          <Waiting what="Searching..." />
        ) : null
      ) : (
        <>
          <p role="status" class="tl-count">
            {plural(value.total, 'match').replace('matchs', 'matches')}
            {value.sumNs === undefined ? '' : `, ${quantity(value.sumNs, 'ns')} together`}
          </p>
          <p class="tl-buttons">
            <Button secondary onClick={() => step(-1)}>
              Previous
            </Button>{' '}
            <Button secondary onClick={() => step(1)}>
              Next
            </Button>
          </p>
          <details>
            <summary>By row</summary>
            <PlainTable
              label="Matches by row"
              columns={[{ title: 'Row' }, { title: 'Matches', numeric: true }]}
              rows={value.byTrack.map((row) => [
                visible(names.get(row.track) ?? String(row.track)),
                fixed(row.count, 0),
              ])}
            />
          </details>
          <ol class="tl-results">
            {value.results.map((ref) => (
              <li key={ref.slice}>
                <SliceLink to={ref} /> <span class="tl-dim">at {quantity(ref.startNs, 'ns')}</span>
              </li>
            ))}
          </ol>
          {value.total > value.results.length ? (
            <p class="tl-dim">The first {fixed(value.results.length, 0)} are listed.</p>
          ) : null}
        </>
      )}
    </section>
  );
}

const reasonNames: Record<string, string> = {
  launchLate: 'Launch came late',
  synchronisation: 'Synchronization',
  copy: 'Copy',
  dataLoader: 'Data loader',
  collective: 'Collective',
  hostBusy: 'Host busy',
  startOfTrace: 'Start of the trace',
  unknown: 'Not known',
};

export function GapsPanel() {
  const device = useSignal('');
  const onlyWindow = useSignal(false);
  const devices = trace.value?.devices ?? [];
  const params: PageParams<'timeline/gaps'> = { limit: 300 };
  if (device.value !== '') params.device = Number(device.value);
  if (onlyWindow.value) {
    params.startNs = Math.floor(shownWindow.value.startNs);
    params.endNs = Math.ceil(shownWindow.value.endNs);
  }
  const { value, error, retry } = useAnswer('timeline/gaps', useRested(params));
  useEffect(() => {
    gaps.value = value?.gaps ?? [];
    gapsDevice.value = value?.device ?? null;
    showGaps.value = true;
    return () => {
      showGaps.value = false;
    };
  }, [value]);
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what="Looking for idle time..." />;
  if (value.device === null)
    return <Nothing>This trace has no device work, so no device was idle.</Nothing>;
  return (
    <section class="tl-gaps">
      <h2>Idle time of the device</h2>
      {devices.length > 1 ? (
        <Select
          label="Device"
          value={device.value === '' ? String(value.device) : device.value}
          choices={devices.map((one) => ({
            value: String(one.ordinal),
            label: one.label,
          }))}
          onChange={(next) => {
            device.value = next;
          }}
        />
      ) : null}
      <Check
        label="Only in the window"
        checked={onlyWindow.value}
        onChange={(checked) => {
          onlyWindow.value = checked;
        }}
      />
      <p>
        {quantity(value.idleNs, 'ns')} idle in {plural(value.total, 'gap')}
      </p>
      <ExportedTable
        label="Idle time by reason"
        columns={[
          { title: 'Reason' },
          { title: 'Gaps', numeric: true, definition: 'Times in which the device did nothing' },
          {
            title: 'Time',
            numeric: true,
            exportUnit: 'ns',
            definition: 'Sum of their durations',
          },
        ]}
        rows={value.byReason.map((row) => [
          reasonNames[row.reason] ?? row.reason,
          fixed(row.count, 0),
          <Time ns={row.sumNs} />,
        ])}
      />
      <ol class="tl-results">
        {value.gaps.map((gap) => (
          <li key={gap.startNs}>
            <LinkButton onClick={() => fit(gap.startNs, gap.startNs + gap.durationNs)}>
              {quantity(gap.durationNs, 'ns')} at {quantity(gap.startNs, 'ns')}
            </LinkButton>
            <div>
              {visible(gap.text)} <span class="tl-dim">({gap.confidence} confidence)</span>
            </div>
            {gap.host === null ? null : (
              <div>
                Host: <SliceLink to={gap.host} />
              </div>
            )}
            {gap.endedBy === null ? null : (
              <div>
                Ended by: <SliceLink to={gap.endedBy} />
              </div>
            )}
            {gap.frame === null || !isFilePath(gap.frame.file) ? null : (
              <div>
                <LinkButton
                  onClick={() => void openPlace(frameTarget(gap.frame!), gap.host?.slice)}
                >
                  {visible(gap.frame.file)}:{gap.frame.line}
                </LinkButton>
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface TwinRow {
  ref: SliceRef;
  row: string;
  count: number;
  /** Of an instant, else -1. */
  instant: number;
}

const twinLimit = 300;

/** What is on the screen, row by row, and how much more there is than can be listed. */
function twinRows(stage: Stage, rows: readonly Row[]): { list: TwinRow[]; more: number } {
  const { startNs, endNs } = shownWindow.peek();
  const list: TwinRow[] = [];
  let more = 0;
  for (const row of rows) {
    const data = stage.source.rows.get(row.track.id);
    const boxes = data?.boxes;
    if (data === undefined || boxes === undefined) continue;
    const add = (
      instant: number,
      slice: number,
      name: number,
      start: number,
      length: number,
      count: number,
    ): void => {
      if (start > endNs || start + length < startNs) return;
      if (list.length >= twinLimit) {
        more++;
        return;
      }
      list.push({
        ref: {
          slice,
          name: data.names[name] ?? '',
          startNs: start,
          durationNs: length,
          track: row.track.id,
        },
        row: row.track.name,
        count,
        instant,
      });
    };
    boxes.start.forEach((start, i) =>
      add(-1, boxes.slice[i]!, boxes.name[i]!, start, boxes.length[i]!, boxes.count[i]!),
    );
    for (const { index, name, ns, count } of boxes.instants) add(index, -1, name, ns, 0, count);
  }
  return { list, more };
}

/** The drawing's twin: the slices on the screen as a table, for those who cannot see or point. */
export function TablePanel(props: { stage: Stage | undefined; rows: readonly Row[] }) {
  const { stage, rows } = props;
  // While the picture moves the table stays as it was: it is made anew when the picture has settled.
  const shown = useSignal<{ list: TwinRow[]; more: number }>(
    stage === undefined ? { list: [], more: 0 } : twinRows(stage, rows),
  );
  useEffect(
    () =>
      effect(() => {
        void [shownWindow.value, arrived.value];
        if (settled.value && stage !== undefined) shown.value = twinRows(stage, rows);
      }),
    [stage, rows],
  );
  const { list, more } = shown.value;
  return (
    <section>
      <h2>Slices in the window</h2>
      <ExportedTable
        label="Slices in the window"
        columns={[
          { title: 'Slice' },
          { title: 'Row' },
          {
            title: 'Start',
            numeric: true,
            exportUnit: 'ns',
            definition: 'Since the start of the trace',
          },
          {
            title: 'Duration',
            numeric: true,
            exportUnit: 'ns',
            definition: 'From its start to its end; for slices drawn as one, all of them together',
          },
        ]}
        rows={list.map(({ ref, row, count, instant }) => [
          instant >= 0 ? (
            <LinkButton onClick={() => void selectInstant(instant).catch(failed)}>
              {count > 1 ? `${plural(count, 'instant')}, the first ` : ''}
              {ref.name} <span class="tl-dim">instant</span>
            </LinkButton>
          ) : ref.slice < 0 ? (
            <span class="tl-cut" title={ref.name}>
              {plural(count, 'slice')}, longest {ref.name}
            </span>
          ) : (
            <SliceLink to={ref} bare />
          ),
          visible(row),
          <Time ns={ref.startNs} />,
          <Time ns={ref.durationNs} />,
        ])}
      />
      {more > 0 ? <p class="tl-dim">and {fixed(more, 0)} more: zoom in</p> : null}
    </section>
  );
}

export function FilePanel() {
  const { value, error, retry } = useAnswer('timeline/metadata', {});
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what="Reading..." />;
  return (
    <section>
      <h2>What the file says about itself</h2>
      <PlainTable
        label="Metadata of the file"
        columns={[{ title: 'Key' }, { title: 'Value' }]}
        rows={value.entries.map((entry) => [visible(entry.key), visible(entry.value)])}
      />
    </section>
  );
}
