// The texts of what several views share.
import { plural, quantity } from '#shared/numbers.ts';

export const viewTexts = {
  openPlace: (file: string, line: string) => `Open ${file}${line}`,
  showInLines: (file: string, line: number) => `Show ${file}:${line} in Lines`,

  backwardDeviceTime: 'Backward device time',
  backwardHostTime: 'Backward host time',
  recomputeDeviceTime: 'Recompute device time',
  recomputeHostTime: 'Recompute host time',
  allocatedBytes: 'Allocated bytes',
  callsHint: 'Forward calls of the module.',
  operatorsHint: 'Operators called directly by the module.',
  hostTotal: 'Host total',
  hostTotalHint: 'Host time of its forward calls.',
  hostSelfHint: 'Host time of its forward calls, excluding submodules.',
  deviceTotal: 'Device total',
  deviceTotalHint: 'Device work launched by its forward calls.',
  deviceSelfHint: 'Device work launched by its forward calls, excluding submodules.',
  backwardHost: 'Backward host',
  backwardHostHint: 'Host time of the backward operators that belong to its calls.',
  backwardDevice: 'Backward device',
  backwardDeviceHint: 'Device work of the backward operators that belong to its calls.',
  recomputeHost: 'Recompute host',
  recomputeHostHint: 'Host time of work that activation checkpointing reran in backward.',
  recomputeDevice: 'Recompute device',
  recomputeDeviceHint: 'Device work that activation checkpointing reran in backward.',
  allocatedHint: 'Bytes allocated during its calls, reruns included; releases are not subtracted.',
  showFirstCall: 'Show its first call in the timeline',
  nameByMetric: (name: string, metric: string) => `${name} by ${metric}`,
  operatorsOverTime: 'Operators over time',
  chart: 'Chart',
  metric: 'Metric',
  callsOnHost: (calls: number, hostUs: number, deviceUs: number | undefined) =>
    `${plural(calls, 'call')}, host ${quantity(hostUs, 'us')}${deviceUs === undefined ? '' : `, device ${quantity(deviceUs, 'us')}`}`,
  allOf: (name: string) => `All ${name}`,
};
