// What the command line writes as CSV, read back.
import assert from 'node:assert/strict';

/** RFC 4180: records of fields. */
export function parseCsv(text) {
  assert.ok(text.endsWith('\r\n'));
  const records = [];
  let field = '';
  let record = [];
  let quoted = false;
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') field += text[++i];
      else if (c === '"') quoted = false;
      else field += c;
    } else if (c === '"') quoted = true;
    else if (c === ',') (record.push(field), (field = ''));
    else if (c === '\r' && text[i + 1] === '\n') {
      record.push(field);
      records.push(record);
      field = '';
      record = [];
      ++i;
    } else field += c;
  }
  return records;
}
