// Events of drawn traces.

/** A complete event of process and thread 1, in microseconds; `more` overrides any of its fields. */
export const slice = (cat, name, ts, dur, args = {}, more = {}) => ({
  ph: 'X',
  cat,
  name,
  pid: 1,
  tid: 1,
  ts,
  dur,
  args,
  ...more,
});
