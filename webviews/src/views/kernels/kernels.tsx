// Kernels: two rings, the table in two groupings, copies and sets; a kernel opens to what launched it.
import { sharedTexts } from '#shared/common_texts.ts';
import { useNavigation } from '../../host/navigation.ts';
import { useAnswer } from '../../host/query.ts';
import { inMakersWords } from '../../host/maker.ts';
import { viewState } from '../../host/view_state.ts';
import { trace } from '../../host/store.ts';
import type { Row, ViewKernelsResult } from '#shared/protocol.ts';
import type { PageParams } from '#shared/requests.ts';
import { chartColors, roleColors } from '../../lib/colors.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Segments } from '../../widgets/controls.tsx';
import { FilterBox } from '../../widgets/fields.tsx';
import { Charts } from '../../widgets/charts.tsx';
import type { RowAction } from '../../widgets/table/actions.tsx';
import { DataTable } from '../../widgets/table/data_table.tsx';
import { Failure, Lacks, Nothing, Waiting } from '../../widgets/notices.tsx';
import { ShareStrip } from '../../widgets/share_strip.tsx';
import { SmallTableView } from '../../widgets/small_table.tsx';
import {
  filterFor,
  lineAction,
  moduleAction,
  operatorAction,
  sourceAction,
  text,
  timelineAction,
} from '../links.ts';
import { LaunchList } from './launch_list.tsx';
import { kernelsTexts } from './texts.ts';

/** The cells of a row that are there, as parameters. */
function cells<K extends string>(row: Row, keys: readonly K[]): Partial<Record<K, string>> {
  return Object.fromEntries(
    keys.filter((key) => row[key] !== undefined).map((key) => [key, text(row, key)]),
  ) as Partial<Record<K, string>>;
}

/** What launched the kernels, or the copies, of a row: operators, modules, lines. */
function Launches<M extends 'view/kernelLaunches' | 'view/copyLaunches'>(props: {
  row: Row;
  method: M;
  params: PageParams<M>;
}) {
  const { row } = props;
  const { value, error, retry } = useAnswer(props.method, props.params);
  const part = viewState('kernels', 'launchesBy', 'operators');
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={kernelsTexts.readingLaunches} />;
  const shown =
    part.value === 'modules'
      ? value.modules
      : part.value === 'lines'
        ? value.lines
        : value.operators;
  return (
    <div class="launches">
      <Segments
        label={commonTexts.launchedBy}
        of={part}
        choices={{
          operators: sharedTexts.operators,
          modules: commonTexts.modules,
          lines: commonTexts.lines,
        }}
      />
      {shown.rows.length === 0 ? (
        <Nothing>
          {part.value === 'operators' ? kernelsTexts.noOperator : kernelsTexts.notRecorded}
        </Nothing>
      ) : (
        <SmallTableView
          stateKey="launchedByKind"
          name={kernelsTexts.launchedByKind(part.value)}
          table={shown}
          actions={(launch) => [
            ...sourceAction(launch),
            ...lineAction(launch),
            ...operatorAction(launch),
            ...moduleAction(launch),
            ...timelineAction(launch, text(row, 'name')),
          ]}
        />
      )}
    </div>
  );
}

const copyKeys = ['direction', 'source', 'target'];

/** The colors of kernels by whether they are on matrix units, the same in the strip and in the table. */
const matrixColors = {
  yes: chartColors.green,
  no: chartColors.purple,
  unknown: chartColors.yellow,
};

/** Whether a kernel is on matrix units, with the color that this has in the strip. */
function MatrixCell({ uses }: { uses: unknown }) {
  const state = uses === true ? 'yes' : uses === false ? 'no' : 'unknown';
  return (
    <>
      <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
        <rect width="10" height="10" rx="2" fill={matrixColors[state]} />
      </svg>{' '}
      {commonTexts[state]}
    </>
  );
}

/** Kernel time by whether it is on matrix units, largest first. */
function matrixParts(result: ViewKernelsResult | undefined) {
  if (result === undefined) return [];
  const { totalUs, tensorCoreUs, tensorCoreUnknownUs } = result;
  return [
    {
      name: inMakersWords(kernelsTexts.usingTensorCores),
      value: tensorCoreUs,
      color: matrixColors.yes,
    },
    {
      name: inMakersWords(kernelsTexts.notUsingTensorCores),
      value: totalUs - tensorCoreUs - tensorCoreUnknownUs,
      color: matrixColors.no,
    },
    { name: commonTexts.unknown, value: tensorCoreUnknownUs, color: matrixColors.unknown },
  ].sort((a, b) => b.value - a.value);
}

/** Kernel time by whether it is communication, in the colors of a step's parts, largest first. */
function communicationParts(result: ViewKernelsResult | undefined) {
  if (result === undefined) return [];
  const { totalUs, communicationUs } = result;
  return [
    {
      name: commonTexts.communication,
      value: communicationUs,
      color: roleColors.communication,
    },
    {
      name: commonTexts.computation,
      value: totalUs - communicationUs,
      color: roleColors.kernel,
    },
  ].sort((a, b) => b.value - a.value);
}

export function KernelsView() {
  const info = trace.value;
  const group = viewState('kernels', 'groupBy', 'name');
  const top = viewState('kernels', 'top', 10);
  const filter = viewState('kernels', 'tableFilter', '');
  const ofOperators = viewState('kernels', 'operatorFilter', '');
  // What stands above the tables is of all kernels, whichever table shows.
  const { value: result } = useAnswer('view/kernels', {
    topN: top.value,
    limit: 1,
  });
  useNavigation('kernels', (to) => {
    if (to.filter !== undefined) {
      filter.value = to.filter;
      ofOperators.value = '';
    }
    if (to.groupBy !== undefined) group.value = to.groupBy;
    if (to.copies !== undefined) {
      viewState('kernels', 'copiesFilter', '').value = to.copies;
      group.value = 'copies';
    }
  });
  const parts = result?.ring ?? [];
  const matrix = matrixParts(result);
  const communication = communicationParts(result);
  const actions = (row: Row): RowAction[] => [
    ...timelineAction(row, text(row, 'name')),
    ...sourceAction(row),
    ...operatorAction(row),
  ];
  // Where no device was recorded, each of them would say the same.
  const choice =
    info?.hasDeviceWork !== true ? null : (
      <Segments
        label={commonTexts.rows}
        of={group}
        choices={{
          name: sharedTexts.kernels,
          properties: kernelsTexts.byOperatorAndLaunch,
          each: kernelsTexts.launches,
          copies: kernelsTexts.memcpyMemset,
        }}
      />
    );
  const copies = group.value === 'copies' && info?.hasDeviceWork === true;
  return (
    <>
      {result === undefined || parts.length === 0 ? null : (
        <Charts top={top}>
          <ShareStrip
            stateKey="kernelTime"
            title={commonTexts.kernelTime}
            definition={kernelsTexts.kernelTimeHint}
            unit="us"
            top={top.value}
            total={result.totalUs}
            parts={parts.map((one) => ({ name: one.name, value: one.us }))}
            onPick={(name) => (filter.value = `name=${filterFor(name)}`)}
          />
          <ShareStrip
            stateKey="tensorCores"
            title={inMakersWords(kernelsTexts.tensorCores)}
            definition={kernelsTexts.tensorCoresHint}
            unit="us"
            top={3}
            colors={matrix.map((part) => part.color)}
            parts={matrix}
          />
          {result.communicationUs > 0 ? (
            <ShareStrip
              stateKey="communication"
              title={commonTexts.communication}
              definition={kernelsTexts.communicationHint}
              unit="us"
              top={2}
              colors={communication.map((part) => part.color)}
              parts={communication}
            />
          ) : null}
        </Charts>
      )}
      {result === undefined || result.launchesOutsideSteps === 0 ? null : (
        <p class="note" title={kernelsTexts.outsideStepsHint}>
          {kernelsTexts.outsideSteps(result.launchesOutsideSteps, result.launches)}
        </p>
      )}
      {result === undefined || result.unfilteredRows === 0 ? null : (
        <Lacks absences={result.absences} />
      )}
      {copies ? (
        <DataTable
          key="copies"
          name={kernelsTexts.memcpyMemset}
          rows={kernelsTexts.copyRows}
          view="kernels"
          stateKey="copies"
          method="view/copies"
          defaultSort="-totalUs"
          lesser={['minUs', 'maxUs', 'meanUs', 'source', 'target']}
          actions={(row) => [...timelineAction(row, commonTexts.memcpy), ...sourceAction(row)]}
          rowKey={(row) => copyKeys.map((key) => text(row, key)).join(' ')}
          detail={(row) => (
            <Launches
              row={row}
              method="view/copyLaunches"
              params={{ direction: text(row, 'direction'), ...cells(row, ['source', 'target']) }}
            />
          )}
          empty={kernelsTexts.noCopies}
          toolbar={choice}
        />
      ) : group.value === 'each' ? (
        <LaunchList toolbar={choice} />
      ) : (
        <DataTable
          key={group.value}
          name={sharedTexts.kernels}
          rows={commonTexts.kernelRows}
          view="kernels"
          stateKey="table"
          method="view/kernels"
          params={{ groupBy: group.value === 'properties' ? 'properties' : 'name' }}
          defaultSort="-totalUs"
          actions={actions}
          rowKey={(row) =>
            ['name', 'operator', 'grid', 'block', 'registers', 'sharedBytes']
              .map((key) => text(row, key))
              .join(' ')
          }
          detail={(row) => (
            <Launches
              row={row}
              method="view/kernelLaunches"
              params={{ name: text(row, 'name'), ...cells(row, ['operator', 'grid', 'block']) }}
            />
          )}
          nameColumns={['name']}
          renderCell={{
            usesTensorCores: ({ usesTensorCores: uses }) => <MatrixCell uses={uses} />,
          }}
          unknownReasons={{ usesTensorCores: inMakersWords(commonTexts.unknownTensorCores) }}
          alsoFilter={
            group.value === 'properties'
              ? ofOperators.value
                  .split(/\s+/)
                  .filter((word) => word !== '')
                  .map((word) => `operator:${filterFor(word)}`)
                  .join(' ')
              : ''
          }
          lesser={[
            'operatorTensorCoreEligible',
            'registers',
            'sharedBytes',
            'minUs',
            'maxUs',
            'meanEstOccupancy',
            'meanBlocksPerSm',
            'block',
            'grid',
            'meanUs',
            'usesTensorCores',
            'communication',
            // Bars behind the times tell it too.
            'share',
          ]}
          hideColumns={(kernels) => [
            ...(kernels.hasBlocksPerSm ? [] : ['meanBlocksPerSm']),
            ...(kernels.hasOccupancy ? [] : ['meanEstOccupancy']),
            ...(kernels.communicationUs > 0 ? [] : ['communication']),
          ]}
          empty={commonTexts.noKernelRan}
          toolbar={
            choice === null ? null : (
              <>
                {group.value === 'properties' ? (
                  <FilterBox
                    label={kernelsTexts.filterOperators}
                    title={kernelsTexts.filterOperatorsHint}
                    value={ofOperators.value}
                    onChange={(words) => (ofOperators.value = words)}
                  />
                ) : null}
                {choice}
              </>
            )
          }
        />
      )}
    </>
  );
}
