// The two renderers of boxes draw the same picture: WebGL2 (here on a graphics card that the browser
// emulates) and the 2D canvas where there is none.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { root } from '../../scripts/lib/paths.mjs';
import { chromiumPath } from '../../scripts/setup.mjs';

test('WebGL2 and the 2D canvas draw the same boxes', async (t) => {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'webviews', 'src', 'gl', 'boxes.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'boxes',
  });
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: outputFiles[0].text });
    const result = await page.evaluate(() => {
      const [width, height] = [400, 200];
      const startNs = 5_000_000;
      const nsPerPixel = 250;
      // Whole pixels, so that nothing is left to rounding: some inside, some cut by the edges, one
      // narrower than a pixel, one that covers everything; deep lanes are squeezed into the row.
      const pixels = [
        [-50, 30],
        [40, 41],
        [60, 90],
        [90, 90.2],
        [120, 123],
        [390, 600],
        [-1000, 1000],
      ];
      const block = {
        count: pixels.length,
        originNs: startNs - 100 * nsPerPixel,
        spans: new Float32Array(pixels.flat().map((at) => (at + 100) * nsPerPixel)),
        lanes: new Uint16Array([0, 0, 1, 1, 2, 2, 40]),
        colors: new Uint8Array(pixels.flatMap((_, i) => [40 * i, 255 - 30 * i, 90 + 10 * i])),
      };
      const places = [
        { block, y: 10, laneHeight: 18, height: 90 },
        { block, y: 120, laneHeight: 5, height: 40 },
        // Above the screen.
        { block, y: -60, laneHeight: 18, height: 54 },
      ];
      const draw = (kind) => {
        const canvas = document.createElement('canvas');
        const renderer = window.boxes.createBoxRenderer(canvas, kind);
        renderer.resize(width, height, 1);
        // Twice: what was uploaded once is drawn again, moved.
        renderer.draw(places, startNs - 1000 * nsPerPixel, nsPerPixel);
        renderer.draw(places, startNs, nsPerPixel);
        const copy = document.createElement('canvas');
        [copy.width, copy.height] = [width, height];
        const context = copy.getContext('2d');
        context.drawImage(canvas, 0, 0);
        const { data } = context.getImageData(0, 0, width, height);
        renderer.forget(new Set());
        renderer.dispose();
        return { kind: renderer.kind, data };
      };
      const flat = draw('canvas2d');
      const gl = draw('webgl2');
      const differing = [];
      let drawn = 0;
      for (let i = 0; i < flat.data.length; i += 4) {
        drawn += flat.data[i + 3] > 0;
        for (let c = 0; c < 4; c++) {
          if (flat.data[i + c] === gl.data[i + c]) continue;
          differing.push([(i / 4) % width, Math.floor(i / 4 / width)]);
          break;
        }
      }
      return {
        kinds: [flat.kind, gl.kind],
        drawn,
        total: differing.length,
        differing: differing.slice(0, 10),
      };
    });
    if (result.kinds[1] !== 'webgl2') {
      t.skip('this browser has no WebGL2');
      return;
    }
    assert.equal(result.kinds[0], 'canvas2d');
    assert.ok(result.drawn > 2000, `${result.drawn} pixels are drawn`);
    assert.deepEqual([result.total, result.differing], [0, []]);
  } finally {
    await browser.close();
  }
});
