// What the program says to people stands in catalogs, by code: translators and clients that speak
// another language find all of it there, and nothing is said twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTracked, trackedFiles } from './files.mjs';

/** Files that hold sentences by code. */
const catalogs = /^native\/([\w/]+\/(errors|messages)\.h|cost\/reasons\.h|store\/problems\.cc)$/;

/** The literals of a C++ text, with what stands in one piece together, and their places. */
function literals(text) {
  const bare = text
    .replace(/R"(\w*)\([^]*?\)\1"/g, '""')
    .replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*/g, (all, literal) => literal ?? '')
    .replace(/"\s*\n\s*"/g, '')
    // The log is for those who mend the program.
    .replace(/\b(Log|OnEnd|Stop)\([^;]*;/g, '');
  return [...bare.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map((match) => match[1]);
}

const kinds = ['ErrorText', 'FindingText', 'AbsenceText', 'Sentence'];

const entries = (kind, file) =>
  [
    ...readTracked(file).matchAll(new RegExp(`constexpr ${kind} (k\\w+)\\{[^"]*?"(\\w+)"`, 'g')),
  ].map(([, name, code]) => ({ name, code, file }));

for (const kind of kinds) {
  test(`the codes of catalogs are unique, and say what the name says: ${kind}`, () => {
    const all = trackedFiles(catalogs).flatMap((file) => entries(kind, file));
    assert.ok(all.length > 5, `${all.length} entries were found`);
    const seen = new Map();
    const wrong = [];
    for (const { name, code, file } of all) {
      if (seen.has(code)) wrong.push(`${code}: ${seen.get(code)} and ${file}`);
      seen.set(code, file);
      // American spelling in names; codes that clients know stay as they are.
      if (name.toLowerCase().replace('ization', 'isation') !== `k${code.toLowerCase()}`) {
        if (name.toLowerCase() !== `k${code.toLowerCase()}`) wrong.push(`${name}: ${code}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}

test('every entry of a catalog is said somewhere', () => {
  const code = trackedFiles(/^native\/.*\.(cc|h)$/)
    .filter((file) => !catalogs.test(file))
    .map(readTracked)
    .join('\n');
  const used = new Set(code.match(/\b(errors|messages|reasons)::k\w+/g));
  const unused = trackedFiles(catalogs)
    .filter((file) => file.endsWith('.h'))
    .flatMap((file) => {
      const [, space] = /(\w+)\.h$/.exec(file);
      return kinds
        .flatMap((kind) => entries(kind, file))
        .filter(({ name }) => !used.has(`${space}::${name}`))
        .map(({ name }) => `${file}: ${name}`);
    });
  assert.deepEqual(unused, []);
});

test('errors are made of the catalogs', () => {
  const wrong = trackedFiles(/^native\/.*\.(cc|h)$/)
    .filter((file) => !catalogs.test(file) && !/^native\/base\/result\./.test(file))
    .filter((file) => /(?<!-> )\bError\s*\{(?!\})|\{\s*ErrorKind::/.test(readTracked(file)));
  assert.deepEqual(wrong, []);
});

/** Where nothing but the catalogs says anything to people. */
const finished =
  /^native\/(base|json|store|ingest|session|source|attribution|rpc|ranks\/(job|load_job|make_digest|notes|counters)\.cc|analysis\/(findings|headline|timeline_gaps)|cost\/advice|app\/(augment|commands|diff|option_checks|output|ranks\.cc))/;

/** What has the form of a sentence and is none: names that recorders write, definitions of columns. */
const noSentence =
  /^native\/(ingest\/trace_event\/(arg_names|event_sink|importer)\.cc|rpc\/views\/compare_tables\.cc|base\/message\.h)$/;

test('sentences about problems, loading, findings and requests stand in catalogs', () => {
  const wrong = trackedFiles(/^native\/.*\.(cc|h)$/)
    .filter((file) => finished.test(file) && !catalogs.test(file) && !noSentence.test(file))
    .flatMap((file) =>
      literals(readTracked(file))
        .filter((text) => /[a-z] [a-z]+ [a-z]+/.test(text) && text.length > 15)
        .map((text) => `${file}: ${text}`),
    );
  assert.deepEqual(wrong, []);
});

/** Makers of columns (analysis/columns.h): the key, and with the view what the column's code is. */
const columnMakers =
  'TextKey|IntegerKey|TextFact|IntegerFact|FlagFact|MomentFact|Duration|Count|ByteCount|Share|Quotient|Link';

/** Columns whose texts are chosen or put together at run time, by key; "" for columns of others. */
const madeColumns = new Set(['minUs', 'maxUs', 'slice', 'idleCategory', 'timeUs', 'withoutUs', '']);

test('labels of the timeline and of the parts of a step stand in catalogs', () => {
  const wrong = trackedFiles(/^native\/analysis\/(steps|timeline_index)\.cc$/)
    .flatMap((file) => literals(readTracked(file)).map((text) => ({ file, text })))
    // Keys, units, the beginning of a device's name, and what stands between recorded names.
    .filter(({ text }) => /^[A-Z]/.test(text) && text !== 'GPU ')
    .map(({ file, text }) => `${file}: ${text}`);
  assert.deepEqual(wrong, []);
});

/** A reason is a clause. Formulas and names of what is read or written have no verb. */
const clause = /\b(was|were|is|are|do|does|says|gives|takes|asks|cannot|hold|holds|has|have)\b/;

test('reasons why a cost is not known stand in their catalog', () => {
  const wrong = trackedFiles(/^native\/cost\/.*\.(cc|h)$/)
    .filter(
      (file) => !catalogs.test(file) && !/(launch_columns|cost_table|device_table)/.test(file),
    )
    .flatMap((file) =>
      // Errors inside of Lua are told to nobody: what they say becomes a reason.
      literals(readTracked(file).replace(/luaL_error\([^;]*;/g, ''))
        .filter((text) => clause.test(text) && !text.startsWith(', '))
        .map((text) => `${file}: ${text}`),
    );
  assert.deepEqual(wrong, []);
});

test('titles and definitions of columns stand beside their keys, as they are shown', () => {
  const wrong = [];
  const call = new RegExp(`(?<![\\w.>:])(?:${columnMakers})\\(\\s*"(\\w*)",([^]{0,400})`, 'g');
  for (const file of trackedFiles(/^native\/.*\.(cc|h)$/)) {
    const text = readTracked(file)
      .replace(/\/\/[^\n]*/g, '')
      .replace(/"\s*\n\s*"/g, '');
    for (const [, key, rest] of text.matchAll(call)) {
      if (!/^\s*"[^"]+",\s*"/.test(rest) && !madeColumns.has(key)) wrong.push(`${file}: ${key}`);
    }
  }
  assert.deepEqual(wrong, []);
});
