// Bars of figures that overlap, such as times with what was called inside: each against the whole,
// never parts of a ring. The table twin lists them.
import { partColor } from '../lib/colors.ts';
import { exact, quantity, share, type Unit } from '#shared/numbers.ts';
import { visible } from '../lib/format.ts';
import { shownNames } from '../lib/names.ts';
import type { RingPart } from '../lib/ring.ts';
import { Name } from './name.tsx';
import { SharePanel } from './share_panel.tsx';

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
  const bars = props.parts.filter(({ value }) => value > 0).slice(0, props.top);
  const names = shownNames(bars.map((bar) => bar.name));
  const whole = quantity(props.total, props.unit);
  return (
    <SharePanel
      title={props.title}
      definition={props.definition}
      note={`Bars overlap: each is a share of ${whole}.`}
      unit={props.unit}
      parts={bars}
      total={props.total}
      shareDefinition={`Part of ${whole}.`}
      largest={props.total}
    >
      {() => (
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
    </SharePanel>
  );
}
