// A golden file holds everything of a case in one place: why it is there, the traces, and each
// request with its answer.
//
//   Why, in words.
//
//   === trace NAME [escaped] [gzip] [flip BYTE] [keep BYTES]
//   the text of the trace
//   === $ overview NAME --steps 2
//   # why this is asked
//   what `emberline overview NAME --steps 2` prints
//   === > timeline/window {"startNs": 0} -> rows
//   # why this is asked
//   what the daemon answers, or only that part of it
//
// Requests to the daemon are one conversation, in their order; the first trace is open from the
// beginning, and `"@NAME"` stands for the id of another's profile, or of a
// folder's. In an escaped trace `\xff` is a
// byte. `gzip` packs the text; then `flip` damages the byte at a place, and `keep` cuts the file off
// behind so many bytes.
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** Sections of a golden file; joined by `writeGolden` they are the same text again. */
export function readGolden(file) {
  const [why, ...sections] = fs.readFileSync(file, 'utf8').split(/^=== /m);
  const golden = { why, traces: [], requests: [] };
  for (const section of sections) {
    const end = section.indexOf('\n');
    const head = section.slice(0, end);
    const body = section.slice(end + 1);
    const trace = /^trace (\S+)((?: (?:escaped|gzip|flip \d+|keep \d+))*)$/.exec(head);
    if (trace) {
      golden.traces.push({ head, name: trace[1], options: trace[2], text: body });
      continue;
    }
    const request = /^([$>]) (\S+) ?(.*)$/.exec(head);
    if (!request) throw new Error(`${file}: "=== ${head}" is no trace and no request`);
    const reason = /^(# .*\n)+/.exec(body)?.[0] ?? '';
    const [, form, name, all] = request;
    const [rest, part] = all.split(/ ?-> /);
    golden.requests.push({ head, form, name, rest, part, reason, answer: body.slice(reason.length) });
  }
  return golden;
}

export function writeGolden(file, { why, traces, requests }) {
  const texts = traces.map(({ head, text }) => `=== ${head}\n${text}`);
  const answers = requests.map(({ head, reason, answer }) => `=== ${head}\n${reason}${answer}`);
  fs.writeFileSync(file, [why, ...texts, ...answers].join(''));
}

/** Writes a golden file's traces into `folder`; gives their paths by name. */
export function writeTraces(golden, folder) {
  const paths = {};
  for (const { name, options, text } of golden.traces) {
    let bytes = Buffer.from(text);
    if (options.includes(' escaped')) {
      const plain = text.replace(/\\x([0-9a-f]{2})/g, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      );
      bytes = Buffer.from(plain, 'latin1');
    }
    if (options.includes(' gzip')) bytes = gzipSync(bytes);
    const flip = / flip (\d+)/.exec(options)?.[1];
    if (flip !== undefined) bytes[Number(flip)] ^= 0xff;
    const keep = / keep (\d+)/.exec(options)?.[1];
    if (keep !== undefined) bytes = bytes.subarray(0, Number(keep));
    paths[name] = path.join(folder, name);
    fs.mkdirSync(path.dirname(paths[name]), { recursive: true });
    fs.writeFileSync(paths[name], bytes);
  }
  return paths;
}
