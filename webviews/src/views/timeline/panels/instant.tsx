// What has a moment and no length.
import type { TimelineInstantResult } from '#shared/protocol.ts';
import { quantity } from '#shared/numbers.ts';
import { visible } from '../../../lib/format.ts';
import { LinkButton } from '../../../widgets/controls.tsx';
import { selectInstant } from '../state.ts';
import { failed } from '../status.ts';
import { Arguments } from './parts.tsx';

const instantKinds: Record<TimelineInstantResult['kind'], string> = {
  instant: 'Instant',
  objectCreated: 'Object created',
  objectSnapshot: 'Snapshot of an object',
  objectDeleted: 'Object deleted',
  memoryDump: 'Memory dump',
  sample: 'Sample',
  clockSync: 'Clock synchronization',
};

export function InstantDetails(props: { instant: TimelineInstantResult }) {
  const { instant } = props;
  const step = (title: string, to: number | null) =>
    to === null ? null : (
      <LinkButton onClick={() => void selectInstant(to).catch(failed)}>{title}</LinkButton>
    );
  return (
    <section class="tl-details">
      <h2 title={visible(instant.name)}>{visible(instant.name)}</h2>
      <p class="tl-dim">
        {instantKinds[instant.kind]} at {quantity(instant.ns, 'ns')} {visible(instant.category)}
      </p>
      <p class="tl-buttons">
        {step('Previous', instant.previous)} {step('Next', instant.next)}
      </p>
      {instant.args.length === 0 ? null : <Arguments args={instant.args} />}
    </section>
  );
}
