// The pure parts of the page: numbers as text, exports, geometry of rings and flame graphs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fitted } from '../../webviews/src/gl/text.ts';
import { copiedRow, exportRows, exportTexts } from '../../webviews/src/lib/export.ts';
import { layoutFlame } from '../../webviews/src/lib/flame.ts';
import {
  axisScale,
  columnScale,
  columnScales,
  exact,
  fixed,
  quantity,
  scaled,
  share,
} from '../../extension/shared/numbers.ts';
import {
  axisMarks,
  fileName,
  shapesText,
  tickText,
  visible,
} from '../../webviews/src/lib/format.ts';
import { escapeHidden } from '../../extension/shared/hidden.ts';
import {
  cutParts,
  demangled,
  functionParts,
  shortName,
  shownNames,
} from '../../extension/shared/names.ts';
import { randomNumbers } from '../lib/random.mjs';
import { anchor } from '../../webviews/src/lanes/arrows.ts';
import { drawStepLimits } from '../../webviews/src/lanes/marks.ts';
import { fitName, fitPath, fitTrack, leastWhole } from '../../webviews/src/lib/fit_name.ts';
import { columnNames, legendNames } from '../../webviews/src/lib/legend_names.ts';
import { topFindings } from '../../webviews/src/views/overview/findings.ts';
import { labelPlaces } from '../../webviews/src/views/roofline/labels.ts';
import { firstLevels } from '../../webviews/src/widgets/table/tree.ts';
import { topParts } from '../../webviews/src/lib/parts.ts';
import { hueOf, huesOn, leastDimming, mix } from '../../webviews/src/widgets/hues.ts';
import { luminanceOf } from '../../webviews/src/widgets/theme.ts';

// A renderer of GitHub's Markdown, which the packer of the extension brings along.
const { marked } = createRequire(createRequire(import.meta.url).resolve('@vscode/vsce'))('marked');

test('a lone quantity gets the unit that suits it', () => {
  const cases = [
    [0, 'us', '0 \u00b5s'],
    [0.25, 'us', '250 ns'],
    [12.34, 'us', '12.3 \u00b5s'],
    [1234.5, 'us', '1.23 ms'],
    [2_500_000, 'us', '2.50 s'],
    [999, 'ns', '999 ns'],
    [1536, 'bytes', '1.50 KiB'],
    [512, 'bytes', '512 B'],
    [-1048576, 'bytes', '\u22121.00 MiB'],
    [0.1234, 'ratio', '12.3 %'],
    [1.0199, 'ratio', '102 %'],
    [0.99949, 'ratio', '99.9 %'],
    [0.4, 'bytes', '< 1 B'],
    [-0.4, 'bytes', '> \u22121 B'],
    [1234567, 'count', '1,234,567'],
    [999.7, 'us', '1.00 ms'],
    [10312.29, '', '10,312'],
    [0.5, '', '0.50'],
    [0.00312, '', '0.003'],
    [0.000004, '', '< 0.001'],
    [null, 'us', '\u2013'],
    [Number.NaN, 'us', '\u2013'],
  ];
  for (const [value, unit, text] of cases) assert.equal(quantity(value, unit), text);
  assert.equal(fixed(-0.01, 1), '0.0');
  assert.equal(share(1, 0), '\u2013');
  assert.equal(share(0, 10), '0 %');
  assert.equal(share(1, 1e6), '< 0.1 %');
  assert.equal(share(999_999, 1e6), '> 99.9 %');
  assert.equal(share(5, 5), '100 %');
  assert.equal(exact(1234.567891, 'us'), '1,234.567891 \u00b5s');
});

test('a column has one unit, and milliseconds keep the microsecond', () => {
  const large = columnScale('us', 2_000_000);
  assert.equal(large.suffix, 'ms');
  assert.equal(fixed(1234.567 / large.divisor, large.digits), '1.235');
  assert.equal(columnScale('us', 5000, true).digits, 0);
  assert.equal(columnScale('us', 5000, false).digits, 1);
  assert.equal(axisScale('bytes', 3 * 2 ** 30).suffix, 'GiB');
});

test('marks of an axis have the unit of the whole, and decimals that tell them apart', () => {
  const seconds = axisScale('ns', 3.2e9);
  assert.deepEqual(axisMarks([0, 1e9, 2e9, 3e9], 1e9, seconds), ['0 s', '1 s', '2 s', '3 s']);
  assert.deepEqual(axisMarks([0, 5e8, 1e9], 5e8, seconds), ['0.0 s', '0.5 s', '1.0 s']);
  // A range of a few microseconds, marked within seconds.
  assert.deepEqual(axisMarks([1_234_502_000, 1_234_504_000], 2000, seconds), [
    '1.234502 s',
    '1.234504 s',
  ]);
  assert.deepEqual(axisMarks([2500, 5000], 2500, axisScale('ns', 9000)), [
    '2.5 \u00b5s',
    '5.0 \u00b5s',
  ]);
});

test('a number that rounds to nothing is told from nothing', () => {
  const kib = columnScale('bytes', 512 * 1024);
  assert.equal(scaled(0, kib), '0.0');
  assert.equal(scaled(8, kib), '< 0.1');
  assert.equal(scaled(-8, kib), '> \u22120.1');
  assert.equal(scaled(131072, kib), '128.0');
});

test('in a table each time, size, share and rate has the unit that suits it', () => {
  const columns = [
    { unit: 'us', largest: 1_500_000 },
    { unit: 'bytes', largest: 2 ** 30 },
    { unit: 'ratio', largest: 1 },
    { unit: 'count', largest: 2_000_000 },
    { unit: 'gbPerS', largest: 3350.4 },
  ];
  const [time, size, part, count, rate] = columnScales(columns);
  assert.equal(scaled(15_100, time), '15.1 ms');
  assert.equal(scaled(0.25, time), '250 ns');
  assert.equal(scaled(83 * 1024, size), '83.0 KiB');
  assert.equal(scaled(81.1 * 2 ** 20, size), '81.1 MiB');
  assert.equal(scaled(0, part), '0 %');
  assert.equal(scaled(1, part), '100 %');
  assert.equal(scaled(0.0001, part), '< 0.1 %');
  assert.equal(scaled(1_234_567, count), '1,234,567');
  assert.equal(scaled(3350.4, rate), '3,350 GB/s');
  assert.equal(scaled(12.34, rate), '12.3 GB/s');
  assert.equal(scaled(0.0123, rate), '0.012 GB/s');
  assert.equal(scaled(0.0001, rate), '< 0.001 GB/s');
  for (const scale of [time, size, part, rate]) assert.equal(scale.suffix, '');
});

test('shapes are written as sizes', () => {
  assert.equal(shapesText('[[64, 3, 256, 256], [], [64]]'), '64x3x256x256, 64');
  assert.equal(shapesText('[[], []]'), '[[], []]');
  assert.equal(shapesText(''), '');
});

test('mangled names are shown by their function, as the daemon finds them', () => {
  const cases = JSON.parse(
    readFileSync(new URL('../lib/mangled_cases.json', import.meta.url), 'utf8'),
  );
  for (const [name, expected] of cases) assert.equal(demangled(name) ?? '', expected, name);
  const alike = ['_ZN2ck6kernelILi4EEEvi', '_ZN2ck6kernelILi8EEEvi'];
  assert.deepEqual([...shownNames(alike).values()], ['kernel<4>', 'kernel<8>']);
  // A function that only starts its template argument is shown with it, and what tells two apart.
  const entry = (add) =>
    `_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_6TraitsILb1ELNS_8FusedAddE${add}EEEEEEEvDpT1_`;
  assert.deepEqual(
    [...shownNames([entry(0), entry(1)]).values()],
    ['kentry<Rmsnorm2dFwd, 0>', 'kentry<Rmsnorm2dFwd, 1>'],
  );
  assert.equal(shortName(entry(0)), 'kentry<Rmsnorm2dFwd>');
});

test('names in little room are told apart by what differs', () => {
  const functor = (name, threads) =>
    `void at::native::elementwise_kernel<128, ${threads}, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, float, at::native::binary_internal::${name}<float> > >(at::TensorIteratorBase&)::{lambda(int)#1}>(int)`;
  const product = (tile) =>
    `Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT${tile}_MI16x16x1_SN_LDSB1_WG32_8_1`;
  const names = [
    functor('MulFunctor', 4),
    functor('AddFunctor', 4),
    functor('AddFunctor', 2),
    product('64x32x128'),
    product('64x160x128'),
    'aten::mm',
    'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x64x64_warpgroupsize1x1x1_cublas',
  ];
  const labels = legendNames(names);
  assert.deepEqual(
    [...labels.values()],
    [
      'elementwise_kernel<MulFunctor>',
      'elementwise_kernel<AddFunctor, 4>',
      'elementwise_kernel<AddFunctor, 2>',
      'Cijk_Alik_Bljk_B\u2026MT64x32x128',
      'Cijk_Alik_Bljk_B\u2026MT64x160x128',
      'aten::mm',
      'sm90_xmma_gemm\u2026cublas',
    ],
  );
  // What is not much longer than others is not cut.
  const norm = ['aten::native_batch_norm_backward', 'batch_norm_collect_statistics_kernel'];
  assert.deepEqual([...legendNames(norm).values()], norm);
  assert.equal(
    [...legendNames(['aclnnForeachAddListV2_ForeachAddListV2_ForeachAddList']).values()][0],
    'aclnnForeachAddListV2\u2026AddList',
  );
  // The function's name stays whole.
  const fill = (type) =>
    `void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<${type}>, std::array<char*, 1ul> >(int)`;
  assert.deepEqual(
    [...legendNames([fill('int'), fill('long')]).values()],
    ['int', 'long'].map((type) => `vectorized_elementwise_kernel<FillFunctor, ${type}>`),
  );
  // A column has more room: only names that look alike when they are cut are shortened.
  const column = columnNames(names);
  assert.equal(
    column.get(product('64x32x128')),
    'Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S\u2026MT64x32x128',
  );
  assert.equal(column.get(names.at(-1)), names.at(-1));
  assert.equal(column.get(names[0]), 'elementwise_kernel<\u2026MulFunctor\u2026>');
  assert.equal(column.get(names[1]), 'elementwise_kernel<\u2026AddFunctor, 4\u2026>');
  // The name of the function stays whole; a cell without room cuts it last.
  assert.deepEqual(functionParts(column.get(names[2])), {
    name: 'elementwise_kernel',
    args: '<\u2026AddFunctor, 2\u2026>',
  });
  assert.match(columnNames(names.slice(0, 1)).get(names[0]), /^elementwise_kernel<128, 4, /);

  // The name of a function stays whole without a word that says what it does, too.
  const copy = (type) =>
    `void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::OpaqueType<${type}u>, unsigned int, 3, 64, 64>(${type}*)`;
  assert.deepEqual(
    [...columnNames([copy(2), copy(4)]).values()],
    ['CatArrayBatchedCopy<\u20262u\u2026>', 'CatArrayBatchedCopy<\u20264u\u2026>'],
  );

  // Nor where the same words stand in another order.
  const flash = (...flags) => `flash_fwd_kernel<Traits<32, 128, bfloat16_t>, ${flags.join(', ')}>`;
  const flags = [flash(false, true, false), flash(false, false, false), flash(false, false, true)];
  assert.deepEqual(
    [...columnNames(flags).values()],
    ['true, false', 'false, false', 'false, true'].map(
      (which) => `flash_fwd_kernel<\u2026${which}\u2026>`,
    ),
  );

  // Names that end differently, but are told apart from those that end alike by the same words.
  const twice = ['64x32x128', '64x160x128'].flatMap((tile) =>
    ['gkgs_split', 'plain_sum'].map((end) => `${product(tile)}_${end}`),
  );
  const two = [...columnNames(twice).values()];
  assert.equal(new Set(two).size, twice.length, two.join('\n'));

  // Whatever the names, no two labels are alike.
  const random = randomNumbers(5);
  const words = ['gemm', 'bf16', '64x64', '64x32', 'tn', 'nn', 'kernel', '\u{1f525}'];
  for (let round = 0; round < 200; round += 1) {
    const drawn = new Set();
    for (let i = 0; i < 12; i += 1) {
      const count = 1 + Math.floor(random() * 12);
      const parts = Array.from({ length: count }, () => words[Math.floor(random() * words.length)]);
      drawn.add(parts.join(random() < 0.5 ? '_' : '-'));
    }
    const all = [...drawn];
    const shown = [...legendNames(all).values()];
    assert.equal(new Set(shown).size, all.length, JSON.stringify(all));
    for (const label of shown) assert.ok(label.isWellFormed(), label);
    const inColumn = new Set(columnNames(all).values());
    assert.equal(inColumn.size, all.length, JSON.stringify(all));
  }
  // Thousands of names that look alike cost no more than their number.
  const many = Array.from({ length: 5000 }, (_, i) => product(`64x${i}x128`));
  assert.equal(columnNames(many).size, many.length);
});

test('round marks of an axis have no decimals', () => {
  assert.equal(tickText(16384, 'bytes'), '16 KiB');
  assert.equal(tickText(256, 'bytes'), '256 B');
  assert.equal(tickText(10, 'gbPerS'), '10 GB/s');
  assert.equal(tickText(0.1, 'gbPerS'), '0.1 GB/s');
  assert.equal(tickText(0.01, 'gbPerS'), '0.01 GB/s');
  assert.equal(tickText(100, 'gbPerS'), '100 GB/s');
});

test('text on boxes of the timeline has contrast in every theme', () => {
  const themes = [
    { ground: [18, 19, 20], ink: 255 },
    { ground: [0, 0, 0], ink: 255 },
    { ground: [255, 255, 255], ink: 0 },
  ];
  const colors = [
    [89, 164, 249],
    [255, 211, 112],
    [137, 209, 133],
    [177, 128, 215],
    [101, 45, 144],
    [55, 78, 6],
    [181, 32, 13],
  ];
  for (const { ground, ink } of themes) {
    for (const color of colors) {
      const part = leastDimming(color, ground, ink === 255);
      const light = [luminanceOf(...mix(color, ground, part)), luminanceOf(ink, ink, ink)];
      const contrast = (Math.max(...light) + 0.05) / (Math.min(...light) + 0.05);
      assert.ok(contrast >= 4.5, `${color} on ${ground}: ${contrast}`);
      assert.ok(part < 0.8, `${color} on ${ground} keeps its hue`);
    }
  }
});

test('what could mislead is made visible', () => {
  assert.equal(visible('a\nb\u202ec\u0000'), 'a\ufffdb\ufffdc\ufffd');
  assert.equal(fileName('/a/b/c.py'), 'c.py');
  assert.equal(fileName('C:\\a\\c.py'), 'c.py');
});

const column = (key, type, unit = '', hidden = false) => ({
  key,
  title: key.toUpperCase(),
  definition: '',
  type,
  unit,
  hidden,
});

test('exports quote, escape and leave hidden columns out', () => {
  const columns = [column('a', 'text'), column('b', 'number', 'us'), column('c', 'text', '', true)];
  const rows = [
    { a: 'x, "y"', b: 1.5, c: 'secret' },
    { a: '=cmd()|1', b: null, c: '' },
    { a: '-1', b: -2 },
    { a: 'two\nlines <b>', b: 0 },
  ];
  const csv = exportRows(columns, rows, 'csv');
  assert.equal(
    csv,
    'A,B (\u00b5s)\r\n"x, ""y""",1.5\r\n\'=cmd()|1,\r\n\'-1,-2\r\ntwo\\nlines <b>,0\r\n',
  );
  const markdown = exportRows(columns, rows, 'markdown').trimEnd().split('\n');
  assert.equal(markdown.length, rows.length + 2);
  assert.equal(markdown[3], '| =cmd()\\|1 |  |');
  assert.equal(markdown[5], '| two lines &lt;b> | 0 |');
  assert.deepEqual(JSON.parse(exportRows(columns, rows, 'json'))[1], { a: '=cmd()|1', b: null });
  assert.equal(
    exportTexts(['N', 'V'], [['a', '1,234.5']], [false, true], 'csv'),
    'N,V\r\na,1234.5\r\n',
  );
});

const cases = JSON.parse(
  readFileSync(new URL('../lib/escape_cases.json', import.meta.url), 'utf8'),
);

test('hidden characters are escaped as the program does, and no others', () => {
  for (const [text, escaped] of cases.escaped) assert.equal(escapeHidden(text), escaped);
  const hidden = new Set();
  for (const range of cases.hidden) {
    const [first, last] = range.split('-').map((digits) => Number.parseInt(digits, 16));
    for (let code = first; code <= last; code += 1) hidden.add(code);
  }
  for (let code = 0; code <= 0x10ffff; code += 1) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCodePoint(code);
    assert.equal(escapeHidden(character) !== character, hidden.has(code), code.toString(16));
    if (hidden.has(code)) assert.equal(visible(character), '\ufffd');
  }
});

test('cells of CSV are those of the program', () => {
  const columns = [column('a', 'text'), column('b', 'number')];
  for (const [text, cell] of cases.csv) {
    assert.equal(exportRows(columns, [{ a: text, b: -1 }], 'csv'), `A,B\r\n${cell},-1\r\n`);
  }
  assert.equal(copiedRow(['=1', -1, 'a\tb\u202e', null]), "'=1\t-1\ta\\tb\\u{202e}\t");
});

test('JSON for the clipboard hides nothing and says the same', () => {
  const rows = [{ a: 'x\u202e\u009b\u{e0065}\u200b\\u202e größe' }];
  const text = exportRows([column('a', 'text')], rows, 'json');
  assert.equal(visible(text.replaceAll('\n', '')), text.replaceAll('\n', ''));
  assert.deepEqual(JSON.parse(text), rows);
});

test('Markdown shows the names of a trace, and follows none of their links', () => {
  const names = [
    'aten::mm',
    'void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int, float)',
    '[click](http://evil.example)',
    '![x](https://evil.example/a.png)',
    '[a]: http://evil.example',
    '[[wiki]] [ref][1] [^1]',
    'http://evil.example/?a=1&b=_2_ www.evil.example evil.example',
    'me@evil.example mailto:me@evil.example //evil.example ftp://evil.example',
    '<img src=x onerror=alert(1)> <a href="http://evil.example">x</a> <http://evil.example>',
    '&lt;b&gt; &#91;x&#93;(http://evil.example)',
    '`code` ``x` | a \\| b \\` c\\',
    '**bold** __init__ _x_ ~~gone~~ $a$ # h',
    'a](http://evil.example) | [b',
    '`](http://evil.example)`[x](http://evil.example)',
    'train.py:12 torch.nn.modules.linear',
    'x`a.b`[y](z.q)`',
  ];
  const columns = [column('a', 'text'), column('b', 'number')];
  const markdown = exportRows(
    columns,
    names.map((a) => ({ a, b: 1.5 })),
    'markdown',
  );
  const html = marked.parse(markdown, { gfm: true });
  assert.doesNotMatch(html, /<(?:a|img|em|strong|del|h\d)\b/i);
  assert.doesNotMatch(markdown, /\]\(|!\[/);
  const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };
  const shown = [...html.matchAll(/<tr>\s*<td>(.*?)<\/td>\s*<td[^>]*>1\.5<\/td>/g)].map(
    ([, cell]) =>
      cell
        .replace(/<\/?code>/g, '')
        .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
        .replace(/&(?:amp|lt|gt|quot);/g, (entity) => entities[entity]),
  );
  assert.deepEqual(shown, names);
});

test('a bar keeps the largest parts and adds up the rest', () => {
  const parts = [3, 0, 5, 1, 2, -4].map((value, index) => ({ name: `p${index}`, value }));
  const { top, rest, restCount } = topParts(parts, 2);
  assert.deepEqual(
    top.map((part) => part.value),
    [5, 3],
  );
  assert.equal(rest, 3);
  assert.equal(restCount, 2);
});

test('a flame graph nests, adds up, and bears depth', () => {
  const leaf = (name, value, children = []) => ({ name, value, children });
  const { nodes, total, depth } = layoutFlame([
    leaf('a', 10, [leaf('b', 4), leaf('c', 5, [leaf('d', 5)])]),
    leaf('e', 2, [leaf('f', 3)]),
  ]);
  assert.equal(total, 13);
  assert.equal(depth, 3);
  for (const node of nodes) {
    let at = node.start;
    for (const child of node.children) {
      assert.ok(child.start >= at && child.start + child.value <= node.start + node.value + 1e-9);
      at = child.start + child.value;
    }
  }
  assert.deepEqual(
    nodes.map((node) => [node.name, node.start, node.value]),
    [
      ['a', 0, 10],
      ['b', 0, 4],
      ['c', 4, 5],
      ['d', 4, 5],
      ['e', 10, 3],
      ['f', 10, 3],
    ],
  );
  let deep = leaf('end', 1);
  for (let i = 0; i < 50_000; i++) deep = leaf('frame', 1, [deep]);
  assert.equal(layoutFlame([deep]).depth, 50_001);
});

test('a name that is cut to its box keeps the number by which it differs', () => {
  // Every character is 6 wide, so nothing here depends on a font.
  const context = { font: '11px any', measureText: (text) => ({ width: 6 * text.length }) };
  assert.equal(fitted(context, 'aten::convolution', 200), 'aten::convolution');
  assert.equal(fitted(context, 'aten::convolution', 68), 'aten::conv\u2026');
  assert.equal(fitted(context, 'aten::convolution', 12), '');
  assert.equal(fitted(context, 'ProfilerStep#1011', 68), 'Profi\u2026#1011');
  assert.equal(fitted(context, 'ProfilerStep#1011', 32), '#1011');
  assert.equal(fitted(context, 'ProfilerStep#1011', 20), 'Pr\u2026');
  for (const width of [20, 32, 50, 68, 90]) {
    for (const text of ['ProfilerStep#1011', 'aten::convolution', `x${'y'.repeat(1000)}`]) {
      assert.ok(6 * fitted(context, text, width).length <= width, `${text} in ${width}`);
    }
  }
});

test('names of kernels are shortened to what tells them apart', () => {
  const cases = [
    ['void at::native::foo<float>(int, at::native::Bar)', 'foo<float>'],
    ['aten::mm', 'aten::mm'],
    ['ampere_bf16_s16816gemm_bf16_128x64', 'ampere_bf16_s16816gemm_bf16_128x64'],
    [
      'void (anonymous namespace)::elementwise_kernel_with_index<int, at::X>(int)',
      'elementwise_kernel_with_index<int, X>',
    ],
    ['void cub::Kernel<cub::Policy<int>::P500, int>(int*)', 'Kernel<Policy<int>::P500, int>'],
    ['Memcpy HtoD (Pageable -> Device)', 'Memcpy HtoD (Pageable -> Device)'],
    ['triton_poi_fused_add_0', 'triton_poi_fused_add_0'],
    // A name that was cut inside its parameters, and one that was cut before them.
    ['void at::foo<at::X>(int, at::Ba\u2026', 'foo<X>'],
    ['void at::foo<at::X, at::Ba\u2026', 'foo<X, Ba\u2026'],
    ['void (anonymous namespace)::foo<int>(at::(anonymous namespace)::B\u2026', 'foo<int>'],
    ['', ''],
    ['(', '('],
    [')))', ')))'],
  ];
  for (const [whole, short] of cases) assert.equal(shortName(whole), short);
  // Overloads differ in their parameters alone: both are shown whole.
  const overloads = ['void f<int>(int)', 'void f<int>(float)', 'void g<int>(int)'];
  assert.deepEqual(
    [...shownNames(overloads).values()],
    ['void f<int>(int)', 'void f<int>(float)', 'g<int>'],
  );
  const long = `${'a'.repeat(60)}tail`;
  const { head, tail } = cutParts(long);
  assert.equal(head + tail, long);
  assert.ok(tail.endsWith('tail') && tail.length < 30);
  assert.equal(cutParts('short').tail, '');
  // What tells two operators apart often stands at their ends.
  assert.equal(cutParts('aten::max_pool2d_with_indices_backward').tail, '_backward');
  assert.equal(cutParts('aten::native_batch_norm').tail, '');
});

test('template arguments of a kernel give way to its function, and say what it does', () => {
  const cases = [
    ['fill<Half>', { name: 'fill', args: '<Half>' }],
    [
      'vectorized_elementwise_kernel<4, BinaryFunctor<float, MulFunctor<float>>, array<char*, 3ul> >',
      { name: 'vectorized_elementwise_kernel', args: '<\u2026MulFunctor\u2026>' },
    ],
    [
      'reduce_kernel<512, 1, ReduceOp<float, MeanOps<float, float, float>, 4>>',
      { name: 'reduce_kernel', args: '<\u2026MeanOps\u2026>' },
    ],
    [
      'Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16>',
      { name: 'Kernel2', args: '<cutlass_80_tensorop_bf16_s16816gemm_bf16>' },
    ],
    ['aten::mm', undefined],
    ['Memcpy HtoD (Pageable -> Device)', undefined],
    ['<lambda>', undefined],
    ['operator<', undefined],
  ];
  for (const [text, parts] of cases) assert.deepEqual(functionParts(text), parts, text);
});

test('a small table is exported as JSON under its titles', () => {
  const text = exportTexts(['Name', 'Time (ms)'], [['a', '1,234.5']], [false, true], 'json');
  assert.deepEqual(JSON.parse(text), [{ Name: 'a', 'Time (ms)': 1234.5 }]);
});

test('a name has the same hue in the timeline and in graphs', () => {
  const ground = [30, 30, 30];
  const hues = huesOn(ground);
  const color = (name) => hueOf(name, hues, ground).join();
  assert.equal(color('nn.Module: Conv2d_3'), color('nn.Module: Conv2d_12'));
  assert.equal(color('moca/train.py(53): step'), color('/home/me/moca/train.py(61): step'));
  assert.notEqual(color('moca/train.py(53): step'), color('moca/train.py(53): main'));
  assert.notEqual(color('aten::mm'), color('aten::addmm'));
});

test('labels of roofs keep clear of points and of each other', () => {
  const level = {
    label: 'fp32 vector 19.5 TFLOP/s',
    short: 'fp32 vector',
    x1: 100,
    y1: 80,
    x2: 500,
    y2: 80,
  };
  const free = labelPlaces([level], [])[0];
  assert.ok(free.x + free.width <= 500 && free.x + free.width > 490 && free.y < 80);
  // A point where the label would stand: it moves along the line.
  const moved = labelPlaces([level], [{ x: 480, y: 70, r: 10 }])[0];
  assert.ok(moved.x + moved.width < 470 && moved.y < 80);
  // A point that the label would only just not touch keeps it away too.
  const beside = free.x - 11;
  assert.notDeepEqual(labelPlaces([level], [{ x: beside, y: 70, r: 10 }])[0], free);
  assert.deepEqual(labelPlaces([level], [{ x: beside - 2, y: 70, r: 10 }])[0], free);
  // Points all along: it goes below.
  const row = Array.from({ length: 40 }, (_, index) => ({ x: 100 + 10 * index, y: 72, r: 6 }));
  assert.ok(labelPlaces([level], row)[0].y > 80);
  // Two roofs that nearly are one: neither label lies on the other.
  const [first, second] = labelPlaces([level, { ...level, y1: 82, y2: 82 }], []);
  const apart = second.x + second.width <= first.x || Math.abs(second.y - first.y) >= 12;
  assert.ok(apart, JSON.stringify([first, second]));
  // Points all along the line itself: the label stands a line away.
  const on = row.map(({ x }) => ({ x, y: 80, r: 8 }));
  const off = labelPlaces([level], on)[0];
  assert.ok(off.y <= 70 && off.y > 52, JSON.stringify(off));
  // Not where it might be another roof's.
  const above = { ...level, label: 'bf16 matrix 990 TFLOP/s', y1: 50, y2: 50 };
  assert.ok(labelPlaces([level, above], on)[0].y > 92);
  // Roofs above and below: it stands in front of its line, where there is room.
  const later = { ...level, x1: 250, y1: 80, y2: 80 };
  const around = [later, { ...above, x1: 250 }, { ...above, x1: 250, y1: 110, y2: 110 }];
  const front = labelPlaces(
    around,
    on.filter(({ x }) => x > 250),
  )[0];
  assert.ok(front.x + front.width < 250 && Math.abs(front.y - 80) < 8, JSON.stringify(front));
  // A roof closely below, and points above: the label stays clear of the other roof.
  const below = { ...level, label: 'fp64 vector 9.70 TFLOP/s', y1: 91, y2: 91 };
  const few = [150, 250, 350, 450].map((x) => ({ x, y: 72, r: 6 }));
  assert.ok(labelPlaces([level], few)[0].y > 80);
  assert.ok(labelPlaces([level, below], few)[0].y < 80);
});

test('a roof whose label would lie on another one has a short label, or none', () => {
  const level = (label, y) => ({
    label: `${label} 19.5 TFLOP/s`,
    short: label,
    x1: 0,
    x2: 260,
    y1: y,
    y2: y,
  });
  const lines = [80, 84, 88, 92, 96, 100].map((y, index) => level(`fp${index} vector`, y));
  const places = labelPlaces(lines, []);
  const shown = places.filter((place) => place !== undefined);
  assert.ok(shown.length < lines.length, 'there is no room for all of them');
  assert.ok(shown.some(({ text }) => lines.some(({ short }) => short === text)));
  for (const [index, one] of shown.entries()) {
    for (const other of shown.slice(0, index)) {
      const apart =
        one.x + one.width <= other.x ||
        other.x + other.width <= one.x ||
        Math.abs(one.y - other.y) >= 12;
      assert.ok(apart, JSON.stringify([one, other]));
    }
  }
  // Nothing stands over the numbers of the axis.
  assert.deepEqual(labelPlaces([level('fp64 matrix', 80)], [], 250), [undefined]);
});

test('a tree with one root shows what is inside it', () => {
  const node = (id, children = []) => ({ id, children, childCount: children.length });
  const many = Array.from({ length: 30 }, (_, index) => node(index + 2));
  assert.deepEqual([...firstLevels([node(1, many)])], [1]);
  assert.deepEqual([...firstLevels([node(100), node(1, many)])], []);
});

test('the overview begins with findings that matter to the step', () => {
  const finding = (id, severity, gainUs) => ({ id, severity, gainUs });
  const idle = finding('idle', 'warning', null);
  const lacks = finding('lacks', 'info', null);
  const far = finding('far', 'warning', 2);
  assert.deepEqual(topFindings([idle, lacks], [far], 100), [idle, far, lacks]);
  // Two microseconds of a step of thirteen seconds are not worth a word.
  assert.deepEqual(topFindings([idle, lacks], [far], 13e6), [idle, lacks]);
});

test('operations step from thousands to thousands', () => {
  assert.equal(quantity(602_112, 'flops'), '602 KFLOP');
  assert.equal(quantity(925e6, 'flops'), '925 MFLOP');
  assert.equal(quantity(300, 'flops'), '300 FLOP');
});

test('the shortest form of a kernel has its whole function and what tells it apart', () => {
  const cases = [
    [
      'vectorized_elementwise_kernel<\u2026pow_tensor_scalar_kernel_impl\u2026>',
      'vectorized_elementwise_kernel<pow_tensor_scalar>',
    ],
    [
      'elementwise_kernel<\u2026direct_copy_kernel_cuda, 12\u2026>',
      'elementwise_kernel<direct_copy, 12>',
    ],
    [
      'reduce_kernel<512, 1, ReduceOp<float, MeanOps<float, 4>>>',
      'reduce_kernel<\u2026MeanOps\u2026>',
    ],
    ['indexSelect<BFloat16, long, unsigned int, 2>', 'indexSelect<\u2026>'],
    ['flash<4>', 'flash<4>'],
    ['ampere_sgemm_128x64_nn', 'ampere_sgemm_128x64_nn'],
  ];
  for (const [text, least] of cases) {
    assert.equal(leastWhole(text), least);
    const fitted = fitName(text, least.length, (part) => part.length);
    assert.ok(fitted.startsWith(least.split('<')[0]), fitted);
  }
});

test('a name is shortened once, to the room that it has, by what its parts mean', () => {
  // Every letter is as wide as every other one.
  const fit = (text, letters) => fitName(text, letters, (part) => part.length);
  const told = 'vectorized_elementwise_kernel<\u2026pow_tensor_scalar_kernel_impl\u2026>';
  const cases = [
    [told, 80, told],
    // What tells the kernel from others stays longer than its function's name.
    [told, 60, 'vectorized_elementwise_kernel<pow_tensor_scalar_kernel_impl>'],
    [told, 50, 'vectorized_elementwise_kernel<pow_tensor_scalar>'],
    // Some of the word gives way before any of the function's name, and of several words the first.
    [told, 45, 'vectorized_elementwise_kernel<pow_te\u2026_scalar>'],
    [
      'vectorized_elementwise_kernel<\u2026CUDAFunctor_add, BFloat16\u2026>',
      52,
      'vectorized_elementwise_kernel<CUDAFuncto\u2026, BFloat16>',
    ],
    [told, 30, 'vectorized\u2026<pow_tensor_scalar>'],
    [
      'elementwise_kernel<\u2026direct_copy_kernel_cuda, 12\u2026>',
      40,
      'elementwise_kernel<direct_copy, 12>',
    ],
    [told, 16, 'vect\u2026<pow_tens\u2026>'],
    // Of a function that stands alone, the arguments go first.
    [
      'flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>, true>',
      40,
      'flash_fwd_kernel<Flash_fwd_kernel_trai\u2026>',
    ],
    ['indexSelect<BFloat16, long, unsigned int, 2>', 32, 'indexSelect<BFloat16, long\u2026>'],
    [
      'reduce_kernel<512, 1, ReduceOp<float, MeanOps<float, 4>>>',
      30,
      'reduce_kernel<\u2026MeanOps\u2026>',
    ],
    ['unrolled_elementwise_kernel<4, false>', 28, 'unrolled_elementwise_kernel'],
    // Ends tell the others apart.
    [
      'sm90_xmma_gemm_bf16bf16_tilesize128x64x64_kernel__5x_cublas',
      30,
      'sm90_xmma_gemm_bf1\u2026__5x_cublas',
    ],
    ['aten::convolution_backward', 20, 'aten::conv\u2026_backward'],
    ['aten::convolution_backward', 16, 'aten::convoluti\u2026'],
    ['aten::mm', 4, '\u2026mm'],
    ['aten::mm', 2, 'a\u2026'],
    // Namespaces go first.
    ['aten::native_batch_norm_backward', 28, '\u2026native_batch_norm_backward'],
    [
      'autograd::engine::evaluate_function: NativeBatchNormBackward0',
      46,
      '\u2026evaluate_function: NativeBatchNormBackward0',
    ],
    [
      'autograd::engine::evaluate_function: NativeBatchNormBackward0',
      36,
      'evaluate\u2026: NativeBatchNormBackward0',
    ],
    [
      'autograd::engine::evaluate_function: torch::autograd::AccumulateGrad',
      30,
      'evaluate\u2026: AccumulateGrad',
    ],
    ['autograd::engine::evaluate_function: torch::autograd::AccumulateGrad', 18, 'AccumulateGrad'],
    // An end begins with a whole word, also in one without lines between.
    [
      'aclnnMaxPool2dWithMaskBackward_MaxPoolGradWithArgmaxV1',
      40,
      'aclnnMaxPool2dWithMaskB\u2026GradWithArgmaxV1',
    ],
    ['Qwen2RotaryEmbedding_12', 14, 'Qwen2Rotar\u2026_12'],
  ];
  for (const [text, letters, shown] of cases) {
    assert.equal(fit(text, letters), shown, `${text} in ${letters}`);
  }
  // What room is left shows what stands around the word that tells a name from others.
  for (const [text, full, letters, shown] of [
    [
      'Kernel2<\u2026256x128\u2026>',
      'Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1>',
      47,
      'Kernel2<\u2026bf16_s1688gemm_bf16_256x128_nn_align1>',
    ],
    [
      'flash_fwd<\u2026true, false\u2026>',
      'flash_fwd<traits<80, 64, bfloat16_t>, false, true, false, true>',
      47,
      'flash_fwd<\u2026false, true, false, true>',
    ],
    [
      'reduce<\u2026MeanOps\u2026>',
      'reduce<512, ReduceOp<BFloat16, MeanOps<BFloat16, float, float>, 4>>',
      34,
      'reduce<\u2026MeanOps<BFloat16, float\u2026>>',
    ],
    // The same of names without arguments.
    [
      'igemm_bwd\u2026bt64x256x32',
      'igemm_bwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x256x32_wt32x32x8_ws1x1_wr2x2_gkgs',
      64,
      'igemm_bwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x256x32_\u2026_ws1x1_wr2x2_gkgs',
    ],
    [
      'igemm_bwd\u2026bt64x256x32',
      'igemm_bwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x256x32_wt32x32x8_ws1x1_wr2x2_gkgs',
      40,
      'igemm_bwd\u2026bt64x256x32',
    ],
    // No part of a word, and no other function.
    ['f<\u20266\u2026>', 'f<16, 64>', 8, 'f<\u20266\u2026>'],
    // All of it, where there is room.
    ['f<\u20266\u2026>', 'f<16, 64>', 40, 'f<16, 64>'],
    // Several words, and what stands between them.
    [
      'elementwise<\u2026MulFunctor, 4\u2026>',
      'elementwise<128, 4, BinaryFunctor<float, MulFunctor<float>>, float, array<char*, 1ul>>',
      64,
      'elementwise<128, 4, BinaryFunctor<float, MulFunctor<float>>\u2026>',
    ],
    [
      'elementwise<\u2026MulFunctor, 4\u2026>',
      'elementwise<128, 4, BinaryFunctor<float, MulFunctor<float>>, float, array<char*, 1ul>>',
      40,
      'elementwise<\u2026MulFunctor, 4\u2026>',
    ],
    ['f<\u20266\u2026>', 'g<6, 64>', 40, 'f<\u20266\u2026>'],
  ]) {
    assert.equal(
      fitName(text, letters, (part) => part.length, full),
      shown,
    );
  }
  for (const [text] of cases) {
    for (let letters = 12; letters < 90; letters++) {
      const shown = fit(text, letters);
      assert.ok(shown.length <= letters, `${shown} in ${letters}`);
      assert.ok(shown.length > Math.min(text.length, letters) / 3, `${shown} in ${letters}`);
    }
  }
  const path = 'Overlap Analysis: Communication';
  for (const [letters, shown] of [
    [40, path],
    [24, 'Overlap\u2026: Communication'],
    [14, 'Communication'],
    [8, 'Communi\u2026'],
  ]) {
    assert.equal(
      fitPath(path, path.indexOf(': '), letters, (part) => part.length),
      shown,
    );
  }
  const method = 'ShapesDataset.__getitem__';
  for (const [letters, shown] of [
    [25, method],
    [16, 'Sha\u2026.__getitem__'],
    [12, '__getitem__'],
  ]) {
    assert.equal(
      fitPath(method, method.indexOf('.'), letters, (part) => part.length),
      shown,
    );
  }
  for (const [letters, name, shown] of [
    [22, 'thread 25286 (python3)', 'thread 25286 (python3)'],
    [18, 'thread 25286 (python3)', '25286 (python3)'],
    [12, 'Thread 140737', '140737'],
    [8, 'dataloader', 'dataloa\u2026'],
  ]) {
    assert.equal(
      fitTrack(name, letters, (part) => part.length),
      shown,
    );
  }
  const faces = '\u{1F600}'.repeat(40);
  assert.doesNotMatch(
    fit(faces, 20),
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/,
  );
});

test('an arrow ends on the lane of its slice, whatever box that is drawn in', () => {
  const row = { track: { id: 4 }, y: 100, height: 180, laneHeight: 18 };
  const rows = new Map([[4, row]]);
  // Slices that are too small to tell apart are one box: the drawing knows none of them.
  const scene = { scroll: 30, data: new Map() };
  const at = (track, lane) => anchor(scene, rows, { slice: 7, track, lane });
  assert.equal(at(4, 0), 79);
  assert.equal(at(4, 6), 187);
  // The arrows of a closed row end inside it.
  row.height = 18;
  row.laneHeight = 3;
  assert.equal(at(4, 6), 86);
  assert.equal(at(5, 0), undefined);
});

test('limits of steps leave names whole', () => {
  const lines = [];
  const context = {
    setLineDash() {},
    beginPath() {},
    stroke() {},
    moveTo: (x, y) => lines.push([x, y]),
    lineTo: (x, y) => lines.at(-1).push(x, y),
    measureText: (text) => ({ width: 6 * text.length }),
  };
  const steps = [
    { startNs: 0, endNs: 50 },
    { startNs: 50, endNs: 100 },
  ];
  const scene = { startNs: 1, endNs: 101, width: 1000, height: 90, tracks: { steps } };
  const name = (text, left, top) => ({ text, left, room: 700, top, height: 18 });
  const names = [
    // They reach over the first limit, in this order, whose lanes touch.
    name('a name that goes on and on', 400, 54),
    name('a name that goes on and on', 400, 36),
    // There is room below the limit, which the name does not take.
    name('short', 400, 0),
    name('behind', 495, 72),
  ];
  drawStepLimits(context, scene, {}, names);
  assert.deepEqual(lines, [
    [490.5, 0, 490.5, 36],
    [490.5, 72, 490.5, 90],
    [990.5, 0, 990.5, 90],
  ]);
});
