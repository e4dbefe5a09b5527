// Bars of figures that overlap, such as times with what was called inside: each against the whole,
// never parts of a ring. The table twin lists them.
import { useRef } from 'preact/hooks';
import { partColor } from '../lib/colors.ts';
import { columnScale, exact, fixed, quantity, share, visible, type Unit } from '../lib/format.ts';
import { shownNames } from '../lib/names.ts';
import type { RingPart } from '../lib/ring.ts';
import { ChartMenu } from './chart_menu.tsx';
import { useKept } from './kept.ts';
import { Name } from './name.tsx';
import { Panel } from './panel.tsx';
import { PlainTable } from './plain_table.tsx';

export function ShareBars(props: {
  title: string;
  definition: string;
  unit: Unit;
  parts: readonly RingPart[];
  /** How many bars are drawn. */
  top: number;
  /** What each bar is a share of. */
  total: number;
  onPick: (name: string) => void;
}) {
  const root = useRef<HTMLDivElement>(null);
  const asTable = useKept(`${props.title}AsTable`, false);
  const bars = props.parts.filter(({ value }) => value > 0).slice(0, props.top);
  const names = shownNames(bars.map((bar) => bar.name));
  const scale = columnScale(props.unit, props.total);
  const whole = quantity(props.total, props.unit);
  return (
    <Panel
      title={props.title}
      definition={`${props.definition} Bars overlap: each is a share of ${whole}.`}
      class="ring-panel"
      actions={<ChartMenu name={props.title} chart={root} asTable={asTable} />}
    >
      <div ref={root}>
        {asTable.value ? (
          <PlainTable
            label={props.title}
            columns={[
              { title: 'Name' },
              {
                title: scale.suffix === '' ? 'Value' : `Value (${scale.suffix})`,
                numeric: true,
                definition: props.definition,
              },
              { title: 'Share (%)', numeric: true, definition: `Part of ${whole}.` },
            ]}
            rows={bars.map((bar) => [
              visible(bar.name),
              fixed(bar.value / scale.divisor, scale.digits),
              props.total > 0 ? fixed((100 * bar.value) / props.total, 2) : '',
            ])}
          />
        ) : (
          <>
            <ol class="legend share-bars">
              {bars.map((bar, index) => (
                <li key={index}>
                  <button
                    type="button"
                    class="legend-item"
                    title={`${visible(bar.name)}: ${exact(bar.value, props.unit)}, ${share(bar.value, props.total)} of ${whole}`}
                    onClick={() => props.onPick(bar.name)}
                  >
                    <span class="legend-name">
                      <Name whole={bar.name} shown={names.get(bar.name) ?? bar.name} />
                    </span>
                    <svg
                      class="chart share-bar"
                      viewBox="0 0 100 10"
                      preserveAspectRatio="none"
                      aria-hidden="true"
                    >
                      <rect class="share-bar-whole" width="100" height="10" />
                      <rect
                        width={props.total > 0 ? Math.min(100, (100 * bar.value) / props.total) : 0}
                        height="10"
                        fill={partColor(0)}
                      />
                    </svg>
                    <span class="legend-share">{share(bar.value, props.total)}</span>
                  </button>
                </li>
              ))}
            </ol>
            <p class="note">of {whole}</p>
          </>
        )}
      </div>
    </Panel>
  );
}
