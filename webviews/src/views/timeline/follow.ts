// Navigations to the timeline: what another view, a link or a line of code asked for.
import type { Navigation } from '#shared/messages.ts';
import { ask } from '../../host/query.ts';
import { announce } from '../../host/store.ts';
import { lineParams } from './panels/search.tsx';
import { panel, searchExact, select, setWindow } from './state.ts';
import { timelineTexts } from './texts.ts';

/** Shows what a navigation names. */
export async function follow(to: Navigation): Promise<void> {
  if (to.range !== undefined) setWindow(to.range.startNs, to.range.endNs);
  if (to.slice !== undefined) {
    await select(to.slice);
    panel.value = 'details';
  } else if (to.line !== undefined || to.search !== undefined) {
    searchExact.value = to.line !== undefined ? { line: to.line } : { name: to.search! };
    panel.value = 'search';
    const results =
      to.line !== undefined
        ? (await ask('source/lineSlices', lineParams(to.line))).slices
        : (await ask('timeline/search', { name: to.search!, limit: 200 })).results;
    const first = results[0];
    if (first !== undefined) await select(first.slice);
    else announce(timelineTexts.noSliceFound);
  }
}
