// In the place of the strip under the tabs while only the beginning of the file shows: how much that is,
// how far reading has come, and a way out. As high as the strip, so that nothing moves when that comes.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ProfileFirstPictureResult } from '#shared/protocol.ts';
import { tellHost } from '../host/host.ts';
import { cancelOwnLoad } from '../host/choices.ts';
import { deviceKind, status } from '../host/store.ts';
import { ActionButton, Progress } from '../widgets/controls.tsx';
import { Icon } from '../widgets/icon.tsx';
import { shellTexts } from './texts.ts';

export function PartStrip(props: { shown: ProfileFirstPictureResult }) {
  const { fraction, hostSlices, deviceSlices } = props.shown;
  const state = status.value;
  const strip = useRef<HTMLDivElement>(null);
  // Whoever stands on the button when it goes finds the way on from the tabs.
  useLayoutEffect(
    () => () => {
      if (strip.current?.contains(document.activeElement) !== true) return;
      document.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus();
    },
    [],
  );
  const text = shellTexts.partRead(fraction, hostSlices, deviceSlices, deviceKind.value);
  return (
    <div
      class="status-strip roomy part-strip"
      role="group"
      aria-label={shellTexts.partShown}
      ref={strip}
    >
      <Icon name="warning" />
      <span class="part-text" role="status" title={`${text}\n${shellTexts.partHint}`}>
        {text}
      </span>
      <Progress
        label={shellTexts.loadingTrace}
        percent={state.kind === 'loading' ? state.percent : 100}
      />
      <ActionButton
        onClick={() => {
          if (!cancelOwnLoad()) tellHost('cancelLoad');
        }}
      >
        {shellTexts.cancel}
      </ActionButton>
    </div>
  );
}
