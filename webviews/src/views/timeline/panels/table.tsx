// The drawing's twin as a table.
import { effect, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SliceRef } from '#shared/protocol.ts';
import type { Row } from '../../../lanes/rows.ts';
import { visible } from '../../../lib/format.ts';
import { shortName } from '#shared/names.ts';
import { commonTexts } from '../../../lib/texts.ts';
import { LinkButton } from '../../../widgets/controls.tsx';
import { ExportedTable } from '../../../widgets/exported_table.tsx';
import type { Stage } from '../stage.ts';
import { selectInstant, shownWindow } from '../state.ts';
import { arrived, failed, settled } from '../status.ts';
import { SliceLink, Time } from './parts.tsx';
import { panelTexts } from './texts.ts';

interface TwinRow {
  ref: SliceRef;
  row: string;
  count: number;
  /** Of an instant, else -1. */
  instant: number;
}

const twinLimit = 300;

/** What is on the screen, row by row, and how much more there is than can be listed. */
function twinRows(stage: Stage, rows: readonly Row[]): { list: TwinRow[]; more: number } {
  const { startNs, endNs } = shownWindow.peek();
  const list: TwinRow[] = [];
  let more = 0;
  for (const row of rows) {
    const data = stage.source.rows.get(row.track.id);
    const boxes = data?.boxes;
    if (data === undefined || boxes === undefined) continue;
    const add = (
      instant: number,
      slice: number,
      lane: number,
      name: number,
      start: number,
      length: number,
      count: number,
    ): void => {
      if (start > endNs || start + length < startNs) return;
      if (list.length >= twinLimit) {
        more++;
        return;
      }
      list.push({
        ref: {
          slice,
          name: data.names[name] ?? '',
          startNs: start,
          durationNs: length,
          track: row.track.id,
          lane,
        },
        row: row.track.name,
        count,
        instant,
      });
    };
    boxes.start.forEach((start, i) =>
      add(
        -1,
        boxes.slice[i]!,
        boxes.lane[i]!,
        boxes.name[i]!,
        start,
        boxes.length[i]!,
        boxes.count[i]!,
      ),
    );
    for (const { index, name, ns, count } of boxes.instants) add(index, -1, 0, name, ns, 0, count);
  }
  return { list, more };
}

/** The drawing's twin: the slices on the screen as a table, for those who cannot see or point. */
export function TablePanel(props: { stage: Stage | undefined; rows: readonly Row[] }) {
  const { stage, rows } = props;
  // While the picture moves the table stays as it was: it is made anew when the picture has settled.
  const shown = useSignal<{ list: TwinRow[]; more: number }>(
    stage === undefined ? { list: [], more: 0 } : twinRows(stage, rows),
  );
  useEffect(
    () =>
      effect(() => {
        void [shownWindow.value, arrived.value];
        if (settled.value && stage !== undefined) shown.value = twinRows(stage, rows);
      }),
    [stage, rows],
  );
  const { list, more } = shown.value;
  return (
    <section>
      <h2>{panelTexts.slicesInWindow}</h2>
      <ExportedTable
        stateKey="slicesInWindow"
        label={panelTexts.slicesInWindow}
        columns={[
          { title: commonTexts.slice },
          { title: panelTexts.track },
          {
            title: commonTexts.start,
            numeric: true,
            exportUnit: 'ns',
            definition: panelTexts.sinceStartTrace,
          },
          {
            title: commonTexts.duration,
            numeric: true,
            exportUnit: 'ns',
            definition: panelTexts.durationOrSum,
          },
        ]}
        rows={list.map(({ ref, row, count, instant }) => [
          instant >= 0 ? (
            <LinkButton onClick={() => void selectInstant(instant).catch(failed)}>
              {count > 1
                ? commonTexts.instantsTheFirst(count, shortName(ref.name))
                : shortName(ref.name)}{' '}
              <span class="tl-dim">{commonTexts.instant}</span>
            </LinkButton>
          ) : ref.slice < 0 ? (
            <span class="tl-cut" title={ref.name}>
              {commonTexts.slicesTheLongest(count, shortName(ref.name))}
            </span>
          ) : (
            <SliceLink to={ref} bare />
          ),
          visible(row),
          <Time ns={ref.startNs} />,
          <Time ns={ref.durationNs} />,
        ])}
      />
      {more > 0 ? <p class="tl-dim">{panelTexts.moreWhenZoomedIn(more)}</p> : null}
    </section>
  );
}
