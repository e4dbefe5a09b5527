// A ring of the largest parts with its legend; the table twin lists every part with its share.
import { useRef, useState } from 'preact/hooks';
import { partColor } from '../lib/colors.ts';
import { columnScale, exact, fixed, quantity, share, visible, type Unit } from '../lib/format.ts';
import { shownNames } from '../lib/names.ts';
import { arcPath, topParts, type RingPart } from '../lib/ring.ts';
import { ChartMenu } from './chart_menu.tsx';
import { useKept } from './kept.ts';
import { Name } from './name.tsx';
import { Panel } from './panel.tsx';
import { PlainTable } from './plain_table.tsx';

const restColor =
  'color-mix(in srgb, var(--vscode-foreground) 30%, var(--vscode-editor-background))';

export function RingChart(props: {
  title: string;
  definition: string;
  unit: Unit;
  parts: readonly RingPart[];
  /** How many parts are drawn; the others become one part. */
  top: number;
  /** What all parts add up to, when `parts` does not hold them all. */
  total?: number;
  colors?: readonly string[];
  onPick?: (name: string) => void;
}) {
  const root = useRef<HTMLDivElement>(null);
  const asTable = useKept(`${props.title}AsTable`, false);
  const [hot, setHot] = useState(-1);
  const { top, rest, restCount } = topParts(props.parts, props.top);
  const sum = top.reduce((all, part) => all + part.value, rest);
  const total = Math.max(props.total ?? sum, sum);
  const missing = total - sum;
  const others = rest + (missing > total * 1e-6 ? missing : 0);
  const slices = top.map((part, index) => ({
    ...part,
    color: props.colors?.[index] ?? partColor(index),
    other: false,
  }));
  if (others > 0) {
    slices.push({
      name: restCount > 0 && missing <= total * 1e-6 ? `${restCount} others` : 'Others',
      value: others,
      color: restColor,
      other: true,
    });
  }
  const names = shownNames(slices.map((slice) => slice.name));
  let at = 0;
  const arcs = slices.map((slice) => {
    const from = at / total;
    at += slice.value;
    return { ...slice, path: arcPath(from, at / total, 30, 48) };
  });
  const shown = arcs[hot];
  const scale = columnScale(props.unit, slices[0]?.value ?? 0);
  return (
    <Panel
      title={props.title}
      definition={props.definition}
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
              {
                title: 'Share (%)',
                numeric: true,
                definition: 'Part of the whole.',
              },
            ]}
            rows={slices.map((slice) => [
              visible(slice.name),
              fixed(slice.value / scale.divisor, scale.digits),
              total > 0 ? fixed((100 * slice.value) / total, 2) : '',
            ])}
          />
        ) : (
          <div class="ring">
            <svg
              class="chart"
              viewBox="-50 -50 100 100"
              role="img"
              aria-label={`${props.title}: ${slices
                .slice(0, 3)
                .map((slice) => `${visible(slice.name)} ${share(slice.value, total)}`)
                .join(', ')}`}
            >
              {arcs.map((arc, index) => (
                <path
                  key={index}
                  d={arc.path}
                  fill={arc.color}
                  class={`arc ${hot === index ? 'hot' : ''}`}
                  onPointerEnter={() => setHot(index)}
                  onPointerLeave={() => setHot(-1)}
                >
                  <title>{`${visible(arc.name)}\n${exact(arc.value, props.unit)}\n${share(arc.value, total)}`}</title>
                </path>
              ))}
              <text class="ring-value" x="0" y="-1" text-anchor="middle">
                {shown === undefined
                  ? quantity(total, props.unit)
                  : quantity(shown.value, props.unit)}
              </text>
              <text class="ring-note" x="0" y="9" text-anchor="middle">
                {shown === undefined ? 'total' : share(shown.value, total)}
              </text>
            </svg>
            <ol class="legend">
              {arcs.map((arc, index) => {
                const label = (
                  <>
                    <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                      <rect width="10" height="10" rx="2" fill={arc.color} />
                    </svg>
                    <span class="legend-name">
                      <Name whole={arc.name} shown={names.get(arc.name) ?? arc.name} />
                    </span>
                    <span class="legend-share">{share(arc.value, total)}</span>
                  </>
                );
                const title = `${visible(arc.name)}: ${exact(arc.value, props.unit)}`;
                return (
                  <li
                    key={index}
                    class={hot === index ? 'hot' : ''}
                    onPointerEnter={() => setHot(index)}
                    onPointerLeave={() => setHot(-1)}
                  >
                    {arc.other || props.onPick === undefined ? (
                      <span class="legend-item" title={title}>
                        {label}
                      </span>
                    ) : (
                      <button
                        type="button"
                        class="legend-item"
                        title={title}
                        onFocus={() => setHot(index)}
                        onBlur={() => setHot(-1)}
                        onClick={() => props.onPick!(arc.name)}
                      >
                        {label}
                      </button>
                    )}
                  </li>
                );
              })}
            </ol>
          </div>
        )}
      </div>
    </Panel>
  );
}
