// Every step of every rank: one figure as a heat map, all of them as a table.
import { useMemo, useRef } from 'preact/hooks';
import { quantity } from '#shared/numbers.ts';
import { openRank } from '../../host/host.ts';
import { viewState } from '../../host/view_state.ts';
import { chartColors } from '../../lib/colors.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { Charts } from '../../widgets/charts.tsx';
import { Segments } from '../../widgets/controls.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { HeatMap } from './heat_map.tsx';
import { useJob } from './overview.tsx';
import { gridOf } from './rows.ts';
import { RankLink, severalDevices, useRows, type By } from './ranks.tsx';
import { JobTable } from './table.tsx';
import { detailTexts } from './details/texts.ts';
import { jobTexts } from './texts.ts';

type Figure = 'stepUs' | 'computationUs' | 'communicationUs' | 'waitingUs' | 'latenessUs';

const figures: Record<Figure, { title: string; by: By; color: string; meaning: string }> = {
  stepUs: {
    title: commonTexts.stepTime,
    by: 'steps',
    color: chartColors.blue,
    meaning: detailTexts.stepTimeHint,
  },
  computationUs: {
    title: commonTexts.computation,
    by: 'steps',
    color: chartColors.blue,
    meaning: jobTexts.computationHint,
  },
  communicationUs: {
    title: detailTexts.exposed,
    by: 'steps',
    color: chartColors.purple,
    meaning: detailTexts.exposedHint,
  },
  waitingUs: {
    title: jobTexts.waiting,
    by: 'lateness',
    color: chartColors.orange,
    meaning: detailTexts.beyondTransferHint,
  },
  latenessUs: {
    title: detailTexts.lateness,
    by: 'lateness',
    color: chartColors.red,
    meaning: detailTexts.latenessHint,
  },
};

function StepMap() {
  // Empty until the reader chooses. Ranks that wait for each other take as long for a step: lateness
  // shows who they wait for.
  const picked = viewState<Figure | ''>('job', 'stepFigure', '');
  const usual: Figure = (useJob()?.stragglers.length ?? 0) > 0 ? 'latenessUs' : 'stepUs';
  // What was kept may be of another version.
  const figure = picked.value in figures ? (picked.value as Figure) : usual;
  const asTable = viewState('job', 'stepMapAsTable', false);
  const root = useRef<HTMLDivElement>(null);
  const chosen = figures[figure];
  const { rows, error, cut } = useRows(chosen.by);
  const devices = severalDevices() && chosen.by === 'steps';
  const grid = useMemo(() => gridOf(rows ?? [], figure, devices), [rows, figure, devices]);
  const turned = useMemo(
    () => grid.steps.map((_, column) => grid.cells.map((line) => line[column])),
    [grid],
  );
  const words = (line: number, column: number): string[] => {
    const value = grid.cells[line]?.[column];
    const { rank, device } = grid.lines[line]!;
    return [
      detailTexts.rankAtStep(rank, device, grid.steps[column]),
      value === undefined
        ? detailTexts.notRecordedCell
        : `${chosen.title} ${quantity(value, 'us')}`,
      detailTexts.opensProfile,
    ];
  };
  const rankTitle = devices ? jobTexts.rankAndDevice : jobTexts.rank;
  const names = grid.lines.map(({ name }) => name);
  // The field is low and wide: what there is more of goes from left to right.
  const field =
    grid.steps.length >= names.length
      ? {
          xTitle: commonTexts.step,
          yTitle: rankTitle,
          columns: grid.steps,
          lines: names,
          cells: grid.cells,
          describe: words,
          onPick: (line: number) => openRank(grid.lines[line]!.rank),
        }
      : {
          xTitle: rankTitle,
          yTitle: commonTexts.step,
          columns: names,
          lines: grid.steps,
          cells: turned,
          describe: (line: number, column: number) => words(column, line),
          onPick: (_: number, column: number) => openRank(grid.lines[column]!.rank),
        };
  return (
    <Panel
      title={detailTexts.ranksAndSteps}
      definition={chosen.meaning}
      actions={
        <>
          <Segments
            label={commonTexts.figure}
            value={figure}
            choices={{
              stepUs: commonTexts.step,
              computationUs: commonTexts.computation,
              communicationUs: detailTexts.exposed,
              waitingUs: jobTexts.waiting,
              latenessUs: detailTexts.lateness,
            }}
            onChange={(next) => (picked.value = next)}
          />
          <ChartMenu name={detailTexts.ranksAndSteps} chart={root} asTable={asTable} pngOnly />
        </>
      }
    >
      <div ref={root}>
        {error !== undefined ? (
          <Failure error={error} />
        ) : rows === undefined ? (
          <Waiting what={detailTexts.readingSteps} />
        ) : grid.lines.length === 0 ? (
          <Nothing>{detailTexts.noStepsWithFigure}</Nothing>
        ) : asTable.value ? (
          <PlainTable
            stateKey="ranksAndSteps"
            label={detailTexts.ranksAndSteps}
            columns={[
              { title: devices ? jobTexts.rankAndDevice : jobTexts.rank },
              ...grid.steps.map((step) => ({
                title: step === '' ? detailTexts.outsideSteps : commonTexts.stepNamed(step),
                numeric: true,
                exportUnit: 'us' as const,
              })),
            ]}
            rows={grid.lines.map((line, index) => [
              <RankLink key="rank" rank={line.rank}>
                {line.name}
              </RankLink>,
              ...grid.cells[index]!.map((value, at) => (
                <span key={at} data-whole={value === undefined ? '' : String(value)}>
                  {value === undefined ? '\u2013' : quantity(value, 'us')}
                </span>
              )),
            ])}
          />
        ) : (
          <>
            <HeatMap
              stateKey="stepMap"
              label={detailTexts.byRankAndStep(chosen.title)}
              least={grid.least}
              most={grid.most}
              unit="us"
              color={chosen.color}
              {...field}
            />
            {cut ? <p class="note">{detailTexts.notAllStepsFit}</p> : null}
          </>
        )}
      </div>
    </Panel>
  );
}

export function JobSteps() {
  return (
    <div class="job job-table">
      <Charts>
        <StepMap />
      </Charts>
      <JobTable name={detailTexts.ranksByStep} by="steps" />
    </div>
  );
}
