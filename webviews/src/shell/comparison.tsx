// The frame of a comparison: its two sides, what is compared, and the tabs.
import {
  bothSides,
  sideNames,
  swapped,
  writeComparisonLink,
  type SideName,
} from '#shared/comparison.ts';
import { useEffect } from 'preact/hooks';
import { copyText, swapSides } from '../host/host.ts';
import { loadWhenIdle } from '../host/late.ts';
import { selectSideSteps, selectSideTrace } from '../host/choices.ts';
import { stateNow, viewState } from '../host/view_state.ts';
import { announce, compared, linkBase, type ComparedSide } from '../host/store.ts';
import { useAnswer } from '../host/query.ts';
import { visible } from '../lib/format.ts';
import { commonTexts } from '../lib/texts.ts';
import { ActionButton, Segments } from '../widgets/controls.tsx';
import { sideTitles } from '../views/compare/links.ts';
import { sideColors } from '../views/compare/level_chart.tsx';
import {
  bothHaveDevice,
  chosenTime,
  swappedState,
  VerdictContext,
  type ComparedTime,
} from '../views/compare/state.ts';
import { comparisonTabs } from '../views/compare/tabs.ts';
import { TraceSelectors } from './selectors.tsx';
import { Loading } from './states.tsx';
import { Tabs } from './tabs.tsx';
import { shellTexts } from './texts.ts';
import { ViewBody } from './view_body.tsx';

function Side(props: { name: SideName; side: ComparedSide }) {
  const { name, side } = props;
  const folder = side.path.replace(/[/\\][^/\\]*$/, '').replace(/^.*[/\\]/, '');
  return (
    <div class="side" role="group" aria-label={sideTitles[name]}>
      <span class="side-role">
        <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
          <rect width="10" height="10" rx="2" fill={sideColors[name]} />
        </svg>
        {sideTitles[name]}
      </span>
      <span class="side-name" title={visible(side.path)}>
        <strong>{visible(side.title)}</strong>
        {folder === '' ? null : <span class="side-folder">{visible(folder)}</span>}
      </span>
      {side.loaded === undefined ? null : (
        <TraceSelectors
          label={shellTexts.selectionOf(name)}
          info={side.loaded.trace}
          found={side.loaded.profile}
          selection={side.selection}
          onTrace={(next) => void selectSideTrace(name, next)}
          onSteps={(steps) => selectSideSteps(name, steps)}
        />
      )}
    </div>
  );
}

function swap(): void {
  const state = stateNow();
  const { compare } = state.views;
  // A path leads through the parts of the baseline first.
  const kept = {
    ...swappedState((compare ?? {}) as Record<string, unknown>),
    trail: [],
    trailOf: '',
  };
  swapSides({
    ...state,
    views: { ...state.views, compare: kept },
    ...(state.sides === undefined ? {} : { sides: swapped(state.sides) }),
  });
}

export function Comparison() {
  const sides = compared.value;
  const loaded = sides?.baseline.loaded !== undefined && sides.candidate.loaded !== undefined;
  const chosen = chosenTime();
  const params = chosen.value === '' ? {} : { time: chosen.value };
  const verdict = useAnswer('compare/verdict', loaded ? params : undefined);
  const tab = viewState('compare', 'tab', 'overview');
  useEffect(() => {
    if (loaded) loadWhenIdle(comparisonTabs().map(({ body }) => body));
  }, [loaded]);
  if (sides === undefined || !loaded) return <Loading stage="" percent={undefined} />;
  const tabs = comparisonTabs();
  const current = tabs.find(({ name }) => name === tab.value) ?? tabs[0]!;
  const copyLink = (): void => {
    const comparison = bothSides((side) => ({
      ...sides[side].selection,
      path: sides[side].path,
    }));
    copyText(writeComparisonLink(linkBase.value, comparison));
    announce(commonTexts.linkCopied);
  };
  return (
    <VerdictContext.Provider value={verdict}>
      <main class="profile">
        <div class="sides">
          <div class="sides-names">
            {sideNames.map((name) => (
              <Side key={name} name={name} side={sides[name]} />
            ))}
          </div>
          <div class="sides-tools">
            {bothHaveDevice() ? (
              <Segments<ComparedTime>
                label={commonTexts.time}
                value={chosen.value === '' ? (verdict.value?.time ?? 'device') : chosen.value}
                choices={{ host: commonTexts.host, device: commonTexts.device }}
                onChange={(next) => (chosen.value = next)}
              />
            ) : null}
            <ActionButton title={shellTexts.swapSidesHint} onClick={swap}>
              {shellTexts.swapSides}
            </ActionButton>
            <ActionButton title={shellTexts.copyLinkHint} onClick={copyLink}>
              {commonTexts.copyLink}
            </ActionButton>
          </div>
        </div>
        <header class="shell-header">
          <Tabs entries={tabs} current={current} onPick={(name) => (tab.value = name)} />
        </header>
        <ViewBody key={current.name} view="compare" tab={current.name} body={current.body} />
      </main>
    </VerdictContext.Provider>
  );
}
