// Pages that stand in place of the views: the trace is being read, or cannot be shown.
import { sharedTexts } from '#shared/common_texts.ts';
import type { FailureData } from '#shared/messages.ts';
import { tellHost } from '../host/host.ts';
import { cancelOwnLoad } from '../host/choices.ts';
import { compared, isFile, job, path, title } from '../host/store.ts';
import { visible } from '../lib/format.ts';
import { commonTexts } from '../lib/texts.ts';
import { Button, Progress } from '../widgets/controls.tsx';
import { shellTexts } from './texts.ts';

export function Loading(props: { stage: string; percent: number | undefined }) {
  const percent = props.percent;
  return (
    <main class="state-page">
      <h1>{visible(title.value)}</h1>
      <p role="status">{shellTexts.loadingStage(props.stage || commonTexts.loading, percent)}</p>
      <Progress label={shellTexts.loadingTrace} percent={percent} />
      <p class="buttons">
        <Button
          secondary
          onClick={() => {
            if (!cancelOwnLoad()) tellHost('cancelLoad');
          }}
        >
          {shellTexts.cancel}
        </Button>
      </p>
    </main>
  );
}

const advice: Record<string, string> = {
  unreadable: shellTexts.unreadableAdvice,
  cancelled: shellTexts.cancelledAdvice,
  notFound: shellTexts.notFoundAdvice,
};

/** Says what is not shown. */
function failedText(): string {
  if (job.value !== undefined) return shellTexts.jobFailed;
  return compared.value === undefined ? shellTexts.traceFailed : shellTexts.comparisonFailed;
}

export function Failed(props: { error: FailureData }) {
  const { error } = props;
  const hasText = error.kind === 'unreadable' && isFile.value;
  const cancelled = error.kind === 'cancelled';
  const hint = error.hint !== undefined && error.hint !== '' ? error.hint : advice[error.kind];
  return (
    <main class="state-page failed" aria-live="assertive">
      <h1>{cancelled ? shellTexts.loadingCancelled : failedText()}</h1>
      <dl class="facts">
        <div class="fact">
          <dt>{commonTexts.file}</dt>
          <dd>
            <code>{visible(path.value)}</code>
          </dd>
        </div>
        <div class="fact">
          <dt>{shellTexts.why}</dt>
          <dd>{visible(error.message)}</dd>
        </div>
        {error.offset === undefined ? null : (
          <div class="fact">
            <dt>{shellTexts.where}</dt>
            <dd>{shellTexts.byteOfText(error.offset)}</dd>
          </div>
        )}
        {hint === undefined ? null : (
          <div class="fact">
            <dt>{commonTexts.whatToDo}</dt>
            <dd>{visible(hint)}</dd>
          </div>
        )}
      </dl>
      <p class="buttons">
        {hasText ? (
          <Button onClick={() => tellHost('openAsText')}>{shellTexts.openAsText}</Button>
        ) : null}
        <Button secondary={hasText} onClick={() => tellHost('retry')}>
          {commonTexts.retry}
        </Button>
        <Button secondary onClick={() => tellHost('showLog')}>
          {sharedTexts.showLog}
        </Button>
      </p>
    </main>
  );
}
