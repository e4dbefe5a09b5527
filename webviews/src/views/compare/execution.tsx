// What ran, aligned: one level of both traces at a time, with a path that leads back.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FailureData } from '#shared/messages.ts';
import { sideNames } from '#shared/comparison.ts';
import type { CompareTreeResult } from '#shared/protocol.ts';
import { plural, quantity } from '#shared/numbers.ts';
import { CancelledError } from '../../host/host.ts';
import { ask } from '../../host/query.ts';
import { epoch, failureOf, carried, viewState } from '../../host/store.ts';
import { visible } from '../../lib/format.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { LinkButton, Segments } from '../../widgets/controls.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { ChangeMark, changeOf, signed } from './change.tsx';
import { describe, LevelChart, LevelLegend } from './level_chart.tsx';
import { kindText, partsOf, type Part } from './level.ts';
import { timelineAction } from './links.ts';
import { eitherHas, useComparedTime, type ComparedTime } from './state.ts';
import { CompareTable } from './tables.tsx';

/** More parts than these are not drawn. */
const mostParts = 2000;

interface Crumb {
  position: number;
  name: string;
}

/** All parts of the level at `path`, page after page. */
function useLevel(path: string) {
  const [state, setState] = useState<{
    key: string;
    value: CompareTreeResult | undefined;
    error: FailureData | undefined;
  }>({ key: '', value: undefined, error: undefined });
  const [attempt, setAttempt] = useState(0);
  const key = `${epoch.value} ${attempt} ${path} ${JSON.stringify(carried.value)}`;
  useEffect(() => {
    const abort = new AbortController();
    const read = async (): Promise<CompareTreeResult> => {
      const level = await ask('compare/tree', { path }, abort.signal);
      const children = [...level.children];
      const wanted = Math.min(level.totalChildren, mostParts);
      while (children.length < wanted) {
        const next = await ask('compare/tree', { path, offset: children.length }, abort.signal);
        if (next.children.length === 0) break;
        children.push(...next.children);
      }
      return { ...level, children };
    };
    read().then(
      (value) => {
        if (!abort.signal.aborted) setState({ key, value, error: undefined });
      },
      (error: unknown) => {
        if (abort.signal.aborted || error instanceof CancelledError) return;
        setState({ key, value: undefined, error: failureOf(error) });
      },
    );
    return () => abort.abort();
  }, [key]);
  return { ...state, pending: state.key !== key, retry: () => setAttempt(attempt + 1) };
}

/** The way to the level that shows; other traces or steps have another one. */
function useTrail() {
  const of = viewState('compare', 'trailOf', '');
  const crumbs = viewState<Crumb[]>('compare', 'trail', []);
  const now = JSON.stringify(carried.value);
  return {
    crumbs: of.value === now ? crumbs.value : [],
    go: (next: Crumb[]): void => {
      of.value = now;
      crumbs.value = next;
    },
  };
}

function Crumbs(props: { root: string; crumbs: readonly Crumb[]; go: (crumbs: Crumb[]) => void }) {
  const names = [props.root, ...props.crumbs.map(({ name }) => name)];
  return (
    <nav class="crumbs" aria-label="Path">
      <ol>
        {names.map((name, index) => (
          <li key={index}>
            {index === names.length - 1 ? (
              <span aria-current="location">{visible(name)}</span>
            ) : (
              <LinkButton onClick={() => props.go(props.crumbs.slice(0, index))}>
                {visible(name)}
              </LinkButton>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function PartActions(props: { part: Part; open: (part: Part) => void; short?: boolean }) {
  const { part } = props;
  return (
    <>
      {part.position === undefined ? null : (
        <LinkButton title={`Look inside ${part.name}`} onClick={() => props.open(part)}>
          Inside
        </LinkButton>
      )}
      {sideNames.map((side) => {
        const slice = part.slices[side];
        if (slice === undefined) return null;
        const action = timelineAction(side, { slice });
        return (
          <LinkButton key={side} title={action.title} onClick={action.run}>
            {props.short === true ? action.label : `${action.label} timeline`}
          </LinkButton>
        );
      })}
    </>
  );
}

function Twin(props: { parts: readonly Part[]; open: (part: Part) => void }) {
  return (
    <PlainTable
      label="Aligned execution"
      columns={[
        { title: 'Part' },
        { title: 'Kind' },
        { title: 'Change' },
        { title: 'Baseline', numeric: true },
        { title: 'Candidate', numeric: true },
        { title: 'Difference', numeric: true },
        { title: 'Baseline so far', numeric: true },
        { title: 'Candidate so far', numeric: true },
        { title: 'Difference so far', numeric: true },
        { title: 'Go to' },
      ]}
      rows={props.parts.map((part) => [
        <span key="name" data-whole={part.name}>
          {visible(part.name)}
        </span>,
        kindText(part),
        <>
          <ChangeMark key="change" change={part.change} />
          {part.moved ? ', moved' : ''}
        </>,
        quantity(part.baseline, 'us'),
        quantity(part.candidate, 'us'),
        signed(part.delta, 'us'),
        quantity(part.sums.baseline, 'us'),
        quantity(part.sums.candidate, 'us'),
        signed(part.sums.candidate - part.sums.baseline, 'us'),
        <span key="go" class="part-actions">
          <PartActions part={part} open={props.open} short />
        </span>,
      ])}
    />
  );
}

/** The part at hand in words, and the ways that lead from it. */
function Current(props: { part: Part | undefined; open: (part: Part) => void }) {
  const { part } = props;
  if (part === undefined) return <p class="part-current" />;
  const [name, times, difference] = describe(part);
  return (
    <p class="part-current">
      <strong>{name}</strong>
      <span>{times}</span>
      <ChangeMark change={{ ...part.change, word: difference! }} />
      <span class="part-actions">
        <PartActions part={part} open={props.open} />
      </span>
    </p>
  );
}

function Level(props: {
  level: CompareTreeResult;
  time: ComparedTime;
  enter: (part: Part) => void;
  leave: () => void;
}) {
  const { level, time } = props;
  const root = useRef<HTMLDivElement>(null);
  const asTable = viewState('compare', 'executionAsTable', false);
  const whole = viewState('compare', 'smallParts', false);
  const [active, setActive] = useState(0);
  const { parts, folded } = partsOf(level, time, whole.value);
  const open = (part: Part): void => {
    if (part.items > 1) whole.value = true;
    else if (part.position !== undefined) props.enter(part);
  };
  const key = time === 'device' ? 'deviceUs' : 'hostUs';
  const [before, after] = [level.item.baseline?.[key] ?? 0, level.item.candidate?.[key] ?? 0];
  const rest = level.totalChildren - level.children.length;
  return (
    <Panel
      title={`Aligned execution, ${time} time`}
      definition={
        time === 'device'
          ? 'Total duration of the device work that each part launched.'
          : 'Host time of each part. Work on other threads in the meantime is not added.'
      }
      actions={
        <>
          {folded || whole.value ? (
            <LinkButton pressed={whole.value} onClick={() => (whole.value = !whole.value)}>
              Small parts
            </LinkButton>
          ) : null}
          <ChartMenu name="Aligned execution" chart={root} asTable={asTable} />
        </>
      }
    >
      <p class="level-total">
        {`${quantity(before, 'us')} \u2192 ${quantity(after, 'us')}, `}
        <ChangeMark
          change={{
            ...changeOf('both', after - before, 'us'),
            word: signed(after - before, 'us'),
          }}
        />
        {` in ${plural(level.totalChildren, 'part')}${rest > 0 ? `, of which ${rest} are not shown` : ''}`}
      </p>
      <div ref={root}>
        {asTable.value ? (
          <Twin parts={parts} open={open} />
        ) : parts.length <= 1 ? (
          <Nothing>{`There is no ${time} work inside.`}</Nothing>
        ) : (
          <>
            <LevelLegend />
            <Current part={parts[active]} open={open} />
            <LevelChart
              label="Aligned execution of baseline and candidate"
              parts={parts}
              active={active}
              onActive={setActive}
              onOpen={open}
              onLeave={props.leave}
            />
          </>
        )}
      </div>
    </Panel>
  );
}

type Shown = 'parts' | 'operators' | 'kernels';

/** What ran in the block that shows: its parts in order, or tables of what is inside. */
function Ways(props: { shown: Shown; onChange: (shown: Shown) => void }) {
  return (
    <Segments<Shown>
      label="Show"
      value={props.shown}
      choices={{
        parts: 'Parts',
        operators: 'Operators',
        ...(eitherHas('hasDeviceWork') ? { kernels: 'Kernels' } : {}),
      }}
      onChange={props.onChange}
    />
  );
}

export function Execution() {
  const time = useComparedTime();
  const { crumbs, go } = useTrail();
  const path = crumbs.map(({ position }) => position).join('.');
  const { value, error, pending, retry } = useLevel(path);
  const wanted = viewState<Shown>('compare', 'blockShows', 'parts');
  const name = crumbs.at(-1)?.name;
  // All steps have tabs of their own for these tables.
  const known = wanted.value !== 'kernels' || eitherHas('hasDeviceWork');
  const shown = name === undefined || !known ? 'parts' : wanted.value;
  const enter = (part: Part): void => {
    if (part.position === undefined) return;
    go([...crumbs, { position: part.position, name: part.name }]);
  };
  return (
    <>
      <div class="level-head">
        <Crumbs root="All steps" crumbs={crumbs} go={go} />
        {name === undefined ? null : (
          <Ways shown={shown} onChange={(next) => (wanted.value = next)} />
        )}
      </div>
      {shown !== 'parts' ? (
        <section aria-label={`Tables of ${visible(name ?? '')}`}>
          <CompareTable
            name={shown === 'kernels' ? 'Kernels' : 'Operators'}
            by={shown}
            block={path}
          />
        </section>
      ) : error !== undefined ? (
        <Failure error={error} retry={retry} />
      ) : value === undefined || time === undefined ? (
        <Waiting what="Aligning" />
      ) : (
        <div class={pending ? 'stale' : ''}>
          <Level
            key={path}
            level={value}
            time={time}
            enter={enter}
            leave={() => go(crumbs.slice(0, -1))}
          />
        </div>
      )}
    </>
  );
}
