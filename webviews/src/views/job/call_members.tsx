// One collective on all its ranks.
import { fixed, quantity } from '#shared/numbers.ts';
import { useAnswer } from '../../host/query.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Failure, Waiting } from '../../widgets/notices.tsx';
import { PlainTable } from '../../widgets/plain_table.tsx';
import { activityText } from './answer.ts';
import { ReasonPlace } from './overview.tsx';
import { RankLink, severalDevices } from './ranks.tsx';
import { communicationTexts } from './communication/texts.ts';
import { jobTexts } from './texts.ts';

/** Who came when to one collective, and what each did before. */
export function CallMembers({ call }: { call: number }) {
  const { value, error } = useAnswer('distributed/call', { call });
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined) return <Waiting what={communicationTexts.readingCollective} />;
  const first = value.members.reduce((least, { startNs }) => Math.min(least, startNs), Infinity);
  const devices = severalDevices();
  return (
    <div class="job-members">
      <PlainTable
        stateKey="ranksOfCollective"
        label={communicationTexts.ranksOfCollective(call)}
        columns={[
          { title: jobTexts.rank },
          ...(devices ? [{ title: commonTexts.device, numeric: true }] : []),
          {
            title: communicationTexts.came,
            numeric: true,
            definition: communicationTexts.cameHint,
          },
          { title: commonTexts.duration, numeric: true },
          {
            title: communicationTexts.waited,
            numeric: true,
            definition: communicationTexts.waitedHint,
          },
          { title: communicationTexts.beforeThat, definition: communicationTexts.beforeThatHint },
        ]}
        rows={value.members.map((member) => [
          <RankLink key="rank" rank={member.rank} slice={member.slice}>
            {communicationTexts.rankAndWhetherLast(member.rank, value.lastRank)}
          </RankLink>,
          ...(devices ? [fixed(member.device, 0)] : []),
          `+${quantity(member.startNs - first, 'ns')}`,
          quantity(member.durationNs, 'ns'),
          quantity(member.waitingUs, 'us'),
          member.before[0] === undefined ? (
            '\u2013'
          ) : (
            <span key="before">
              {visible(activityText(member.before[0]))} <ReasonPlace reason={member.before[0]} />
            </span>
          ),
        ])}
      />
      {value.lacking.length === 0 ? null : (
        <p class="note">{communicationTexts.madeNoCall(value.lacking.join(', '))}</p>
      )}
    </div>
  );
}
