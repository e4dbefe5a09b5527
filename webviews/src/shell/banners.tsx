// What stands above everything: the state of the daemon, a file that was not found.
import { sharedTexts } from '#shared/common_texts.ts';
import { openSource, tellHost } from '../host/host.ts';
import { daemon, missingSource } from '../host/store.ts';
import { fileName, visible } from '../lib/format.ts';
import { commonTexts } from '../lib/texts.ts';
import { Button } from '../widgets/controls.tsx';
import { shellTexts } from './texts.ts';

export function Banner() {
  const state = daemon.value;
  if (state === undefined) return null;
  return (
    <div class={`banner ${state.state}`} role="alert">
      <span>
        {state.message ??
          (state.state === 'restarting' ? shellTexts.serverRestarts : sharedTexts.serverStopped)}
      </span>
      <span class="buttons">
        {state.state === 'stopped' ? (
          <Button onClick={() => tellHost('restartDaemon')}>{shellTexts.restart}</Button>
        ) : null}
        <Button secondary onClick={() => tellHost('showLog')}>
          {sharedTexts.showLog}
        </Button>
      </span>
    </div>
  );
}

export function MissingSource() {
  const missing = missingSource.value;
  if (missing === undefined) return null;
  const { target, side } = missing;
  return (
    <div class="banner missing" role="alert">
      <span>
        {shellTexts.sourceMissing(
          fileName(target.file),
          <code key="path">{visible(target.file)}</code>,
        )}
      </span>
      <span class="buttons">
        <Button
          onClick={() => {
            missingSource.value = undefined;
            openSource(target, false, side);
          }}
        >
          {sharedTexts.locate}
        </Button>
        <Button secondary onClick={() => (missingSource.value = undefined)}>
          {commonTexts.dismiss}
        </Button>
      </span>
    </div>
  );
}
