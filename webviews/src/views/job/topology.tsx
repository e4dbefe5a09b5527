// Where the ranks run: machines with their devices, and the process groups that tie them.
import { plural } from '#shared/numbers.ts';
import { openRank } from '../../host/host.ts';
import { viewState } from '../../host/store.ts';
import { visible } from '../../lib/format.ts';
import { LinkButton, Segments } from '../../widgets/controls.tsx';
import { Panel } from '../../widgets/panel.tsx';
import { useJob } from './overview.tsx';
import { rangesText } from './rows.ts';
import { JobTable } from './table.tsx';

/** More machines than this are left to the table. */
const shownNodes = 64;
const shownRanks = 64;

function Machines() {
  const result = useJob();
  if (result === undefined) return null;
  const byRank = new Map(result.ranks.map((rank) => [rank.rank, rank]));
  const nodes = [...result.nodes].sort((a, b) =>
    a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
  const late = new Set(result.stragglers.map(({ rank }) => rank));
  const missing =
    result.worldSize === null || result.worldSize > 4096
      ? []
      : Array.from({ length: result.worldSize }, (_, rank) => rank).filter(
          (rank) => !byRank.has(rank),
        );
  return (
    <Panel title="Machines" definition="As far as the names of the workers and their devices tell.">
      <ul class="job-nodes">
        {nodes.slice(0, shownNodes).map((node) => (
          <li key={node.name} class="job-node">
            <p class="job-node-name">
              <strong>{visible(node.name) || 'One machine'}</strong>{' '}
              <span class="note">{plural(node.ranks.length, 'rank')}</span>
            </p>
            <ul class="job-cells">
              {node.ranks.slice(0, shownRanks).map((number) => {
                const devices = byRank.get(number)?.devices ?? [];
                const names = devices.map(({ kind, ordinal }) => `${kind} ${ordinal}`).join(', ');
                const models = [...new Set(devices.map(({ name }) => name))].join(', ');
                const comesLast = late.has(number) ? ' last' : '';
                return (
                  <li key={number}>
                    <LinkButton
                      class={`job-cell ${late.has(number) ? 'late' : ''}`}
                      label={`Rank ${number}${comesLast}, ${names || 'no device'}`}
                      title={`Rank ${number}${late.has(number) ? ' comes last' : ''}\n${names || 'No device work'}${models === '' ? '' : ` (${visible(models)})`}\nOpen its profile`}
                      onClick={() => openRank(number)}
                    >
                      {`${number}${late.has(number) ? ' last' : ''}`}
                    </LinkButton>
                  </li>
                );
              })}
            </ul>
            {node.ranks.length > shownRanks ? (
              <p class="note">{`and ${node.ranks.length - shownRanks} more`}</p>
            ) : null}
          </li>
        ))}
      </ul>
      {missing.length === 0 ? null : (
        <p class="note">{`No trace of ${missing.length === 1 ? 'rank' : 'ranks'} ${rangesText(missing)}.`}</p>
      )}
      {result.nodes.length > shownNodes ? (
        <p class="note">{`and ${plural(result.nodes.length - shownNodes, 'more machine')}`}</p>
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
        name={groups ? 'Process groups' : 'Ranks'}
        by={groups ? 'groups' : 'ranks'}
        lesser={groups ? [] : ['path', 'worker', 'events', 'matchedCalls', 'process']}
        toolbar={
          <Segments label="Rows" of={by} choices={{ groups: 'Process groups', ranks: 'Ranks' }} />
        }
      />
    </div>
  );
}
