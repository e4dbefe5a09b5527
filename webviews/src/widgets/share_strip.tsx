// One horizontal bar of the largest parts of a whole, with its legend below; the table twin lists every
// part with its share.
import { useState } from 'preact/hooks';
import { partColors } from '../lib/colors.ts';
import { exact, share, type Unit } from '#shared/numbers.ts';
import { visible } from '../lib/format.ts';
import { legendNames } from '../lib/legend_names.ts';
import { topParts, type Part } from '../lib/parts.ts';
import { SharePanel } from './share_panel.tsx';
import { widgetTexts } from './texts.ts';

const restColor =
  'color-mix(in srgb, var(--vscode-foreground) 30%, var(--vscode-editor-background))';

/** Thousandths of the bar: the lines around narrower parts would leave nothing of them. */
const thinnest = 3;

export function ShareStrip(props: {
  /** Keeps apart what is kept of several in one view. */
  stateKey: string;
  title: string;
  definition: string;
  unit: Unit;
  parts: readonly Part[];
  /** How many parts are drawn; the others become one part. */
  top: number;
  /** What all parts add up to, when `parts` does not hold them all. */
  total?: number;
  /** By part; otherwise a name has the same color in every view. */
  colors?: readonly string[];
  onPick?: (name: string) => void;
}) {
  const [hot, setHot] = useState(-1);
  const { top, rest, restCount } = topParts(props.parts, props.top);
  const sum = top.reduce((all, part) => all + part.value, rest);
  const total = Math.max(props.total ?? sum, sum);
  const missing = total - sum;
  const others = rest + (missing > total * 1e-6 ? missing : 0);
  const colors = props.colors ?? partColors(top.map((part) => part.name));
  const slices = top.map((part, index) => ({
    ...part,
    color: colors[index]!,
    other: false,
  }));
  if (others > 0) {
    slices.push({
      name:
        restCount > 0 && missing <= total * 1e-6
          ? widgetTexts.others(restCount)
          : widgetTexts.otherParts,
      value: others,
      color: restColor,
      other: true,
    });
  }
  const names = legendNames(slices.map((slice) => slice.name));
  let at = 0;
  const drawn = slices.map((slice) => {
    const from = at;
    at += slice.value;
    return { ...slice, from: (1000 * from) / total, width: (1000 * slice.value) / total };
  });
  return (
    <SharePanel
      stateKey={props.stateKey}
      title={props.title}
      definition={props.definition}
      unit={props.unit}
      parts={slices}
      total={total}
      largest={slices[0]?.value ?? 0}
    >
      {() => (
        <>
          <svg
            class="chart share-bar"
            viewBox="0 0 1000 12"
            preserveAspectRatio="none"
            role="img"
            aria-label={`${props.title}: ${slices
              .slice(0, 3)
              .map((slice) => `${visible(slice.name)} ${share(slice.value, total)}`)
              .join(', ')}`}
          >
            {drawn.map((part, index) => (
              <rect
                key={index}
                x={part.from}
                width={part.width}
                height="12"
                fill={part.color}
                class={`part ${part.width < thinnest ? 'thin' : ''} ${hot === index ? 'hot' : ''}`}
                onPointerEnter={() => setHot(index)}
                onPointerLeave={() => setHot(-1)}
                onClick={() => (part.other ? undefined : props.onPick?.(part.name))}
              >
                <title>{`${visible(part.name)}\n${exact(part.value, props.unit)}\n${share(part.value, total)}`}</title>
              </rect>
            ))}
          </svg>
          <ol class="legend strip-legend">
            {drawn.map((part, index) => {
              const label = (
                <>
                  <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
                    <rect width="10" height="10" rx="2" fill={part.color} />
                  </svg>
                  <span class="legend-name">{visible(names.get(part.name) ?? part.name)}</span>
                  <span class="legend-share">{share(part.value, total)}</span>
                </>
              );
              const title = `${visible(part.name)}: ${exact(part.value, props.unit)}`;
              return (
                <li
                  key={index}
                  class={hot === index ? 'hot' : ''}
                  onPointerEnter={() => setHot(index)}
                  onPointerLeave={() => setHot(-1)}
                >
                  {part.other || props.onPick === undefined ? (
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
                      onClick={() => props.onPick!(part.name)}
                    >
                      {label}
                    </button>
                  )}
                </li>
              );
            })}
          </ol>
        </>
      )}
    </SharePanel>
  );
}
