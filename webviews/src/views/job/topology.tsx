// Where the ranks run: machines with their devices, and the process groups that tie them.
import { openRank } from '../../host/host.ts';
import { job } from '../../host/store.ts';
import { viewState } from '../../host/view_state.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { LinkButton, Segments } from '../../widgets/controls.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { useJob } from './overview.tsx';
import { rangesText } from './rows.ts';
import { JobTable } from './table.tsx';
import { detailTexts } from './details/texts.ts';
import { jobTexts } from './texts.ts';

/** More machines than this are left to the table. */
const shownNodes = 12;
const shownRanks = 64;

function Machines() {
  const result = useJob();
  if (result === undefined) return null;
  const byRank = new Map(result.ranks.map((rank) => [rank.rank, rank]));
  const nodes = [...result.nodes].sort((a, b) =>
    a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
  const notHere = job.value?.digests === true ? detailTexts.noDigestOf : detailTexts.noTraceOf;
  const late = new Set(result.stragglers.map(({ rank }) => rank));
  const isLate = ({ ranks }: { ranks: number[] }) => ranks.some((rank) => late.has(rank));
  // Those of late ranks are among them.
  const first = new Set([...nodes.filter(isLate), ...nodes].slice(0, shownNodes));
  const shown = nodes.filter((node) => first.has(node));
  const missing =
    result.worldSize === null || result.worldSize > 4096
      ? []
      : Array.from({ length: result.worldSize }, (_, rank) => rank).filter(
          (rank) => !byRank.has(rank),
        );
  return (
    <Panel title={jobTexts.machines} definition={detailTexts.machinesHint}>
      <ul class="job-nodes">
        {shown.map((node) => (
          <li key={node.name} class="job-node">
            <p class="job-node-name">
              <strong>{visible(node.name) || detailTexts.oneMachine}</strong>{' '}
              <span class="note">{jobTexts.rankCount(node.ranks.length)}</span>
            </p>
            <ul class="job-cells">
              {node.ranks.slice(0, shownRanks).map((number) => {
                const devices = byRank.get(number)?.devices ?? [];
                const names = devices.map(({ kind, ordinal }) => `${kind} ${ordinal}`).join(', ');
                const models = [...new Set(devices.map(({ name }) => name))].join(', ');
                const comesLast = late.has(number);
                return (
                  <li key={number}>
                    <LinkButton
                      class={`job-cell ${comesLast ? 'late' : ''}`}
                      label={detailTexts.rankOn(number, comesLast, names)}
                      title={detailTexts.rankHint(
                        number,
                        comesLast,
                        names,
                        models === '' ? '' : ` (${visible(models)})`,
                      )}
                      onClick={() => openRank(number)}
                    >
                      {detailTexts.rankCell(number, comesLast)}
                    </LinkButton>
                  </li>
                );
              })}
            </ul>
            {node.ranks.length > shownRanks ? (
              <p class="note">{commonTexts.andMore(node.ranks.length - shownRanks)}</p>
            ) : null}
          </li>
        ))}
      </ul>
      {missing.length === 0 ? null : (
        <p class="note">{notHere(missing.length, rangesText(missing))}</p>
      )}
      {result.nodes.length > shownNodes ? (
        <p class="note">{detailTexts.moreMachines(result.nodes.length - shownNodes)}</p>
      ) : null}
    </Panel>
  );
}

export function JobTopology() {
  const by = viewState<'groups' | 'ranks'>('job', 'topologyBy', 'groups');
  const groups = by.value !== 'ranks';
  return (
    <div class="job job-table">
      <Machines />
      <JobTable
        name={groups ? jobTexts.processGroups : jobTexts.ranks}
        by={groups ? 'groups' : 'ranks'}
        lesser={groups ? [] : ['path', 'worker', 'events', 'matchedCalls', 'process']}
        toolbar={
          <Segments
            label={commonTexts.rows}
            of={by}
            choices={{ groups: jobTexts.processGroups, ranks: jobTexts.ranks }}
          />
        }
      />
    </div>
  );
}
