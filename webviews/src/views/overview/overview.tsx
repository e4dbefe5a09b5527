// Overview: the answer first, then where the time of the steps went, the devices, and whether the trace
// is whole.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { sharedTexts } from '#shared/common_texts.ts';
import type { Finding, Row } from '#shared/protocol.ts';
import { useNavigation } from '../../host/navigation.ts';
import { useAnswer } from '../../host/query.ts';
import { endPart } from '../../host/choices.ts';
import { part, status, trace } from '../../host/store.ts';
import { roleColors, type Role } from '../../lib/colors.ts';
import { exportRows, type ExportColumn } from '../../lib/export.ts';
import { quantity } from '#shared/numbers.ts';
import { visible } from '../../lib/format.ts';
import { isOfOtherRecorder } from '../../lib/problems.ts';
import { commonTexts } from '../../lib/texts.ts';
import { ExportMenu } from '../../widgets/export_menu.tsx';
import { FindingList } from '../../widgets/findings.tsx';
import { Failure, Waiting } from '../../widgets/notices.tsx';
import { Facts, Panel } from '../../widgets/panel.tsx';
import { Headline, HottestLines } from './answer.tsx';
import { Gpus, Recompute } from './devices.tsx';
import { topFindings } from './findings.ts';
import { Health } from './health.tsx';
import { Average, StepChart } from './steps.tsx';
import { overviewTexts } from './texts.ts';

const configurationDefinitions: Partial<Record<string, string>> = {
  'Workers in the run': overviewTexts.workersHint,
  'Device type': overviewTexts.deviceKindsHint,
  'Graph captures': overviewTexts.graphsHint,
  Vendor: overviewTexts.vendorHint,
  Backend: overviewTexts.backendHint,
  Rank: overviewTexts.rankHint,
  'World size': overviewTexts.worldSizeHint,
  'Devices used': overviewTexts.devicesUsedHint,
  'Devices on the machine': overviewTexts.devicesSeenHint,
  Steps: overviewTexts.stepsHint,
  'Schema version': overviewTexts.formatHint,
};

const findingColumns: readonly ExportColumn[] = (
  [
    ['severity', overviewTexts.severity, 'text', ''],
    ['title', overviewTexts.finding, 'text', ''],
    ['text', overviewTexts.whatWasSeen, 'text', ''],
    ['evidence', overviewTexts.evidence, 'text', ''],
    ['action', commonTexts.whatToDo, 'text', ''],
    ['gainUs', commonTexts.expectedGain, 'number', 'us'],
  ] as const
).map(([key, title, type, unit]) => ({ key, title, type, unit }));

function findingRows(findings: readonly Finding[]): Row[] {
  return findings.map((finding) => ({
    severity: finding.severity,
    title: finding.title,
    text: finding.text,
    evidence: finding.evidence
      .map(({ label, value, unit }) => `${label} ${quantity(value, unit)}`)
      .join('; '),
    action: finding.action,
    gainUs: finding.gainUs,
  }));
}

export function OverviewView() {
  const shownPart = part.value;
  const reading = shownPart !== undefined && status.value.kind === 'loading';
  const { value: whole, error, retry } = useAnswer('view/overview', reading ? undefined : {});
  // The part stays until its place is taken, and what stood in its place then keeps the room.
  const value = whole ?? shownPart?.overview;
  const isPart = whole === undefined && shownPart !== undefined;
  const roomy = useRef(false);
  roomy.current ||= isPart;
  const arrived = whole !== undefined || error !== undefined;
  useLayoutEffect(() => {
    if (arrived && !reading) endPart();
  }, [arrived, reading]);
  useLayoutEffect(
    () => () => {
      // Nobody waits for the whole overview any more.
      if (status.peek().kind !== 'loading') endPart();
    },
    [],
  );
  // Later than the others: the costs of operators are computed when they are first asked for.
  const costs = useAnswer(
    'view/roofline',
    whole !== undefined && trace.value?.hasDeviceWork === true ? { limit: 1 } : undefined,
  );
  useNavigation('overview', (to) => {
    if (to.search === 'health') {
      document.getElementById('trace-health')?.scrollIntoView({ block: 'start' });
    }
  });
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={overviewTexts.readingOverview} />;
  const findings = topFindings(
    value.recommendations,
    costs.value?.findings ?? [],
    value.headline.totalUs,
  );
  // Charts of no time, and findings about it, would say nothing.
  if (value.steps.every((step) => step.durationUs <= 0)) return <Health nothing />;
  const shown = value.roles
    .filter((role) => role.present)
    .map((role) => ({
      ...role,
      key: role.key as Role,
      color: roleColors[role.key as Role] ?? roleColors.other,
    }));
  // What another program recorded has no parts of a step, and advice on recording more would be wrong.
  const foreign = trace.value !== undefined && isOfOtherRecorder(trace.value);
  if (foreign) return <Health nothing={false} />;
  return (
    <>
      <Headline result={value} roomy={roomy.current} />
      <div class={`answer ${roomy.current ? 'roomy' : ''}`}>
        <Panel
          title={sharedTexts.findings}
          definition={overviewTexts.findingsHint}
          actions={
            findings.length === 0 ? undefined : (
              <ExportMenu
                name={sharedTexts.findings}
                take={(format) => exportRows(findingColumns, findingRows(findings), format)}
              />
            )
          }
        >
          {isPart ? (
            <Waiting what={overviewTexts.findingsLater} />
          ) : (
            <FindingList findings={findings} />
          )}
        </Panel>
        <HottestLines later={isPart} />
      </div>
      <div class="overview-grid">
        <div class="overview-main">
          <Average result={value} shown={shown} part={isPart} roomy={roomy.current} />
          {value.steps.length > 1 ? <StepChart result={value} shown={shown} part={isPart} /> : null}
          {isPart ? null : <Health nothing={false} />}
        </div>
        <div class="overview-side">
          <Panel title={overviewTexts.configuration}>
            <Facts
              items={value.configuration
                // "Device type: CPU" says it.
                .filter((entry) => value.hasDeviceWork || entry.name !== 'Devices used')
                .map((entry) => ({
                  name: entry.name,
                  value: visible(entry.value),
                  definition: configurationDefinitions[entry.name] ?? overviewTexts.optionHint,
                }))}
            />
          </Panel>
          <Gpus result={value} />
          <Recompute result={value} />
        </div>
      </div>
    </>
  );
}
