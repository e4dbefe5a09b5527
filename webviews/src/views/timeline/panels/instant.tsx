// What has a moment and no length.
import type { TimelineInstantResult } from '#shared/protocol.ts';
import { visible } from '../../../lib/format.ts';
import { LinkButton } from '../../../widgets/controls.tsx';
import { selectInstant } from '../state.ts';
import { failed } from '../status.ts';
import { Arguments } from './parts.tsx';
import { panelTexts } from './texts.ts';

const instantKinds: Record<TimelineInstantResult['kind'], string> = {
  instant: panelTexts.instant,
  objectCreated: panelTexts.objectCreated,
  objectSnapshot: panelTexts.snapshotObject,
  objectDeleted: panelTexts.objectDeleted,
  memoryDump: panelTexts.memoryDump,
  sample: panelTexts.sample,
  clockSync: panelTexts.clockSynchronization,
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
        {panelTexts.instantAt(instantKinds[instant.kind], instant.ns, visible(instant.category))}
      </p>
      <p class="tl-buttons">
        {step(panelTexts.previous, instant.previous)} {step(panelTexts.next, instant.next)}
      </p>
      {instant.args.length === 0 ? null : <Arguments args={instant.args} />}
    </section>
  );
}
