// Places of the code as text. Pure.
import { fileName } from './format.ts';

/** A place of the code as digests write it: "file:line (function)". */
export interface Place {
  file: string;
  line: number;
  function: string;
}

export function placeOf(text: string): Place | undefined {
  const parts = /^(.+):(\d+) \((.*)\)$/s.exec(text);
  if (parts === null) return undefined;
  return { file: parts[1]!, line: Number(parts[2]), function: parts[3]! };
}

export function placeName({ file, line }: Place): string {
  return `${fileName(file)}:${line}`;
}
