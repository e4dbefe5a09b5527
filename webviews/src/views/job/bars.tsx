// Bars by rank with their table twin.
import { useRef } from 'preact/hooks';
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { exact, fixed } from '#shared/numbers.ts';
import { openRank } from '../../host/host.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { Nothing } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { Legend, StackedBars, type BarPart } from '../../widgets/stacked_bars.tsx';
import { RankLink } from './ranks.tsx';
import type { Summed } from './rows.ts';
import { stripPx } from './strip.ts';
import { jobTexts } from './texts.ts';

export function RankBars(props: {
  stateKey: string;
  title: string;
  definition: string;
  yTitle: string;
  parts: readonly (BarPart & { definition: string })[];
  lines: readonly Summed[];
  asTable: Signal<boolean>;
  tools?: ComponentChildren;
  empty: string;
  /** There are more rows than these are the sums of. */
  cut: boolean;
}) {
  const root = useRef<HTMLDivElement>(null);
  const { parts, lines, title } = props;
  const devices = lines.some(({ device }) => device !== undefined);
  return (
    <Panel
      title={title}
      definition={props.definition}
      actions={
        <>
          {props.tools}
          <ChartMenu name={title} chart={root} asTable={props.asTable} />
        </>
      }
    >
      <div ref={root}>
        {lines.length === 0 ? (
          <Nothing>{props.empty}</Nothing>
        ) : props.asTable.value ? (
          <PlainTable
            stateKey={props.stateKey}
            label={title}
            columns={[
              { title: jobTexts.rank },
              ...(devices ? [{ title: commonTexts.device, numeric: true }] : []),
              { title: jobTexts.sumUs, numeric: true },
              ...parts.map((part) => ({
                title: commonTexts.inUs(part.title),
                numeric: true,
                definition: part.definition,
              })),
            ]}
            rows={lines.map((line) => [
              <RankLink key="rank" rank={line.rank} />,
              ...(devices ? [fixed(line.device ?? 0, 0)] : []),
              ...[line.total, ...line.values].map((us, index) => (
                <span key={index} data-whole={String(us)} title={exact(us, 'us')}>
                  {fixed(us, 1)}
                </span>
              )),
            ])}
          />
        ) : (
          <>
            <StackedBars
              label={title}
              xTitle={devices ? jobTexts.rankAndDevice : jobTexts.rank}
              yTitle={props.yTitle}
              unit="us"
              parts={parts}
              bars={lines}
              // Who sticks out among many must be in sight.
              leastRoom={1}
              height={stripPx}
              onPick={(name) => openRank(Number.parseInt(name, 10))}
            />
            <Legend parts={parts} />
            {props.cut ? <p class="note">{jobTexts.notAllFit}</p> : null}
          </>
        )}
      </div>
    </Panel>
  );
}
