// The parts of the answers that need more than adding up: steps extended over their device work,
// and the breakdown of steps by role. Written apart from the native code, by another method.

const ROLES = [
  'kernel',
  'memcpy',
  'memset',
  'communication',
  'runtime',
  'dataLoader',
  'cpuExec',
  'other',
];

/**
 * Sets `beginNs`, `endNs` and `deviceEvents` of each step: a step ends with its last device event
 * and begins no earlier than the end of the step before it; the first begins after the device work
 * that was launched before the recording and ended before the step's own began.
 */
export function extendSteps(steps, deviceByStep, orphans) {
  const any = deviceByStep.some((device) => device.count > 0);
  let previous = steps[0].hostBeginNs;
  if (deviceByStep[0].count > 0) {
    for (const [, end] of orphans) {
      if (end < deviceByStep[0].begin) previous = Math.max(previous, end);
    }
  }
  steps.forEach((step, index) => {
    const device = deviceByStep[index];
    step.deviceEvents = device.count;
    step.beginNs = step.hostBeginNs;
    step.endNs = step.hostEndNs;
    if (!any) return;
    step.beginNs = Math.max(previous, step.hostBeginNs);
    step.endNs = Math.max(step.hostEndNs, device.count > 0 ? device.end : step.beginNs);
    if (step.endNs < step.beginNs) step.endNs = step.beginNs;
    previous = step.endNs;
  });
}

/**
 * Time of each step by role in ns. At each moment the first role of the list that is active counts.
 * `roles` holds flat lists of begins and ends. The method: sort all begins and ends, walk.
 */
export function breakdown(steps, roles) {
  const marks = [];
  ROLES.slice(0, -1).forEach((role, rank) => {
    const list = roles[role];
    for (let i = 0; i < list.length; i += 2) {
      marks.push([list[i], rank, 1], [list[i + 1], rank, -1]);
    }
  });
  steps.forEach((step) => marks.push([step.beginNs, -1, 0], [step.endNs, -1, 0]));
  marks.sort((a, b) => a[0] - b[0]);

  const active = new Array(ROLES.length - 1).fill(0);
  const parts = steps.map(() => Object.fromEntries(ROLES.map((role) => [role, 0])));
  let current = 0;
  let time = marks.length > 0 ? marks[0][0] : 0;
  for (const [at, rank, change] of marks) {
    if (at > time) {
      while (current < steps.length && steps[current].endNs <= time) current += 1;
      const step = steps[current];
      if (step && time >= step.beginNs) {
        const first = active.findIndex((count) => count > 0);
        parts[current][first < 0 ? 'other' : ROLES[first]] += at - time;
      }
      time = at;
    }
    if (rank >= 0) active[rank] += change;
  }
  return parts;
}
