// A panel with a chart of shares of a whole, whose twin is the table of the same figures.
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { columnScale, fixed, type Unit } from '#shared/numbers.ts';
import { visible } from '../lib/format.ts';
import type { Part } from '../lib/parts.ts';
import { commonTexts } from '../lib/texts.ts';
import { ChartMenu } from './chart_menu.tsx';
import { useKept } from './kept.ts';
import { Panel } from './panel.tsx';
import { PlainTable } from './plain_table.tsx';
import { widgetTexts } from './texts.ts';

export function SharePanel(props: {
  /** Keeps apart what is kept of several in one view. */
  stateKey: string;
  title: string;
  /** Of the figures. */
  definition: string;
  unit: Unit;
  parts: readonly Part[];
  /** What the shares are of. */
  total: number;
  /** The size that decides the unit of the table. */
  largest: number;
  /** The chart, drawn where the table does not show. */
  children: () => ComponentChildren;
}) {
  const { title, definition, parts, total } = props;
  const root = useRef<HTMLDivElement>(null);
  const asTable: Signal<boolean> = useKept(`${props.stateKey}AsTable`, false);
  const scale = columnScale(props.unit, props.largest);
  return (
    <Panel
      title={title}
      definition={definition}
      class="share-panel"
      actions={<ChartMenu name={title} chart={root} asTable={asTable} />}
    >
      <div ref={root}>
        {asTable.value ? (
          <PlainTable
            stateKey={`${props.stateKey}Table`}
            label={title}
            columns={[
              { title: commonTexts.name },
              {
                title: scale.suffix === '' ? commonTexts.value : widgetTexts.valueIn(scale.suffix),
                numeric: true,
                definition,
              },
              {
                title: widgetTexts.sharePercent,
                numeric: true,
                definition: widgetTexts.shareOfWholeHint,
              },
            ]}
            rows={parts.map(({ name, value }) => [
              visible(name),
              fixed(value / scale.divisor, scale.digits),
              total > 0 ? fixed((100 * value) / total, 2) : '',
            ])}
          />
        ) : (
          props.children()
        )}
      </div>
    </Panel>
  );
}
