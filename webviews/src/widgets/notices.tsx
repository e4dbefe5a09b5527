// What stands where there is nothing to show: waiting, failed, absent.
import type { ComponentChildren } from 'preact';
import { sharedTexts } from '#shared/common_texts.ts';
import { tellHost } from '../host/host.ts';
import { deviceKind } from '../host/store.ts';
import type { FailureData } from '#shared/messages.ts';
import { visible } from '../lib/format.ts';
import { lostEvents } from '../lib/problems.ts';
import type { Absence as SaidAbsence, TraceInfo } from '#shared/protocol.ts';
import { commonTexts } from '../lib/texts.ts';
import { Button } from './controls.tsx';
import { Icon } from './icon.tsx';
import { useKept } from './kept.ts';
import { Snippet } from './snippet.tsx';
import { widgetTexts } from './texts.ts';

/** What is missing; a page that knows it better than the daemon says it itself. */
type Absence = Pick<SaidAbsence, 'what' | 'argument' | 'snippet'>;

/** What the trace lacks, which argument records it, and the snippet. */
function EmptyState(props: { absence: Absence; title?: string }) {
  const { absence } = props;
  return (
    <section class="empty-state" aria-label={absence.what}>
      {props.title === undefined ? null : <h3>{props.title}</h3>}
      <p>{absence.what}</p>
      {absence.argument === '' ? null : (
        <p>
          {widgetTexts.toRecordThis(
            <code key="argument">{absence.argument}</code>,
            absence.argument.includes('='),
          )}
        </p>
      )}
      {absence.snippet === '' ? null : (
        <Snippet label={widgetTexts.snippet(absence.what)} code={absence.snippet} />
      )}
    </section>
  );
}

/** All that a trace lacks for a view; `title` says what there is none of. */
export function Absences(props: { absences: readonly Absence[]; title?: string }) {
  if (props.absences.length === 0) return null;
  return (
    <div class="absences">
      {props.absences.map((absence, index) => (
        <EmptyState
          key={absence.what}
          absence={absence}
          {...(props.title === undefined || index > 0 ? {} : { title: props.title })}
        />
      ))}
    </div>
  );
}

/** What a view could show beside what it shows, had it been recorded: one line that opens. */
export function Lacks(props: { absences: readonly Absence[] }) {
  const open = useKept('lacksOpen', false);
  if (props.absences.length === 0) return null;
  return (
    <details
      class="lacks"
      open={open.value}
      onToggle={(event) => (open.value = event.currentTarget.open)}
    >
      <summary>{props.absences.map((absence) => absence.what).join(' ')}</summary>
      <Absences absences={props.absences} />
    </details>
  );
}

/** Kinds of problems after which a part of the file is missing. */
const cutKinds: ReadonlySet<string> = new Set(['truncated', 'truncatedGzip', 'damagedGzip']);

/** Whether events that were recorded are missing, at the end of the file or inside. */
export function isIncomplete(info: TraceInfo): boolean {
  return info.problems.some(({ kind, losesEvents }) => cutKinds.has(kind) || losesEvents);
}

/** Whether a part of the file is missing. */
export function isCut(info: TraceInfo): boolean {
  return info.problems.some((problem) => cutKinds.has(problem.kind));
}

/** What was read of a file that was cut, and what that does to the figures. */
function cutConsequence(info: TraceInfo): string {
  const read = widgetTexts.readOver(info.events, info.durationNs);
  return info.hasDeviceWork
    ? widgetTexts.countsTooLow(read)
    : widgetTexts.noDeviceWorkRead(read, deviceKind.value);
}

/** Problems that no figure may be read without; of those that only cost events, the one that cost most. */
function noticesOf({ problems }: TraceInfo): TraceInfo['problems'] {
  const notices = problems.filter((problem) => problem.notice);
  const losses = notices.filter(({ losesEvents }) => losesEvents);
  const worst = Math.max(...losses.map(({ count }) => count));
  const shown = problems.some(({ kind }) => cutKinds.has(kind))
    ? undefined
    : losses.find(({ count }) => count === worst);
  return notices.filter((problem) => problem === shown || !problem.losesEvents);
}

/** What a problem does to the figures. */
function consequence(
  { kind, losesEvents }: TraceInfo['problems'][number],
  info: TraceInfo,
): string {
  if (cutKinds.has(kind)) return ` ${cutConsequence(info)}`;
  if (!losesEvents) return '';
  // The events of the file are those that were read and those that were lost.
  const lost = lostEvents(info.problems);
  return ` ${widgetTexts.eventsLost(lost, Math.max(0, info.events - lost))}`;
}

/** What no figure may be read without, on every view. */
export function Notices(props: { info: TraceInfo }) {
  const { info } = props;
  const notices = noticesOf(info);
  if (notices.length === 0) return null;
  return (
    <div class="trace-notices" role="note" aria-label={widgetTexts.aboutThisTrace}>
      <Icon name="warning" />
      <div>
        {notices.map((problem) => (
          <p key={problem.kind}>
            {visible(problem.message)}
            {consequence(problem, info)}
          </p>
        ))}
      </div>
    </div>
  );
}

/** Nothing to show although everything was recorded. */
export function Nothing(props: { children: ComponentChildren }) {
  return <p class="nothing">{props.children}</p>;
}

/** A request that failed: what, what to do, and another try. */
export function Failure(props: { error: FailureData; retry?: () => void }) {
  const { error } = props;
  return (
    <section class="failure" role="alert">
      <p class="failure-message">{error.message}</p>
      {error.offset === undefined ? null : (
        <p>{widgetTexts.atByte(<code key="offset">{error.offset}</code>)}</p>
      )}
      {error.hint === undefined || error.hint === '' ? null : <p>{error.hint}</p>}
      <p class="buttons">
        {props.retry === undefined ? null : (
          <Button onClick={props.retry}>{commonTexts.retry}</Button>
        )}
        <Button secondary onClick={() => tellHost('showLog')}>
          {sharedTexts.showLog}
        </Button>
      </p>
    </section>
  );
}

export function Waiting(props: { what: string }) {
  return (
    <p class="waiting" role="status" aria-label={commonTexts.loading}>
      {props.what}
    </p>
  );
}
