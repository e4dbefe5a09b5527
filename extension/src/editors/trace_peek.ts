import { open } from 'node:fs/promises';

/** How much of a file is looked at: recorders write their header first. */
const peekBytes = 64 * 1024;

/** Keys that only the header of a profiler's trace has. */
const headerKeys =
  /"(?:traceEvents|deviceProperties|distributedInfo|cudaDriverVersion|displayTimeUnit)"\s*:/;

/** Whether a text that begins like this is a trace: an object with its keys, or a list of events. */
export function beginsLikeTrace(text: string): boolean {
  const head = text.replace(/^\ufeff?\s*/, '');
  if (head.startsWith('{')) return headerKeys.test(head);
  const first = /^\[\s*\{([^]{0,4096})/.exec(head)?.[1];
  return first !== undefined && /"ph"\s*:\s*"/.test(first) && /"(?:ts|pid)"\s*:/.test(first);
}

/** Looks at the beginning of a file; false where it cannot be read. */
export async function isPlainTrace(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(peekBytes), 0, peekBytes, 0);
      return beginsLikeTrace(buffer.toString('utf8', 0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}
