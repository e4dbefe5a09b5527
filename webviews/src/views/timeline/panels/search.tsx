// The search over all slices of the trace, and the slices of a line of code.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { SourceLineSlicesResult, TimelineSearchResult } from '#shared/protocol.ts';
import type { PageParams } from '#shared/requests.ts';
import { useAnswer } from '../../../host/query.ts';
import { exact, fixed, quantity } from '#shared/numbers.ts';
import { visible } from '../../../lib/format.ts';
import { columnNames } from '../../../lib/legend_names.ts';
import { commonTexts } from '../../../lib/texts.ts';
import { Check } from '../../../widgets/check.tsx';
import { ActionButton, Button, LinkButton } from '../../../widgets/controls.tsx';
import { FilterBox } from '../../../widgets/fields.tsx';
import { Select } from '../../../widgets/select.tsx';
import { ShortName } from '../../../widgets/name.tsx';
import { Failure, Nothing, Waiting } from '../../../widgets/notices.tsx';
import { PlainTable } from '../../../widgets/plain_table.tsx';
import {
  found,
  searchExact,
  searchKind,
  searchModule,
  searchRegex,
  searchText,
  select,
  tracks,
} from '../state.ts';
import { failed } from '../status.ts';
import { SliceLink, kindNames } from './parts.tsx';
import { panelTexts } from './texts.ts';

/** Parameters of the slices of one line of code, as the lines view and the editor place them. */
export function lineParams(line: { file: string; line: number }): PageParams<'source/lineSlices'> {
  return { file: line.file, line: line.line, limit: 1000 };
}

/** The slices of a line in the form of a search's answer. */
function ofLine(answer: SourceLineSlicesResult): SearchResult {
  const counts = new Map<number, number>();
  for (const { track } of answer.slices) counts.set(track, (counts.get(track) ?? 0) + 1);
  return {
    total: answer.total,
    byTrack: [...counts].map(([track, count]) => ({ track, count })),
    results: answer.slices.slice(0, 200),
  };
}

type SearchResult = Pick<TimelineSearchResult, 'total' | 'byTrack' | 'results'> &
  Partial<Pick<TimelineSearchResult, 'sumNs' | 'byName' | 'names'>>;

/** What to search for: text, kind and module, or what a link asked for. */
function SearchForm() {
  const exact = searchExact.value;
  return (
    <div class="tl-search-form">
      {exact === undefined ? (
        <>
          <FilterBox
            label={panelTexts.findSlices}
            placeholder={searchRegex.value ? panelTexts.regularExpression : panelTexts.textInName}
            value={searchText.value}
            onChange={(text) => {
              searchText.value = text;
            }}
          />
          <Check
            label={panelTexts.regularExpression}
            checked={searchRegex.value}
            onChange={(checked) => {
              searchRegex.value = checked;
            }}
          />
        </>
      ) : (
        <p>
          {exact.name === undefined ? (
            panelTexts.slicesOfLine(visible(exact.line?.file ?? ''), exact.line?.line ?? 0)
          ) : (
            <span title={visible(exact.name)}>
              <ShortName whole={exact.name} />
            </span>
          )}{' '}
          <ActionButton
            onClick={() => {
              searchExact.value = undefined;
            }}
          >
            {commonTexts.clear}
          </ActionButton>
        </p>
      )}
      {exact?.line !== undefined ? null : (
        <>
          <Select
            label={commonTexts.kind}
            value={searchKind.value}
            choices={[
              { value: '', label: panelTexts.everyKind },
              ...Object.entries(kindNames).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(kind) => {
              searchKind.value = kind;
            }}
          />
          <FilterBox
            label={panelTexts.insideModules}
            placeholder={panelTexts.insideModulesNamed}
            value={searchModule.value}
            onChange={(text) => {
              searchModule.value = text;
            }}
          />
        </>
      )}
    </div>
  );
}

/** The first slices that were found, with ways to walk over them. */
function SearchResults(props: { answer: SearchResult; step: (by: number) => void }) {
  const { answer: value, step } = props;
  const names = new Map(tracks.value?.tracks.map((track) => [track.id, track.name]));
  const groups = useMemo(() => columnNames(value.byName?.map(({ name }) => name) ?? []), [value]);
  const slices = useMemo(() => columnNames(value.results.map(({ name }) => name)), [value]);
  if (value.total === 0) {
    return (
      <p role="status" class="tl-count">
        {panelTexts.noMatches}
      </p>
    );
  }
  return (
    <>
      <div class="tl-search-count">
        <p role="status" class="tl-count">
          {panelTexts.matchCount(value.total, value.sumNs)}
        </p>
        <p class="tl-buttons">
          <Button secondary onClick={() => step(-1)}>
            {panelTexts.previous}
          </Button>{' '}
          <Button secondary onClick={() => step(1)}>
            {panelTexts.next}
          </Button>
        </p>
      </div>
      {value.byName === undefined || value.byName.length < 2 ? null : (
        <PlainTable
          stateKey="matchesByName"
          label={panelTexts.matchesByName}
          columns={[
            { title: commonTexts.name },
            { title: commonTexts.count, numeric: true },
            { title: panelTexts.total, numeric: true, exportUnit: 'ns' },
          ]}
          rows={value.byName.map((one) => [
            <LinkButton
              key={one.name}
              title={panelTexts.findOnly(visible(one.name))}
              onClick={() => {
                searchExact.value = { name: one.name };
              }}
            >
              <ShortName whole={one.name} among={groups} />
            </LinkButton>,
            fixed(one.count, 0),
            <span key="sum" data-whole={String(one.sumNs)} title={exact(one.sumNs, 'ns')}>
              {quantity(one.sumNs, 'ns')}
            </span>,
          ])}
        />
      )}
      {value.names !== undefined && value.names > (value.byName?.length ?? 0) ? (
        <p class="tl-dim">{panelTexts.longestNames(value.byName?.length ?? 0, value.names)}</p>
      ) : null}
      <details>
        <summary>{panelTexts.byTrack}</summary>
        <PlainTable
          stateKey="matchesByTrack"
          label={panelTexts.matchesByTrack}
          columns={[{ title: panelTexts.track }, { title: panelTexts.matches, numeric: true }]}
          rows={value.byTrack.map((row) => [
            visible(names.get(row.track) ?? String(row.track)),
            fixed(row.count, 0),
          ])}
        />
      </details>
      <ol class="tl-results" aria-label={panelTexts.matches}>
        {value.results.map((ref) => (
          <li key={ref.slice}>
            <SliceLink to={ref} among={slices} />{' '}
            <span class="tl-dim">{panelTexts.at(ref.startNs)}</span>
          </li>
        ))}
      </ol>
      {value.total > value.results.length ? (
        <p class="tl-dim">{panelTexts.firstListed(value.results.length)}</p>
      ) : null}
    </>
  );
}

export function SearchPanel() {
  const exact = searchExact.value;
  const params: PageParams<'timeline/search'> = { limit: 200 };
  if (exact?.name !== undefined) params.name = exact.name;
  else if (exact === undefined) {
    if (searchText.value !== '') params.text = searchText.value;
    if (searchRegex.value) params.regex = true;
  }
  if (searchKind.value !== '') params.kind = searchKind.value;
  if (searchModule.value !== '') params.module = searchModule.value;
  const asked = Object.keys(params).some((key) => key !== 'limit' && key !== 'regex');
  const line = exact?.line;
  const search = useAnswer('timeline/search', asked && line === undefined ? params : undefined);
  const calls = useAnswer('source/lineSlices', line === undefined ? undefined : lineParams(line));
  const showing = asked || line !== undefined;
  const value =
    line === undefined ? search.value : calls.value === undefined ? undefined : ofLine(calls.value);
  const error = line === undefined ? search.error : calls.error;
  const root = useRef<HTMLElement>(null);
  // Whoever opens the search wants to type.
  useEffect(() => {
    requestAnimationFrame(() =>
      root.current?.querySelector<HTMLElement>('vscode-textfield')?.focus({ preventScroll: true }),
    );
  }, []);
  const at = useSignal(-1);
  const results = line === undefined ? search.value?.results : calls.value?.slices;
  const list = showing ? results : undefined;
  useEffect(() => {
    found.value = new Set(list?.map((ref) => ref.slice) ?? []);
    at.value = -1;
    return () => {
      found.value = new Set();
    };
  }, [list]);
  const step = (by: number): void => {
    if (list === undefined || list.length === 0) return;
    at.value = (at.value + by + list.length) % list.length;
    void select(list[at.value]!.slice).catch(failed);
  };
  return (
    <section class="tl-search" ref={root}>
      <h2>{commonTexts.search}</h2>
      <SearchForm />
      {error === undefined || !showing ? null : <Failure error={error} />}
      {!showing ? (
        <Nothing>{panelTexts.searchesEverySlice}</Nothing>
      ) : value === undefined ? (
        error === undefined ? (
          <Waiting what={panelTexts.searching} />
        ) : null
      ) : (
        <SearchResults answer={value} step={step} />
      )}
    </section>
  );
}
