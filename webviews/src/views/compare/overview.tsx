// The answer first: what changed, by what, and then every figure of the overview on both sides.
import { useRef } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import type { CompareChange, CompareFigure, CompareVerdictResult } from '#shared/protocol.ts';
import { quantity, type Unit } from '#shared/numbers.ts';
import { openSource } from '../../host/host.ts';
import { fileName, unbroken, visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { LinkButton } from '../../widgets/controls.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { TableMenu } from '../../widgets/table_menu.tsx';
import { ChangeMark, changeOf, moodOf, signed } from './change.tsx';
import { useVerdict } from './state.ts';
import { comparisonTexts } from './texts.ts';

function ChangeItem({ change, longest }: { change: CompareChange; longest: number }) {
  const { name, status, baselineUs, candidateUs, deltaUs, beyondNoise, file, line, side } = change;
  const told = changeOf(status, deltaUs, 'us', beyondNoise, [baselineUs, candidateUs]);
  const plain = beyondNoise === false || (status === 'both' && told.mood === 'plain');
  const mood = plain ? 'plain' : moodOf(deltaUs, 'us');
  const open = (): void => {
    if (file === undefined) return;
    openSource({ file, line: line ?? 1, function: name }, false, side);
  };
  return (
    <li class="change-item">
      <span class="change-name">
        <strong>{visible(name)}</strong>
        {file === undefined ? null : (
          <LinkButton
            title={comparisonTexts.openLineOf(file, line === undefined ? '' : `:${line}`, side)}
            onClick={open}
          >
            {`${visible(fileName(file))}${line === undefined ? '' : `:${line}`}`}
          </LinkButton>
        )}
        {status === 'both' && !plain ? null : <ChangeMark change={told} />}
      </span>
      <span class={`change-delta ${mood}`}>{signed(deltaUs, 'us')}</span>
      <span class="change-times">
        {`${quantity(baselineUs, 'us')} \u2192 ${quantity(candidateUs, 'us')}`}
      </span>
      <svg class="change-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class={`delta-fill ${mood}`} width={(100 * Math.abs(deltaUs)) / longest} height="4" />
      </svg>
    </li>
  );
}

/** Changes that are this much smaller than the largest say nothing beside it. */
const tellingPart = 1 / 500;

function Changes(props: {
  title: string;
  none: string;
  changes: readonly CompareChange[];
  longest: number;
}) {
  const telling = props.changes.filter(
    ({ deltaUs }) => Math.abs(deltaUs) >= props.longest * tellingPart,
  );
  return (
    <Panel title={props.title} class="changes">
      {telling.length === 0 ? (
        <Nothing>{props.none}</Nothing>
      ) : (
        <ol class="change-list">
          {telling.map((change, index) => (
            <ChangeItem key={index} change={change} longest={props.longest} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** What is known of a figure's noise, in words. */
function noiseText(figure: CompareFigure): string {
  if (figure.noise === null) return commonTexts.unknownWord;
  return `\u00b1${quantity(figure.noise, figure.unit as Unit)}`;
}

function Figures({ result }: { result: CompareVerdictResult }) {
  const root = useRef<HTMLDivElement>(null);
  const known = result.figures.some((figure) => figure.noise !== null);
  return (
    <Panel
      title={commonTexts.figures}
      definition={comparisonTexts.figuresHint}
      actions={<TableMenu name={commonTexts.figures} place={root} />}
    >
      <div ref={root} class="both-sides">
        <PlainTable
          stateKey="figuresBothSides"
          label={comparisonTexts.figuresBothSides}
          columns={[
            { title: commonTexts.figure },
            { title: sharedTexts.baseline, numeric: true },
            { title: sharedTexts.candidate, numeric: true },
            { title: sharedTexts.delta, numeric: true, definition: comparisonTexts.deltaHint },
            {
              title: comparisonTexts.deltaPercent,
              numeric: true,
              definition: comparisonTexts.deltaPercentHint,
            },
            {
              title: comparisonTexts.noise,
              numeric: true,
              definition: comparisonTexts.noiseHint,
            },
            { title: comparisonTexts.change },
          ]}
          rows={result.figures.map((figure) => {
            const unit = figure.unit as Unit;
            const sides = [figure.baseline, figure.candidate];
            const change = changeOf(figure.status, figure.delta, unit, figure.beyondNoise, sides);
            return [
              <span key="name" title={figure.definition}>
                {visible(figure.name)}
              </span>,
              quantity(figure.baseline, unit),
              quantity(figure.candidate, unit),
              <span key="delta" class={`change ${change.mood}`}>
                {signed(figure.delta, unit)}
              </span>,
              signed(figure.deltaPercent, 'percent'),
              noiseText(figure),
              <ChangeMark key="change" change={change} />,
            ];
          })}
        />
      </div>
      <p class="note">
        {known
          ? comparisonTexts.withinNoiseNote(result.verdict.test)
          : comparisonTexts.noiseUnknown}
      </p>
    </Panel>
  );
}

const levelTitles: Record<string, string> = {
  functions: comparisonTexts.byFunction,
  modules: comparisonTexts.byModule,
  operators: comparisonTexts.byOperator,
  kernels: comparisonTexts.byKernel,
};

export function ComparisonOverview() {
  const { value, error, retry, pending } = useVerdict();
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={comparisonTexts.comparing} />;
  const { verdict, grew, shrank, notes, level, time } = value;
  const longest = [...grew, ...shrank].reduce(
    (most, change) => Math.max(most, Math.abs(change.deltaUs)),
    1e-9,
  );
  const change = changeOf('both', verdict.deltaUs, 'us', verdict.beyondNoise);
  const by = comparisonTexts.timePerStep(time, levelTitles[level] ?? '');
  return (
    <div class={pending ? 'comparison stale' : 'comparison'} aria-busy={pending}>
      <section class={`verdict ${change.mood}`} aria-label={comparisonTexts.verdict}>
        <span class="verdict-shape" aria-hidden="true">
          {change.shape}
        </span>
        <div>
          <h1>{unbroken(visible(verdict.text))}</h1>
          {notes.length === 0 ? null : (
            <ul class="verdict-notes">
              {notes.map((note) => (
                <li key={note}>{visible(note)}</li>
              ))}
            </ul>
          )}
        </div>
      </section>
      {level === '' ? null : (
        <section class="causes" aria-label={comparisonTexts.whatGrewAndShrank}>
          <p class="note">{comparisonTexts.excludingCalled(by)}</p>
          <div class="causes-lists">
            <Changes
              title={comparisonTexts.grew}
              none={comparisonTexts.nothingGotSlower}
              changes={grew}
              longest={longest}
            />
            <Changes
              title={comparisonTexts.shrank}
              none={comparisonTexts.nothingGotFaster}
              changes={shrank}
              longest={longest}
            />
          </div>
        </section>
      )}
      <Figures result={value} />
    </div>
  );
}
