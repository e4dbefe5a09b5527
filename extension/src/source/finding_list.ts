/** A place in the source that a finding speaks of, as recorded. */
export interface FindingFrame {
  file: string;
  line: number;
  function: string;
}

/** A finding of the overview, as far as the editor shows it. */
export interface Finding {
  id: string;
  severity: string;
  title: string;
  text: string;
  /** What to do; may be empty. */
  action: string;
  /** Code that does it; may be empty. */
  snippet: string;
  frames: FindingFrame[];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function frame(value: unknown): FindingFrame[] {
  if (!isRecord(value) || typeof value.file !== 'string' || typeof value.line !== 'number')
    return [];
  if (value.library === true || value.file === '' || value.line < 1) return [];
  return [{ file: value.file, line: value.line, function: text(value.function) }];
}

/** The findings in an answer of `view/overview`. */
export function findingsOf(overview: unknown): Finding[] {
  if (!isRecord(overview) || !Array.isArray(overview.recommendations)) return [];
  return overview.recommendations.flatMap((value: unknown) => {
    if (!isRecord(value) || typeof value.id !== 'string') return [];
    const frames = Array.isArray(value.frames) ? value.frames.flatMap(frame) : [];
    return [
      {
        id: value.id,
        severity: text(value.severity),
        title: text(value.title) || text(value.text),
        text: text(value.text),
        action: text(value.action),
        snippet: text(value.snippet),
        frames,
      },
    ];
  });
}
