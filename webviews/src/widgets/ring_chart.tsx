// A ring of the largest parts with its legend; the table twin lists every part with its share.
import { useState } from 'preact/hooks';
import { partColor } from '../lib/colors.ts';
import { exact, quantity, share, type Unit } from '#shared/numbers.ts';
import { visible } from '../lib/format.ts';
import { shownNames } from '../lib/names.ts';
import { arcPath, topParts, type RingPart } from '../lib/ring.ts';
import { Name } from './name.tsx';
import { SharePanel } from './share_panel.tsx';

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
  return (
    <SharePanel
      title={props.title}
      definition={props.definition}
      unit={props.unit}
      parts={slices}
      total={total}
      shareDefinition="Part of the whole."
      largest={slices[0]?.value ?? 0}
    >
      {() => (
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
    </SharePanel>
  );
}
