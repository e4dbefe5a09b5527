// Every step of every rank: one figure as a heat map, all of them as a table.
import { useMemo, useRef } from 'preact/hooks';
import { quantity } from '#shared/numbers.ts';
import { openRank } from '../../host/host.ts';
import { viewState } from '../../host/store.ts';
import { chartColors } from '../../lib/colors.ts';
import { ChartMenu } from '../../widgets/chart_menu.tsx';
import { Charts } from '../../widgets/charts.tsx';
import { Segments } from '../../widgets/controls.tsx';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { HeatMap } from './heat_map.tsx';
import { gridOf } from './rows.ts';
import { JobTable, RankLink, severalDevices, useRows, type By } from './table.tsx';

type Figure = 'stepUs' | 'computationUs' | 'communicationUs' | 'waitingUs' | 'latenessUs';

const figures: Record<Figure, { title: string; by: By; color: string; meaning: string }> = {
  stepUs: {
    title: 'Step time',
    by: 'steps',
    color: chartColors.blue,
    meaning: 'Length of the step.',
  },
  computationUs: {
    title: 'Computation',
    by: 'steps',
    color: chartColors.blue,
    meaning: 'Kernels compute and none communicates.',
  },
  communicationUs: {
    title: 'Exposed',
    by: 'steps',
    color: chartColors.purple,
    meaning: 'Exposed communication: kernels communicate and none computes.',
  },
  waitingUs: {
    title: 'Waiting',
    by: 'lateness',
    color: chartColors.orange,
    meaning: 'Time in collectives beyond their transfer.',
  },
  latenessUs: {
    title: 'Lateness',
    by: 'lateness',
    color: chartColors.red,
    meaning: 'How far it was behind the others where it came last.',
  },
};

function StepMap() {
  const figure = viewState<Figure>('job', 'stepFigure', 'stepUs');
  const asTable = viewState('job', 'stepMapAsTable', false);
  const root = useRef<HTMLDivElement>(null);
  const chosen = figures[figure.value] ?? figures.stepUs;
  const { rows, error, cut } = useRows(chosen.by);
  const devices = severalDevices() && chosen.by === 'steps';
  const grid = useMemo(
    () => gridOf(rows ?? [], figure.value, devices),
    [rows, figure.value, devices],
  );
  const words = (line: number, column: number): string[] => {
    const value = grid.cells[line]?.[column];
    const { rank, device } = grid.lines[line]!;
    return [
      `Rank ${rank}${device === undefined ? '' : `, device ${device}`}, ${grid.steps[column] === '' ? 'outside of steps' : `step ${grid.steps[column]}`}`,
      value === undefined ? 'Not recorded' : `${chosen.title} ${quantity(value, 'us')}`,
      'Enter or click opens the profile of the rank',
    ];
  };
  return (
    <Panel
      title="Ranks and steps"
      definition={chosen.meaning}
      actions={
        <>
          <Segments
            label="Figure"
            of={figure}
            choices={{
              stepUs: 'Step',
              computationUs: 'Computation',
              communicationUs: 'Exposed',
              waitingUs: 'Waiting',
              latenessUs: 'Lateness',
            }}
          />
          <ChartMenu name="Ranks and steps" chart={root} asTable={asTable} pngOnly />
        </>
      }
    >
      <div ref={root}>
        {error !== undefined ? (
          <Failure error={error} />
        ) : rows === undefined ? (
          <Waiting what="Reading the steps" />
        ) : grid.lines.length === 0 ? (
          <Nothing>No rank recorded steps with this figure.</Nothing>
        ) : asTable.value ? (
          <PlainTable
            label="Ranks and steps"
            columns={[
              { title: devices ? 'Rank/device' : 'Rank' },
              ...grid.steps.map((step) => ({
                title: step === '' ? 'Outside of steps' : `Step ${step}`,
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
              label={`${chosen.title} by rank and step`}
              xTitle="Step"
              yTitle={devices ? 'Rank/device' : 'Rank'}
              columns={grid.steps}
              lines={grid.lines.map(({ name }) => name)}
              cells={grid.cells}
              least={grid.least}
              most={grid.most}
              unit="us"
              color={chosen.color}
              describe={words}
              onPick={(line) => openRank(grid.lines[line]!.rank)}
            />
            {cut ? <p class="note">Not all steps fit in the chart.</p> : null}
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
      <JobTable name="Ranks by step" by="steps" />
    </div>
  );
}
