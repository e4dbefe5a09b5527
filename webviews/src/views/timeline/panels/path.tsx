// The critical path: what the end of each step waited for, and what the steps would take without it.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import type { PathKind, TimelineCriticalSumsResult } from '#shared/protocol.ts';
import { share } from '#shared/numbers.ts';
import { openSource, saveFile } from '../../../host/host.ts';
import { ask, useAnswer } from '../../../host/query.ts';
import { announce, title } from '../../../host/store.ts';
import { visible } from '../../../lib/format.ts';
import { columnNames } from '../../../lib/legend_names.ts';
import { placeName, placeOf } from '../../../lib/place_text.ts';
import { commonTexts } from '../../../lib/texts.ts';
import { ActionButton, LinkButton, Segments } from '../../../widgets/controls.tsx';
import { ExportedTable } from '../../../widgets/exported_table.tsx';
import { ShortName } from '../../../widgets/name.tsx';
import { Failure, Nothing, Waiting } from '../../../widgets/notices.tsx';
import { criticalPath, extentOf, fit, shownWindow, tracks } from '../state.ts';
import { failed } from '../status.ts';
import { SliceLink, Time, useRested } from './parts.tsx';
import { panelTexts } from './texts.ts';

const kindNames: Record<PathKind, string> = {
  host: commonTexts.host,
  hostUnknown: panelTexts.hostNotRecorded,
  dataLoading: panelTexts.dataLoading,
  launch: panelTexts.launch,
  computation: commonTexts.computation,
  communication: commonTexts.communication,
  copy: panelTexts.copy,
  kernelGap: panelTexts.betweenKernels,
  synchronization: panelTexts.synchronization,
};

/** Parts listed below the sums: the longest in the window. */
const listed = 50;

const groupings = {
  operators: sharedTexts.operators,
  lines: commonTexts.lines,
  kernels: sharedTexts.kernels,
} as const;
type Grouping = keyof typeof groupings;
type SumRow = TimelineCriticalSumsResult['rows'][number];

const titles: Record<Grouping, string> = {
  operators: sharedTexts.operator,
  lines: commonTexts.line,
  kernels: sharedTexts.kernel,
};

const paths: Record<Grouping, string> = {
  operators: panelTexts.criticalPathByOperator,
  lines: panelTexts.criticalPathByLine,
  kernels: panelTexts.criticalPathByKernel,
};

/** What a row is called, where it is no place. */
const nameOf = ({ name, place }: SumRow): string => (name === '' ? place : name);

function SumName({ row, among }: { row: SumRow; among: ReadonlyMap<string, string> }) {
  const place = placeOf(row.place);
  if (place !== undefined) {
    return (
      <LinkButton
        title={commonTexts.openPlace(visible(row.place))}
        onClick={() => openSource(place)}
      >
        {visible(placeName(place))}
      </LinkButton>
    );
  }
  const name = nameOf(row);
  return name === '' ? (
    <span class="tl-dim">{commonTexts.unknown}</span>
  ) : (
    <ShortName whole={name} among={among} />
  );
}

function Sums() {
  const by = useSignal<Grouping>('operators');
  const { value, error, retry } = useAnswer('timeline/criticalSums', { by: by.value });
  const names = columnNames(value?.rows.map(nameOf) ?? []);
  return (
    <>
      <Segments label={commonTexts.rows} of={by} choices={groupings} />
      {error !== undefined ? (
        <Failure error={error} retry={retry} />
      ) : value === undefined || value.by !== by.value ? (
        <Waiting what={panelTexts.playingSteps} />
      ) : (
        <ExportedTable
          stateKey="criticalPathBy"
          label={paths[by.value]}
          columns={[
            { title: titles[by.value] },
            {
              title: panelTexts.onPath,
              numeric: true,
              exportUnit: 'ns',
              definition: panelTexts.onPathHint,
            },
            { title: commonTexts.share, numeric: true, definition: panelTexts.shareOfSteps },
            {
              title: panelTexts.wouldSave,
              numeric: true,
              exportUnit: 'ns',
              definition: panelTexts.wouldSaveHint,
            },
          ]}
          rows={value.rows.map((row) => [
            <SumName row={row} among={names} />,
            <Time ns={row.timeNs} />,
            share(row.timeNs, value.wholeNs),
            row.withoutNs === null ? '\u2013' : <Time ns={value.wholeNs - row.withoutNs} />,
          ])}
        />
      )}
    </>
  );
}

/** The whole trace as a file that other viewers open too. */
async function saveAugmented(): Promise<void> {
  const all = tracks.peek();
  if (all === undefined) return;
  const { startNs, endNs } = extentOf(all);
  const answer = await ask('timeline/export', { startNs, endNs, augmented: true });
  const name = title.peek().replace(/(?:\.pt\.trace)?\.json(?:\.gz)?$/, '');
  saveFile(`${name}_with_counters.pt.trace.json`, answer.text);
  announce(panelTexts.exported(answer.events));
}

export function PathPanel() {
  const { startNs, endNs } = shownWindow.value;
  const params = { startNs: Math.floor(startNs), endNs: Math.ceil(endNs) };
  const { value, error, retry } = useAnswer('timeline/criticalPath', useRested(params));
  useEffect(() => {
    criticalPath.value = value;
    return () => {
      criticalPath.value = undefined;
    };
  }, [value]);
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={panelTexts.followingCriticalPath} />;
  if (value.steps === 0) return <Nothing>{panelTexts.nothingToFollow}</Nothing>;
  const longest = [...value.parts]
    .sort((a, b) => b.endNs - b.startNs - (a.endNs - a.startNs))
    .slice(0, listed);
  return (
    <section class="tl-path">
      <h2>{commonTexts.criticalPath}</h2>
      <p>{panelTexts.whatPathIs(value.steps)}</p>
      <p class="tl-buttons">
        <ActionButton
          title={panelTexts.exportWithPathHint}
          onClick={() => void saveAugmented().catch(failed)}
        >
          {panelTexts.exportWithPath}
        </ActionButton>
      </p>
      <h3>{commonTexts.allSteps}</h3>
      <Sums />
      <h3>{panelTexts.inThisWindow}</h3>
      {value.wholeNs === 0 ? (
        <Nothing>{panelTexts.noWholeStep}</Nothing>
      ) : (
        <ExportedTable
          stateKey="criticalPathByKind"
          label={panelTexts.criticalPathByKind}
          columns={[
            { title: panelTexts.boundBy },
            { title: commonTexts.time, numeric: true, exportUnit: 'ns' },
            { title: commonTexts.share, numeric: true },
          ]}
          rows={[...value.sums]
            .sort((a, b) => b.timeNs - a.timeNs)
            .map((sum) => [
              kindNames[sum.kind],
              <Time ns={sum.timeNs} />,
              share(sum.timeNs, value.wholeNs),
            ])}
        />
      )}
      {value.totalParts > longest.length ? (
        <p class="tl-dim">{panelTexts.longestParts(longest.length, value.totalParts)}</p>
      ) : null}
      <ol class="tl-results" aria-label={commonTexts.criticalPath}>
        {longest.map((part) => (
          <li key={part.startNs}>
            <LinkButton onClick={() => fit(part.startNs, part.endNs)}>
              {commonTexts.lengthAndStart(part.endNs - part.startNs, part.startNs)}
            </LinkButton>{' '}
            <span class="tl-dim">{kindNames[part.kind]}</span>
            {part.slice === null ? null : (
              <div>
                <SliceLink to={part.slice} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
