// Why the device was idle.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PageParams } from '#shared/requests.ts';
import { openPlace } from '../../../host/place.ts';
import { useAnswer } from '../../../host/query.ts';
import { trace } from '../../../host/store.ts';
import { fixed } from '#shared/numbers.ts';
import { isFilePath, visible } from '../../../lib/format.ts';
import { commonTexts } from '../../../lib/texts.ts';
import { Check } from '../../../widgets/check.tsx';
import { LinkButton } from '../../../widgets/controls.tsx';
import { Select } from '../../../widgets/select.tsx';
import { ExportedTable } from '../../../widgets/exported_table.tsx';
import { Failure, Nothing, Waiting } from '../../../widgets/notices.tsx';
import { frameTarget } from '../../../widgets/stack_list.tsx';
import { fit, gaps, gapsDevice, showGaps, shownWindow } from '../state.ts';
import { SliceLink, Time, useRested } from './parts.tsx';
import { panelTexts } from './texts.ts';

const reasonNames: Record<string, string> = {
  launchLate: panelTexts.lateLaunch,
  synchronization: panelTexts.synchronization,
  copy: panelTexts.copy,
  dataLoader: panelTexts.dataLoader,
  collective: panelTexts.collective,
  hostBusy: panelTexts.hostBusy,
  startOfTrace: panelTexts.startOfTrace,
  unknown: commonTexts.unknown,
};

export function GapsPanel() {
  const device = useSignal('');
  const onlyWindow = useSignal(false);
  const devices = trace.value?.devices ?? [];
  const params: PageParams<'timeline/gaps'> = { limit: 300 };
  if (device.value !== '') params.device = Number(device.value);
  if (onlyWindow.value) {
    params.startNs = Math.floor(shownWindow.value.startNs);
    params.endNs = Math.ceil(shownWindow.value.endNs);
  }
  const { value, error, retry } = useAnswer('timeline/gaps', useRested(params));
  useEffect(() => {
    gaps.value = value?.gaps ?? [];
    gapsDevice.value = value?.device ?? null;
    showGaps.value = true;
    return () => {
      showGaps.value = false;
    };
  }, [value]);
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={panelTexts.lookingForIdleTime} />;
  if (value.device === null) return <Nothing>{panelTexts.noDeviceWork}</Nothing>;
  return (
    <section class="tl-gaps">
      <h2>{panelTexts.deviceIdleTime}</h2>
      {devices.length > 1 ? (
        <Select
          label={commonTexts.device}
          value={device.value === '' ? String(value.device) : device.value}
          choices={devices.map((one) => ({
            value: String(one.ordinal),
            label: one.label,
          }))}
          onChange={(next) => {
            device.value = next;
          }}
        />
      ) : null}
      <Check
        label={panelTexts.visibleWindowOnly}
        checked={onlyWindow.value}
        onChange={(checked) => {
          onlyWindow.value = checked;
        }}
      />
      <p>{panelTexts.idleIn(value.idleNs, value.total)}</p>
      <ExportedTable
        stateKey="idleTimeByReason"
        label={panelTexts.idleTimeByReason}
        columns={[
          { title: panelTexts.reason },
          {
            title: panelTexts.gaps,
            numeric: true,
            definition: panelTexts.gapsHint,
          },
          {
            title: commonTexts.time,
            numeric: true,
            exportUnit: 'ns',
            definition: panelTexts.gapTimeHint,
          },
        ]}
        rows={value.byReason.map((row) => [
          reasonNames[row.reason] ?? row.reason,
          fixed(row.count, 0),
          <Time ns={row.sumNs} />,
        ])}
      />
      <ol class="tl-results" aria-label={panelTexts.gaps}>
        {value.gaps.map((gap) => (
          <li key={gap.startNs}>
            <LinkButton onClick={() => fit(gap.startNs, gap.startNs + gap.durationNs)}>
              {commonTexts.lengthAndStart(gap.durationNs, gap.startNs)}
            </LinkButton>
            <div>
              {visible(gap.text)}{' '}
              <span class="tl-dim">{panelTexts.confidence(gap.confidence)}</span>
            </div>
            {gap.host === null ? null : (
              <div>{panelTexts.hostSlice(<SliceLink key="slice" to={gap.host} />)}</div>
            )}
            {gap.endedBy === null ? null : (
              <div>{panelTexts.endedBy(<SliceLink key="slice" to={gap.endedBy} />)}</div>
            )}
            {gap.frame === null || !isFilePath(gap.frame.file) ? null : (
              <div>
                <LinkButton
                  onClick={() => void openPlace(frameTarget(gap.frame!), gap.host?.slice)}
                >
                  {visible(gap.frame.file)}:{gap.frame.line}
                </LinkButton>
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
