// What stands above everything: the state of the daemon, a file that was not found.
import { openSource, tellHost } from '../host/host.ts';
import { daemon, missingSource } from '../host/store.ts';
import { fileName, visible } from '../lib/format.ts';
import { Button } from '../widgets/controls.tsx';

export function Banner() {
  const state = daemon.value;
  if (state === undefined) return null;
  return (
    <div class={`banner ${state.state}`} role="alert">
      <span>
        {state.message ??
          (state.state === 'restarting'
            ? 'The analysis server stopped and is restarting.'
            : 'The analysis server has stopped.')}
      </span>
      <span class="buttons">
        {state.state === 'stopped' ? (
          <Button onClick={() => tellHost('restartDaemon')}>Restart</Button>
        ) : null}
        <Button secondary onClick={() => tellHost('showLog')}>
          Show Log
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
        {fileName(target.file)} was not found on this machine. It was recorded as{' '}
        <code>{visible(target.file)}</code>.
      </span>
      <span class="buttons">
        <Button
          onClick={() => {
            missingSource.value = undefined;
            openSource(target, false, side);
          }}
        >
          Locate...
        </Button>
        <Button secondary onClick={() => (missingSource.value = undefined)}>
          Dismiss
        </Button>
      </span>
    </div>
  );
}
