// What ran, aligned: one level of both traces at a time, with a path that leads back.
import { useEffect, useRef, useState } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import type { FailureData } from '#shared/messages.ts';
import { sideNames } from '#shared/comparison.ts';
import type { CompareTreeResult } from '#shared/protocol.ts';
import { quantity } from '#shared/numbers.ts';
import { CancelledError, failureOf } from '../../host/host.ts';
import { ask } from '../../host/query.ts';
import { viewState } from '../../host/view_state.ts';
import { epoch, carried } from '../../host/store.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { ActionButton, LinkButton, Segments } from '../../widgets/controls.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { ChangeMark, changeOf, signed } from './change.tsx';
import { describe, LevelChart, LevelLegend } from './level_chart.tsx';
import { elsewhereText, kindText, partsOf, type Part } from './level.ts';
import { timelineAction } from './links.ts';
import { eitherHas, useComparedTime, type ComparedTime } from './state.ts';
import { CompareTable } from './tables.tsx';
import { comparisonTexts } from './texts.ts';

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
    <nav class="crumbs" aria-label={commonTexts.path}>
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
        <LinkButton title={comparisonTexts.lookInside(part.name)} onClick={() => props.open(part)}>
          {comparisonTexts.inside}
        </LinkButton>
      )}
      {sideNames.map((side) => {
        const slice = part.slices[side];
        if (slice === undefined) return null;
        const action = timelineAction(side, { slice });
        return (
          <LinkButton key={side} title={action.title} onClick={action.run}>
            {props.short === true ? action.label : comparisonTexts.timelineOf(action.label)}
          </LinkButton>
        );
      })}
    </>
  );
}

function Twin(props: { parts: readonly Part[]; open: (part: Part) => void }) {
  return (
    <PlainTable
      stateKey="alignedExecution"
      label={comparisonTexts.alignedExecution}
      columns={[
        { title: commonTexts.part },
        { title: commonTexts.kind },
        { title: comparisonTexts.change },
        { title: sharedTexts.baseline, numeric: true },
        { title: sharedTexts.candidate, numeric: true },
        { title: comparisonTexts.difference, numeric: true },
        { title: comparisonTexts.baselineSoFar, numeric: true },
        { title: comparisonTexts.candidateSoFar, numeric: true },
        { title: comparisonTexts.differenceSoFar, numeric: true },
        { title: commonTexts.goTo },
      ]}
      rows={props.parts.map((part) => [
        <span key="name" data-whole={part.name}>
          {visible(part.name)}
        </span>,
        kindText(part),
        <>
          <ChangeMark
            key="change"
            change={{ ...part.change, word: elsewhereText(part) ?? part.change.word }}
          />
          {part.moved ? `, ${comparisonTexts.moved}` : ''}
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
  const elsewhere = elsewhereText(part);
  return (
    <p class="part-current">
      <strong>{name}</strong>
      <span>{times}</span>
      <ChangeMark change={{ ...part.change, word: difference! }} />
      {elsewhere === undefined ? null : <span>{elsewhere}</span>}
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
      title={comparisonTexts.alignedExecutionTime(time)}
      definition={time === 'device' ? comparisonTexts.deviceTimeHint : comparisonTexts.hostTimeHint}
      actions={
        <>
          {folded || whole.value ? (
            <ActionButton pressed={whole.value} onClick={() => (whole.value = !whole.value)}>
              {comparisonTexts.smallPartsShown}
            </ActionButton>
          ) : null}
          <ChartMenu name={comparisonTexts.alignedExecution} chart={root} asTable={asTable} />
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
        />{' '}
        {comparisonTexts.inParts(level.totalChildren, rest)}
      </p>
      <div ref={root}>
        {asTable.value ? (
          <Twin parts={parts} open={open} />
        ) : parts.length <= 1 ? (
          <Nothing>{comparisonTexts.noWorkInside(time)}</Nothing>
        ) : (
          <>
            <LevelLegend />
            <Current part={parts[active]} open={open} />
            <LevelChart
              label={comparisonTexts.alignedExecutionOfBoth}
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
      label={sharedTexts.show}
      value={props.shown}
      choices={{
        parts: comparisonTexts.parts,
        operators: sharedTexts.operators,
        ...(eitherHas('hasDeviceWork') ? { kernels: sharedTexts.kernels } : {}),
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
        <Crumbs root={commonTexts.allSteps} crumbs={crumbs} go={go} />
        {name === undefined ? null : (
          <Ways shown={shown} onChange={(next) => (wanted.value = next)} />
        )}
      </div>
      {shown !== 'parts' ? (
        <section aria-label={comparisonTexts.tablesOf(visible(name ?? ''))}>
          <CompareTable
            name={shown === 'kernels' ? sharedTexts.kernels : sharedTexts.operators}
            rows={shown === 'kernels' ? commonTexts.kernelRows : commonTexts.operatorRows}
            by={shown}
            block={path}
          />
        </section>
      ) : error !== undefined ? (
        <Failure error={error} retry={retry} />
      ) : value === undefined || time === undefined ? (
        <Waiting what={comparisonTexts.aligning} />
      ) : (
        <div class={pending ? 'stale' : ''} aria-busy={pending}>
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
