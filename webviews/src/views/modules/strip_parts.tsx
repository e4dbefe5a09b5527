// What stands around the bars of the operator strip: the facts of the selected one, the twin as a
// table, the tooltip.
import type { Signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import type { SliceDetail } from '#shared/protocol.ts';
import { ask } from '../../host/query.ts';
import { fixed } from '#shared/numbers.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ActionButton, LinkButton } from '../../widgets/controls.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import type { RowAction } from '../../widgets/table/actions.tsx';
import { Tooltip } from '../../widgets/tooltip.tsx';
import { filterFor, viewAction } from '../links.ts';
import { nameOf, type Bar } from './bars.ts';
import { moduleOf, stripKind } from './strip.ts';
import { modulesTexts } from './texts.ts';

const maxTwinRows = 500;

function linksOf(detail: SliceDetail): RowAction[] {
  const module = moduleOf(detail.kind, detail.name);
  return [
    ...viewAction('timeline', modulesTexts.showInTimeline, commonTexts.showInTimeline, {
      slice: detail.slice,
    }),
    ...(module !== undefined
      ? viewAction('operators', sharedTexts.operators, commonTexts.showOperatorsInside(module), {
          module,
        })
      : detail.kind === 'cpuOp'
        ? viewAction('operators', sharedTexts.operators, commonTexts.showInOperators(detail.name), {
            filter: `name=${filterFor(detail.name)}`,
          })
        : []),
  ];
}

export function factsOf(detail: SliceDetail): string {
  return modulesTexts.lengthStartAndSelf(detail.durationNs, detail.startNs, detail.selfNs);
}

/** The selected slice with its links, and how many calls of the marked module are in sight. */
export function StripFacts(props: {
  detail: SliceDetail | undefined;
  /** Undefined where everything shows. */
  showAll: (() => void) | undefined;
  marked: Signal<string>;
  markedShown: number;
}) {
  const { detail, marked } = props;
  return (
    <span class="flame-current" role="group" aria-label={commonTexts.selected}>
      {detail === undefined ? (
        <span class="note">{modulesTexts.clickForDetails}</span>
      ) : (
        <>
          <strong>{visible(detail.name)}</strong> <span>{factsOf(detail)}</span>
          {linksOf(detail).map((action) => (
            <LinkButton key={action.label} title={action.title} onClick={action.run}>
              {action.label}
            </LinkButton>
          ))}
        </>
      )}
      {props.showAll === undefined ? null : (
        <ActionButton onClick={props.showAll}>{commonTexts.resetZoom}</ActionButton>
      )}
      {marked.value === '' ? null : (
        <>
          <span class="note">
            {modulesTexts.outlined(props.markedShown, visible(marked.value))}
          </span>
          <ActionButton
            label={modulesTexts.removeOutline(marked.value)}
            onClick={() => (marked.value = '')}
          >
            {commonTexts.clear}
          </ActionButton>
        </>
      )}
    </span>
  );
}

export function StripTable(props: {
  name: string;
  bars: readonly Bar[];
  choose: (bar: Bar) => void;
}) {
  const { bars } = props;
  return (
    <>
      <PlainTable
        stateKey="stripTable"
        label={props.name}
        columns={[
          { title: commonTexts.name },
          { title: commonTexts.kind, definition: modulesTexts.kindHint },
          {
            title: modulesTexts.startUs,
            numeric: true,
            definition: commonTexts.sinceStart,
          },
          { title: modulesTexts.durationUs, numeric: true, definition: modulesTexts.durationHint },
          {
            title: commonTexts.depth,
            numeric: true,
            definition: modulesTexts.depthHint,
          },
        ]}
        rows={bars
          .slice(0, maxTwinRows)
          .map((bar) => [
            bar.slice < 0 ? (
              nameOf(bar)
            ) : (
              <LinkButton onClick={() => props.choose(bar)}>{nameOf(bar)}</LinkButton>
            ),
            stripKind(bar.kind, bar.name) ?? '',
            fixed(bar.startNs / 1e3, 3),
            fixed(bar.durationNs / 1e3, 3),
            String(bar.lane),
          ])}
      />
      {bars.length <= maxTwinRows ? null : (
        <p class="note">{modulesTexts.moreWhenZoomedIn(bars.length - maxTwinRows)}</p>
      )}
    </>
  );
}

/** What the daemon knows of a slice, asked once the pointer rests on it. */
function useHovered(slice: number): SliceDetail | undefined {
  const [known, setKnown] = useState<SliceDetail | undefined>(undefined);
  useEffect(() => {
    if (slice < 0) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      ask('timeline/slice', { slice }, abort.signal).then(setKnown, () => {
        // The tooltip stays without the self time; a selection reports what is wrong.
      });
    }, 80);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [slice]);
  return known?.slice === slice ? known : undefined;
}

export function StripTooltip(props: { bar: Bar; x: number; y: number; width: number }) {
  const { bar, x, y, width } = props;
  const hovered = useHovered(bar.slice);
  return (
    <Tooltip x={x} y={y} width={width} title={nameOf(bar)}>
      <div>{commonTexts.lengthAndStart(bar.durationNs, bar.startNs)}</div>
      {bar.slice < 0 ? (
        <div>{modulesTexts.zoomToSee}</div>
      ) : hovered === undefined ? null : (
        <div>{modulesTexts.self(hovered.selfNs)}</div>
      )}
    </Tooltip>
  );
}
