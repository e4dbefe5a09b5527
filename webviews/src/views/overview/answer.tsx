// What the overview begins with: the answer in one sentence, what to do first, and the lines of the
// user's code that cost the most.
import type { HotLine, ViewOverviewResult } from '#shared/protocol.ts';
import { formatShare, formatUs } from '#shared/numbers.ts';
import { openSource } from '../../host/host.ts';
import { viewAction } from '../../host/links.ts';
import { useAnswer } from '../../host/query.ts';
import { deviceKind, trace } from '../../host/store.ts';
import { fileName, visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { LinkButton } from '../../widgets/controls.tsx';
import { Failure, Nothing, Waiting, isCut } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { overviewTexts } from './texts.ts';

/** Figures with their units, "4.01 of 33.8 ms" as one, which no line may break. */
const figures = /(\d[\d.,]*(?: of \d[\d.,]*)? (?:ns|\u00b5s|ms|s|%))/;

export function Headline(props: { result: ViewOverviewResult; roomy: boolean }) {
  const { headline, hasDeviceWork } = props.result;
  if (headline.text === '') return null;
  return (
    <section
      class={`headline ${headline.bound} ${props.roomy ? 'roomy' : ''}`}
      aria-label={commonTexts.answer}
    >
      <p class="headline-text">
        {visible(headline.text)
          .split(figures)
          .map((part, index) =>
            index % 2 === 0 ? (
              part
            ) : (
              <span key={index} class="figure">
                {part}
              </span>
            ),
          )}
      </p>
      {hasDeviceWork ? (
        <svg
          class="headline-bar"
          viewBox="0 0 100 6"
          preserveAspectRatio="none"
          role="img"
          aria-label={overviewTexts.busy(deviceKind.value, headline.busy)}
        >
          <rect class="headline-all" width="100" height="6" />
          <rect class="headline-busy" width={100 * Math.min(1, headline.busy)} height="6" />
        </svg>
      ) : null}
    </section>
  );
}

/** So many lines stand above the fold. */
const shownLines = 5;

function HotLineRow(props: { line: HotLine; device: boolean; most: number }) {
  const { line, device, most } = props;
  const { cost } = line;
  const us = device ? cost.deviceSelfUs : cost.hostSelfUs;
  const onlyFunction = cost.confidence === 'function';
  const place = `${fileName(cost.file)}:${cost.line}`;
  return (
    <li>
      <button
        type="button"
        class="hot-line"
        title={overviewTexts.openLine(
          visible(cost.file),
          cost.line,
          visible(cost.function),
          onlyFunction,
        )}
        onClick={(event) =>
          openSource(
            {
              file: cost.file,
              line: cost.line,
              function: cost.function,
              lineIsDefinition: onlyFunction,
            },
            event.ctrlKey || event.metaKey,
          )
        }
      >
        <span class="hot-place">
          <bdi dir="ltr">{visible(place)}</bdi>
        </span>
        <code class="hot-text">{visible(line.text === '' ? cost.function : line.text)}</code>
        <svg class="hot-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect width={most > 0 ? (100 * line.share) / most : 0} height="8" />
        </svg>
        <span class="hot-figure">{`${formatUs(us)}, ${formatShare(line.share)}`}</span>
      </button>
    </li>
  );
}

/** `later`: the whole trace is still being read. */
export function HottestLines(props: { later: boolean }) {
  const { value, error, retry } = useAnswer(
    'source/hotLines',
    props.later ? undefined : { limit: shownLines },
  );
  const all = viewAction('lines', overviewTexts.allLines, overviewTexts.allLinesHint, {
    groupBy: 'line',
  });
  const body =
    error !== undefined ? (
      <Failure error={error} retry={retry} />
    ) : value === undefined ? (
      <Waiting what={props.later ? overviewTexts.linesLater : overviewTexts.readingLines} />
    ) : value.lines.length === 0 ? (
      <Nothing>
        {overviewTexts.nothingOnLines}{' '}
        {trace.value !== undefined && isCut(trace.value)
          ? overviewTexts.stacksMayBeMissing
          : trace.value?.hasStacks === true
            ? null
            : overviewTexts.toRecordStacks(<code key="argument">with_stack=True</code>)}
      </Nothing>
    ) : (
      <ol class="hot-lines">
        {value.lines.map((line, index) => (
          <HotLineRow
            key={index}
            line={line}
            device={value.hasDeviceWork}
            most={value.lines[0]!.share}
          />
        ))}
      </ol>
    );
  return (
    <Panel
      title={overviewTexts.hottestLines}
      definition={overviewTexts.hottestLinesHint(
        value?.hasDeviceWork,
        value?.deviceKind ?? deviceKind.value,
        shownLines,
      )}
      actions={(value?.lines.length === 0 ? [] : all).map((action) => (
        <LinkButton key={action.label} title={action.title} onClick={action.run}>
          {action.label}
        </LinkButton>
      ))}
    >
      {body}
    </Panel>
  );
}
