// Everything that is known of a slice.
import type { Frame, SliceDetail, SliceRef } from '#shared/protocol.ts';
import { openPlace, usePlacedFrames } from '../../../host/place.ts';
import { navigate, trace } from '../../../host/store.ts';
import { fixed, plural, quantity } from '#shared/numbers.ts';
import { isFilePath, visible } from '../../../lib/format.ts';
import { shortName } from '#shared/names.ts';
import { Check } from '../../../widgets/check.tsx';
import { LinkButton } from '../../../widgets/controls.tsx';
import { PlainTable } from '../../../widgets/plain_table.tsx';
import { frameTarget } from '../../../widgets/stack_list.tsx';
import { filterFor } from '../../links.ts';
import { arrows, fit, foldLibrary } from '../state.ts';
import { Arguments, SliceLink, kindName } from './parts.tsx';

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
      <h3>Flow arrows</h3>
      <PlainTable
        label="Flow arrows"
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

/** Where a slice leads: to its row in other views, and to its code. */
function Ways(props: { slice: SliceDetail }) {
  const { slice } = props;
  const userFrame = slice.stack.find((frame) => !frame.library && isFilePath(frame.file));
  return (
    <p class="tl-buttons">
      <LinkButton onClick={() => fit(slice.startNs, slice.startNs + slice.durationNs)}>
        Zoom to selection
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
  );
}

export function SliceDetails(props: { slice: SliceDetail }) {
  const { slice } = props;
  const one = (ref: SliceRef | null): SliceRef[] => (ref === null ? [] : [ref]);
  return (
    <div class="tl-details">
      <h2 title={visible(slice.name)}>{visible(shortName(slice.name))}</h2>
      <Ways slice={slice} />
      <dl>
        {shortName(slice.name) === slice.name ? null : (
          <>
            <dt title="As recorded">Full name</dt>
            <dd>
              <div class="tl-whole" tabIndex={0} role="group" aria-label="Full name">
                {visible(slice.name)}
              </div>
            </dd>
          </>
        )}
        <dt>Type</dt>
        <dd>
          {kindName(slice.kind)} <span class="tl-dim">{visible(slice.category)}</span>
        </dd>
        <dt>Track</dt>
        <dd>
          {visible(slice.trackName)}
          {slice.step === null ? '' : `, step ${slice.step}`}
        </dd>
        <dt title="Since the start of the trace">Start</dt>
        <dd title={`${slice.startNs} ns`}>{quantity(slice.startNs, 'ns')}</dd>
        <dt title="From start to end, children included">Duration</dt>
        <dd title={`${slice.durationNs} ns`}>{quantity(slice.durationNs, 'ns')}</dd>
        {slice.children > 0 ? (
          <>
            <dt title="Duration without its direct children">Self</dt>
            <dd>{quantity(slice.selfNs, 'ns')}</dd>
          </>
        ) : null}
        {slice.queueDelayNs === null ? null : (
          <>
            <dt title="From the end of the launch call to the start of the device work">
              Queue delay
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
        <Links title="Parent" to={one(slice.parent)} />
        <Links title="Device work" to={slice.launched} total={slice.launchedTotal} />
      </dl>
      <Flows slice={slice.slice} />
      <Stack frames={slice.stack} slice={slice.slice} />
      {slice.args.length === 0 ? null : (
        <section>
          <h3>Recorded arguments</h3>
          <Arguments args={slice.args} />
        </section>
      )}
      <p class="tl-dim">Event {slice.eventIndex} of the file</p>
    </div>
  );
}
