// Pages that stand in place of the views: the trace is being read, or cannot be shown.
import type { FailureData } from '#shared/messages.ts';
import { tellHost } from '../host/host.ts';
import { cancelOwnLoad, compared, job, path, title } from '../host/store.ts';
import { fixed } from '#shared/numbers.ts';
import { visible } from '../lib/format.ts';
import { Button, Progress } from '../widgets/controls.tsx';

export function Loading(props: { stage: string; percent: number | undefined }) {
  const percent = props.percent;
  return (
    <main class="state-page">
      <h1>{visible(title.value)}</h1>
      <p role="status">
        {props.stage === '' ? 'Loading' : props.stage}
        {percent === undefined ? '' : `, ${fixed(percent, 0)} %`}
      </p>
      <Progress label="Loading the trace" percent={percent} />
      <p class="buttons">
        <Button
          secondary
          onClick={() => {
            if (!cancelOwnLoad()) tellHost('cancelLoad');
          }}
        >
          Cancel
        </Button>
      </p>
    </main>
  );
}

const advice: Record<string, string> = {
  unreadable:
    'Check that the file is a trace of torch.profiler, and that it was copied completely.',
  cancelled: 'Loading was cancelled. Retry reads the trace again.',
  notFound: 'Check that the file still exists, and that this machine can read it.',
};

/** What the page shows, in a word. */
function subject(): string {
  if (job.value !== undefined) return 'job';
  return compared.value === undefined ? 'trace' : 'comparison';
}

export function Failed(props: { error: FailureData }) {
  const { error } = props;
  const cancelled = error.kind === 'cancelled';
  const hint = error.hint !== undefined && error.hint !== '' ? error.hint : advice[error.kind];
  return (
    <main class="state-page failed" aria-live="assertive">
      <h1>{cancelled ? 'Loading was cancelled' : `This ${subject()} cannot be shown`}</h1>
      <dl class="facts">
        <div class="fact">
          <dt>File</dt>
          <dd>
            <code>{visible(path.value)}</code>
          </dd>
        </div>
        <div class="fact">
          <dt>Why</dt>
          <dd>{visible(error.message)}</dd>
        </div>
        {error.offset === undefined ? null : (
          <div class="fact">
            <dt>Where</dt>
            <dd>Byte {fixed(error.offset, 0)} of the text</dd>
          </div>
        )}
        {hint === undefined ? null : (
          <div class="fact">
            <dt>What to do</dt>
            <dd>{visible(hint)}</dd>
          </div>
        )}
      </dl>
      <p class="buttons">
        {error.kind === 'unreadable' && job.value === undefined ? (
          <Button onClick={() => tellHost('openAsText')}>Open as Text</Button>
        ) : null}
        <Button
          secondary={error.kind === 'unreadable' && job.value === undefined}
          onClick={() => tellHost('retry')}
        >
          Retry
        </Button>
        <Button secondary onClick={() => tellHost('showLog')}>
          Show Log
        </Button>
      </p>
    </main>
  );
}
