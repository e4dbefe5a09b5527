// The chart of roofs with its legend, its table twin, and the ways from the picked point.
import { useMemo, useRef } from 'preact/hooks';
import { fixed, quantity } from '#shared/numbers.ts';
import type { Row, ViewRooflineResult } from '#shared/protocol.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { Charts } from '../../widgets/charts.tsx';
import { Check } from '../../widgets/check.tsx';
import { LinkButton } from '../../widgets/controls.tsx';
import { useKept } from '../../widgets/kept.ts';
import { Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import type { RowAction } from '../../widgets/table/actions.tsx';
import { numberOf, text } from '../links.ts';
import { limits, Mark, RoofChart } from './chart.tsx';
import {
  bandwidthLines,
  peakLines,
  pointsOf,
  usedUnits,
  type Limit,
  type RoofPoint,
} from './points.ts';
import { rooflineTexts } from './texts.ts';
import { wordsOf } from './words.ts';

/** Pixels of the chart beside its table, and above it, where rows must stay in sight. */
const besidePx = 340;
const abovePx = 200;

function Legend({ points }: { points: readonly RoofPoint[] }) {
  const present = (Object.keys(limits) as Limit[]).filter((limit) =>
    points.some((point) => point.limit === limit),
  );
  return (
    <ul class="roof-legend" aria-label={rooflineTexts.legend}>
      {present.map((limit) => (
        <li key={limit}>
          <svg width={14} height={14} aria-hidden="true">
            <Mark limit={limit} x={7} y={7} r={5} />
          </svg>
          {limits[limit].title}
        </li>
      ))}
      <li>{rooflineTexts.sizeTime}</li>
    </ul>
  );
}

function Twin(props: { title: string; points: readonly RoofPoint[] }) {
  return (
    <PlainTable
      stateKey="roofsTable"
      label={props.title}
      columns={[
        { title: commonTexts.name },
        { title: commonTexts.time, numeric: true, exportUnit: 'us' },
        { title: rooflineTexts.flopPerB, numeric: true, definition: rooflineTexts.flopPerBHint },
        { title: rooflineTexts.tflopPerS, numeric: true, definition: rooflineTexts.tflopPerSHint },
        { title: rooflineTexts.ofRoof, numeric: true, exportUnit: 'ratio' },
        { title: rooflineTexts.limit },
      ]}
      rows={props.points.map(({ row, x, y, timeUs, limit }) => [
        visible([text(row, 'name'), text(row, 'params')].filter((one) => one !== '').join(' ')),
        quantity(timeUs, 'us'),
        fixed(x, 2),
        fixed(y / 1e12, 3),
        quantity(numberOf(row, 'roofShare'), 'ratio'),
        limits[limit].title,
      ])}
    />
  );
}

/** Rows that have no place on the axes, and why. */
function Missing(props: { result: ViewRooflineResult; points: number }) {
  const { rows, totalRows } = props.result;
  const parts = [
    ...(totalRows > rows.length ? [rooflineTexts.shortestRows(totalRows - rows.length)] : []),
    ...(rows.length > props.points
      ? [rooflineTexts.rowsWithoutCost(rows.length - props.points)]
      : []),
  ];
  if (parts.length === 0) return null;
  return <p class="note">{rooflineTexts.notInChart(parts.join('; '))}</p>;
}

export function RoofPanel(props: {
  title: string;
  result: ViewRooflineResult;
  picked: Row | undefined;
  pickedActions: readonly RowAction[];
  /** Whether it stands beside its table, and not above it, where it must be low. */
  beside: boolean;
  onPick: (row: Row) => void;
}) {
  const { title, result, picked, beside } = props;
  const root = useRef<HTMLDivElement>(null);
  const asTable = useKept('roofsAsTable', false);
  const all = useKept('allRoofs', false);
  const points = useMemo(() => pointsOf(result.rows), [result]);
  const used = usedUnits(result.rows);
  const peaks = peakLines(result.devices, all.value || used.size === 0 ? undefined : used);
  const pickedPoint = points.find(({ row }) => row === picked);
  // The table says what there is; an empty chart would only push it down.
  if (points.length === 0) return <p class="note">{rooflineTexts.noRowWithCost}</p>;
  const menu = <ChartMenu name={title} chart={root} asTable={asTable} />;
  const body = (
    <>
      <div ref={root}>
        {asTable.value ? (
          <Twin title={title} points={points} />
        ) : (
          <RoofChart
            label={title}
            points={points}
            peaks={peaks}
            bandwidths={bandwidthLines(result.devices)}
            words={({ row }) => wordsOf(row).map(visible)}
            picked={pickedPoint}
            height={beside ? besidePx : abovePx}
            onPick={({ row }) => props.onPick(row)}
          />
        )}
      </div>
      {asTable.value ? null : (
        <div class="roof-below">
          <Legend points={points} />
          {used.size === 0 ? null : (
            <Check
              label={rooflineTexts.allPeaks}
              checked={all.value}
              onChange={(checked) => (all.value = checked)}
            />
          )}
        </div>
      )}
      {picked === undefined ? null : (
        <p class="roof-picked" role="status">
          <strong>{visible(text(picked, 'name') || '(none)')}</strong>
          <span>
            {rooflineTexts.couldSave(numberOf(picked, 'totalUs'), numberOf(picked, 'savedUs'))}
          </span>
          {props.pickedActions.map((action) => (
            <LinkButton key={action.label} title={action.title} onClick={action.run}>
              {action.label}
            </LinkButton>
          ))}
        </p>
      )}
      <Missing result={result} points={points.length} />
    </>
  );
  return beside ? (
    <Panel title={title} definition={rooflineTexts.chartHint} class="roof-panel" actions={menu}>
      {body}
    </Panel>
  ) : (
    <Charts
      title={title}
      definition={rooflineTexts.chartHint}
      class="roof-panel"
      actions={menu}
      startsClosed
    >
      {body}
    </Charts>
  );
}
