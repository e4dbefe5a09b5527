// The first levels of a chart that may be deep, above a table that comes first.
import type { ComponentChildren } from 'preact';
import { useKept } from './kept.ts';
import { widgetTexts } from './texts.ts';

/** One level more than the first ones is drawn with them: the edge would take nearly as much room. */
const oneLevelPx = 20;

export function Levels(props: {
  /** Keeps apart what is kept of several in one view. */
  stateKey: string;
  name: string;
  /** Height of the whole chart; undefined where it may take all of it. */
  heightPx: number | undefined;
  /** Height of its first levels. */
  lowPx: number;
  /** Something below the first levels is chosen. */
  deep?: boolean;
  children: ComponentChildren;
}) {
  const { name, heightPx } = props;
  const open = useKept(`${props.stateKey}AllLevels`, false);
  if (heightPx === undefined) return <>{props.children}</>;
  const lowPx = heightPx - props.lowPx <= oneLevelPx ? heightPx : props.lowPx;
  const all = open.value || props.deep === true;
  const label = all ? widgetTexts.showFirstLevels : widgetTexts.showAllLevels;
  // What is drawn on must stay the same element while the chart grows.
  return (
    <>
      <div class="levels" style={{ height: `${all ? heightPx : lowPx}px` }}>
        {props.children}
      </div>
      {heightPx <= lowPx ? null : (
        <MoreEdge name={name} label={label} open={all} onClick={() => (open.value = !all)} />
      )}
    </>
  );
}

/** The lower edge of a chart that can be made higher. `label`: what a click does to the chart `name`. */
export function MoreEdge(props: {
  name: string;
  label: string;
  open: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      class="levels-more"
      aria-expanded={props.open}
      aria-label={widgetTexts.labelOf(props.label, props.name)}
      title={props.label}
      onClick={props.onClick}
    >
      <span class="chevron" aria-hidden="true" />
    </button>
  );
}
