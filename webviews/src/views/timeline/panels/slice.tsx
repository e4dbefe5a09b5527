// Everything that is known of a slice.
import { sharedTexts } from '#shared/common_texts.ts';
import type { Frame, SliceDetail, SliceRef } from '#shared/protocol.ts';
import { openPlace, usePlacedFrames } from '../../../host/place.ts';
import { navigate, trace } from '../../../host/store.ts';
import { quantity } from '#shared/numbers.ts';
import { isFilePath, visible } from '../../../lib/format.ts';
import { shortName } from '#shared/names.ts';
import { commonTexts } from '../../../lib/texts.ts';
import { Check } from '../../../widgets/check.tsx';
import { ActionButton, LinkButton } from '../../../widgets/controls.tsx';
import { PlainTable } from '../../../widgets/plain_table.tsx';
import { frameTarget } from '../../../widgets/stack_list.tsx';
import { filterFor } from '../../links.ts';
import { arrows, fit, foldLibrary } from '../state.ts';
import { Arguments, SliceLink, kindName } from './parts.tsx';
import { panelTexts } from './texts.ts';

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
          <div class="tl-dim">{commonTexts.andMore(more + Math.max(0, props.to.length - 20))}</div>
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
      <dt title={panelTexts.whenGraphCaptured}>{props.title}</dt>
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
      <h3>{panelTexts.pythonStack}</h3>
      <Check
        label={commonTexts.foldLibraryFrames}
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
                title={commonTexts.openLine(frame.file, frame.line)}
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
      {folded > 0 ? <p class="tl-dim">{panelTexts.folded(folded)}</p> : null}
    </section>
  );
}

/** Recorded arrows that are neither launches nor from forward to backward, with what they carry. */
function Flows(props: { slice: number }) {
  const flows = arrows.value.filter((arrow) => arrow.kind === 'other');
  if (flows.length === 0) return null;
  return (
    <section>
      <h3>{panelTexts.flowArrows}</h3>
      <PlainTable
        stateKey="flowArrows"
        label={panelTexts.flowArrows}
        columns={[
          { title: panelTexts.arrow },
          { title: commonTexts.slice },
          { title: panelTexts.arguments },
        ]}
        rows={flows.slice(0, 50).map((flow) => {
          const away = flow.from.slice === props.slice;
          return [
            panelTexts.arrowName(visible(flow.name), away),
            <SliceLink to={away ? flow.to : flow.from} />,
            flow.args.map((arg) => `${visible(arg.key)}: ${visible(arg.value)}`).join(', '),
          ];
        })}
      />
      {flows.length > 50 ? <p class="tl-dim">{commonTexts.andMore(flows.length - 50)}</p> : null}
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
      <ActionButton onClick={() => fit(slice.startNs, slice.startNs + slice.durationNs)}>
        {panelTexts.zoomToSelection}
      </ActionButton>
      {slice.kind === 'cpuOp' ? (
        <LinkButton
          onClick={() => navigate({ view: 'operators', filter: rowNamed('name', slice.name) })}
        >
          {sharedTexts.operators}
        </LinkButton>
      ) : null}
      {slice.kind === 'cpuOp' && trace.value?.hasMemory === true ? (
        <LinkButton
          onClick={() => navigate({ view: 'memory', filter: rowNamed('operator', slice.name) })}
        >
          {commonTexts.memory}
        </LinkButton>
      ) : null}
      {slice.kind === 'kernel' ? (
        <LinkButton
          onClick={() =>
            navigate({ view: 'kernels', filter: rowNamed('name', slice.name), groupBy: 'name' })
          }
        >
          {sharedTexts.kernels}
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
          {panelTexts.copies}
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
          {commonTexts.module}
        </LinkButton>
      )}
      {userFrame === undefined ? null : (
        <LinkButton onClick={() => void openPlace(frameTarget(userFrame), slice.slice)}>
          {commonTexts.code}
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
          {commonTexts.lines}
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
            <dt title={commonTexts.asRecorded}>{panelTexts.fullName}</dt>
            <dd>
              <div class="tl-whole" tabIndex={0} role="group" aria-label={panelTexts.fullName}>
                {visible(slice.name)}
              </div>
            </dd>
          </>
        )}
        <dt>{panelTexts.type}</dt>
        <dd>
          {kindName(slice.kind)}{' '}
          {kindName(slice.kind).toLowerCase() === slice.category.toLowerCase() ? null : (
            <span class="tl-dim">{visible(slice.category)}</span>
          )}
        </dd>
        <dt>{panelTexts.track}</dt>
        <dd>{panelTexts.trackAndStep(visible(slice.trackName), slice.step)}</dd>
        <dt title={panelTexts.sinceStartTrace}>{commonTexts.start}</dt>
        <dd title={panelTexts.inNs(slice.startNs)}>{quantity(slice.startNs, 'ns')}</dd>
        <dt title={panelTexts.durationWithChildren}>{commonTexts.duration}</dt>
        <dd title={panelTexts.inNs(slice.durationNs)}>{quantity(slice.durationNs, 'ns')}</dd>
        {slice.children > 0 ? (
          <>
            <dt title={panelTexts.selfWithoutChildren}>{sharedTexts.self}</dt>
            <dd>{quantity(slice.selfNs, 'ns')}</dd>
          </>
        ) : null}
        {slice.queueDelayNs === null ? null : (
          <>
            <dt title={panelTexts.queueDelayHint}>{panelTexts.queueDelay}</dt>
            <dd>{quantity(slice.queueDelayNs, 'ns')}</dd>
          </>
        )}
        <Links title={commonTexts.launchedBy} to={one(slice.launch)} />
        <Links title={sharedTexts.operator} to={one(slice.op)} />
        <Links title={commonTexts.module} to={one(slice.module)} />
        <Recorder title={panelTexts.recordedBy} name={slice.capturedOp} />
        <Recorder title={panelTexts.recordedIn} name={slice.capturedModule} />
        <Links title={panelTexts.annotation} to={one(slice.annotation)} />
        <Links title={sharedTexts.forward} to={one(slice.forward)} />
        <Links title={sharedTexts.backward} to={slice.backward} />
        <Links title={panelTexts.parent} to={one(slice.parent)} />
        <Links title={panelTexts.deviceWork} to={slice.launched} total={slice.launchedTotal} />
      </dl>
      <Flows slice={slice.slice} />
      <Stack frames={slice.stack} slice={slice.slice} />
      {slice.args.length === 0 ? null : (
        <section>
          <h3>{panelTexts.recordedArguments}</h3>
          <Arguments args={slice.args} />
        </section>
      )}
      <p class="tl-dim">{panelTexts.eventOfFile(slice.eventIndex)}</p>
    </div>
  );
}
