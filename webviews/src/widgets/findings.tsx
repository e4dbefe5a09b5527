// Findings: what costs, how it is known, what to do, and where to look.
import { trace } from '../host/store.ts';
import { shownNames } from '#shared/names.ts';
import { exact, quantity } from '#shared/numbers.ts';
import { unbroken, visible } from '../lib/format.ts';
import type { Finding, SliceRef } from '#shared/protocol.ts';
import { viewAction } from '../host/links.ts';
import { commonTexts } from '../lib/texts.ts';
import { ActionButton, LinkButton } from './controls.tsx';
import { Icon } from './icon.tsx';
import { useKept } from './kept.ts';
import { ShortName } from './name.tsx';
import { Snippet } from './snippet.tsx';
import { FrameLink } from './stack_list.tsx';
import { widgetTexts } from './texts.ts';

const severities: Partial<Record<string, string>> = {
  warning: widgetTexts.warning,
  info: commonTexts.note,
};

function byName(slices: readonly SliceRef[]): { name: string; slices: SliceRef[] }[] {
  const groups = new Map<string, SliceRef[]>();
  for (const slice of slices) {
    const group = groups.get(slice.name);
    if (group === undefined) groups.set(slice.name, [slice]);
    else group.push(slice);
  }
  return [...groups].map(([name, list]) => ({ name, slices: list }));
}

export function FindingCard(props: { finding: Finding }) {
  const { finding } = props;
  const open = useKept(`finding-${finding.id}`, false);
  const perStep = trace.value?.hasRecordedSteps === true;
  return (
    <li class={`finding ${finding.severity}`}>
      <details open={open.value} onToggle={(event) => (open.value = event.currentTarget.open)}>
        <summary class="finding-head">
          <Icon name="chevron" />
          <span
            class="finding-severity"
            role="img"
            aria-label={severities[finding.severity] ?? finding.severity}
            title={severities[finding.severity] ?? finding.severity}
          >
            <Icon name={finding.severity === 'info' ? 'info' : 'warning'} />
          </span>
          <h3>{visible(finding.title)}</h3>
          {finding.gainUs === null || finding.gainUs <= 0 ? null : (
            <span
              class="finding-gain"
              title={perStep ? widgetTexts.expectedGainPerStep : commonTexts.expectedGain}
            >
              {widgetTexts.upTo(finding.gainUs)}
            </span>
          )}
        </summary>
        <FindingBody finding={finding} />
      </details>
    </li>
  );
}

function FindingBody(props: { finding: Finding }) {
  const { finding } = props;
  const slices = byName(finding.slices.slice(0, 6));
  const shown = shownNames(slices.map(({ name }) => name));
  return (
    <div class="finding-body">
      <p>{unbroken(visible(finding.text))}</p>
      {finding.evidence.length === 0 ? null : (
        <p class="evidence">
          {finding.evidence.map((entry) => (
            <span key={entry.label} title={exact(entry.value, entry.unit)}>
              {visible(entry.label)} <strong>{quantity(entry.value, entry.unit)}</strong>
            </span>
          ))}
        </p>
      )}
      {finding.action === '' ? null : <p class="finding-action">{visible(finding.action)}</p>}
      {finding.snippet === '' ? null : (
        <Snippet label={widgetTexts.codeOf(finding.title)} code={finding.snippet} />
      )}
      <div class="finding-links">
        {finding.frames.slice(0, 4).map((frame, index) => (
          <FrameLink key={index} frame={frame} />
        ))}
        {slices.map((group) => (
          <span key={group.name} class="slice-group">
            <span class="slice-name" title={visible(group.name)}>
              <ShortName whole={group.name} among={shown} />
            </span>
            {group.slices.flatMap((slice) =>
              viewAction('timeline', quantity(slice.durationNs, 'ns'), commonTexts.showInTimeline, {
                slice: slice.slice,
              }).map((action) => (
                <LinkButton
                  key={slice.slice}
                  title={action.title}
                  label={widgetTexts.showSliceInTimeline(visible(slice.name), action.label)}
                  onClick={action.run}
                >
                  {action.label}
                </LinkButton>
              )),
            )}
          </span>
        ))}
      </div>
    </div>
  );
}

/** So many findings show before all are asked for. */
const topFindings = 3;

export function FindingList(props: { findings: readonly Finding[] }) {
  const all = useKept('allFindings', false);
  const { findings } = props;
  if (findings.length === 0) {
    return <p class="nothing">{widgetTexts.noFindings}</p>;
  }
  // What asks for a single one more would take its place.
  const most = findings.length === topFindings + 1 ? findings.length : topFindings;
  const shown = all.value ? findings : findings.slice(0, most);
  return (
    <>
      <ul class="findings">
        {shown.map((finding) => (
          <FindingCard key={finding.id} finding={finding} />
        ))}
      </ul>
      {findings.length > most ? (
        <p class="more">
          <ActionButton onClick={() => (all.value = !all.value)}>
            {all.value
              ? widgetTexts.showTop(topFindings)
              : widgetTexts.showMoreFindings(findings.length - topFindings)}
          </ActionButton>
        </p>
      ) : null}
    </>
  );
}
