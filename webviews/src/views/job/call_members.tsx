// One collective on all its ranks.
import { fixed, quantity } from '#shared/numbers.ts';
import { useAnswer } from '../../host/query.ts';
import { visible } from '../../lib/format.ts';
import { Failure, Waiting } from '../../widgets/notices.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { reasonText } from './answer.ts';
import { ReasonPlace } from './overview.tsx';
import { RankLink, severalDevices } from './table.tsx';

/** Who came when to one collective, and what each did before. */
export function CallMembers({ call }: { call: number }) {
  const { value, error } = useAnswer('distributed/call', { call });
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined) return <Waiting what="Reading the collective" />;
  const first = value.members.reduce((least, { startNs }) => Math.min(least, startNs), Infinity);
  const devices = severalDevices();
  return (
    <div class="job-members">
      <PlainTable
        label={`Ranks of collective ${call}`}
        columns={[
          { title: 'Rank' },
          ...(devices ? [{ title: 'Device', numeric: true }] : []),
          { title: 'Came', numeric: true, definition: 'After the first.' },
          { title: 'Took', numeric: true },
          { title: 'Waited', numeric: true, definition: 'Beyond the shortest call.' },
          { title: 'Before that', definition: 'What took most of the time since its last one.' },
        ]}
        rows={value.members.map((member) => [
          <RankLink key="rank" rank={member.rank} slice={member.slice}>
            {`${member.rank}${member.rank === value.lastRank ? ' (last)' : ''}`}
          </RankLink>,
          ...(devices ? [fixed(member.device, 0)] : []),
          `+${quantity(member.startNs - first, 'ns')}`,
          quantity(member.durationNs, 'ns'),
          quantity(member.waitingUs, 'us'),
          member.before[0] === undefined ? (
            '\u2013'
          ) : (
            <span key="before">
              {visible(reasonText(member.before[0]).replace(' more of ', ' of '))}{' '}
              <ReasonPlace reason={member.before[0]} />
            </span>
          ),
        ])}
      />
      {value.lacking.length === 0 ? null : (
        <p class="note">{`Rank ${value.lacking.join(', ')} was recording and made no such call.`}</p>
      )}
    </div>
  );
}
