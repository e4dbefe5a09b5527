// What shows of a large trace while it is read: marked as a part, without findings, and replaced by the
// whole where it stands.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeTrace } from '../generator/generate.mjs';
import { Harness, axe } from './harness.mjs';
import { themes } from './themes.mjs';

let harness;
let folder;
/** profile/open's, profile/firstPicture's and profile/load's results of one trace. */
let opened;
let picture;
let whole;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-picture-'));
  const file = join(folder, 'large.pt.trace.json.gz');
  await writeTrace({ out: file, dialect: 'torch-2.8', events: 1_200_000, seed: 5, steps: 60 });
  process.env.EMBERLINE_FIRST_PICTURE_LEAST_KB = '8192';
  harness = await Harness.start();
  delete process.env.EMBERLINE_FIRST_PICTURE_LEAST_KB;
  // Both come from the real daemon; what the page does with them then depends on no race.
  const { daemon } = harness;
  opened = await daemon.request('profile/open', { path: file });
  const { profileId } = opened;
  const pictured = new Promise((resolve, reject) => {
    daemon.progress.set('load', (value) => {
      if (value.firstPicture !== true) return;
      daemon.progress.delete('load');
      daemon.request('profile/firstPicture', { profileId }).then(resolve, reject);
    });
  });
  const load = daemon.request('profile/load', {
    profileId,
    workDoneToken: 'load',
    firstPicture: true,
  });
  picture = await Promise.race([
    pictured,
    load.then(() => new Promise((_, reject) => setTimeout(reject, 5000, new Error('no picture')))),
  ]);
  whole = await load;
});
after(async () => {
  await harness?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A page on which `whole` has not arrived yet; `picture()` is there as soon as the page asks. */
async function withReading(options, work) {
  await harness.withPage(
    opened.path,
    { hold: true, wait: false, ...options },
    async (profile, page) => {
      await page.setViewportSize({ width: 1280, height: 800 });
      profile.profileId = opened.profileId;
      const forward = profile.forward.bind(profile);
      profile.forward = (message) =>
        message.method === 'profile/firstPicture'
          ? profile.send({ type: 'response', id: message.id, result: options.answer ?? picture })
          : forward(message);
      const reading = (percent, more) =>
        profile.send({ type: 'loading', stage: 'read', percent, ...more });
      await page.getByRole('progressbar').waitFor();
      await reading(7);
      await work(profile, page, {
        show: async () => {
          await reading(21, { firstPicture: true });
          await strip(page).waitFor();
        },
        reading,
        finish: async () => {
          await profile.send({ type: 'loaded', profile: opened, trace: whole });
          await strip(page).waitFor({ state: 'detached' });
          await profile.settled();
        },
      });
    },
  );
}

const asked = (profile) =>
  profile.messages.filter(({ type }) => type === 'request').map(({ method }) => method);

const strip = (page) => page.getByRole('group', { name: 'Part of the trace' });
const headline = (page) => page.getByRole('region', { name: 'Answer' }).getByRole('paragraph');
const findings = (page) => page.getByRole('region', { name: 'Findings' }).getByRole('listitem');
const health = (page) => page.getByRole('region', { name: 'Trace health' });

test('the part says that it is one, concludes nothing, and gives way to the whole', async () => {
  await withReading({}, async (profile, page, { show, reading, finish }) => {
    assert.deepEqual(asked(profile), [], 'nothing is asked before there is a picture');
    await show();
    const percent = Math.round(picture.fraction * 100);
    const said = await strip(page).getByRole('status').textContent();
    assert.match(said, new RegExp(`^First ${percent} % of the file: [\\d,]+ host events and`));
    assert.match(said, /[\d,]+ GPU activities\. Figures will change\.$/);
    assert.equal(await headline(page).textContent(), picture.overview.headline.text);
    await page.getByText('Findings appear once the whole trace is read.').waitFor();
    assert.equal(await findings(page).count(), 0);
    assert.equal(await health(page).count(), 0);
    // Reading goes on; the picture is asked for once, and nothing else is.
    await reading(40, { firstPicture: true });
    await page.waitForFunction(() => document.querySelector('progress').value === 40);
    assert.deepEqual(asked(profile), ['profile/firstPicture']);
    await page.getByRole('tab', { name: 'Operators' }).click();
    await page.getByText('Waiting for the whole trace').waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await headline(page).waitFor();
    assert.deepEqual(asked(profile), ['profile/firstPicture']);
    await finish();
    assert.notEqual(await headline(page).textContent(), picture.overview.headline.text);
    await findings(page).first().waitFor();
    await health(page).waitFor();
    await page.getByRole('tab', { name: 'Operators' }).click();
    await profile.settled();
    assert.ok(asked(profile).includes('view/operators'));
  });
});

/** Where each panel of the overview begins, and the answer, by name. */
const places = (page) =>
  page
    .getByRole('tabpanel')
    .evaluate((view) =>
      Object.fromEntries(
        [...view.querySelectorAll('section[aria-label], h2')].map((one) => [
          one.ariaLabel ?? one.textContent,
          (({ x, y }) => [x, y].map((edge) => edge.toFixed(1)))(one.getBoundingClientRect()),
        ]),
      ),
    );

/** Sums what the browser counts as content that moved, from now on. */
const watchShifts = (page) =>
  page.evaluate(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.shifted += entry.value;
    }).observe({ type: 'layout-shift', buffered: false });
  });

test('nothing moves when the whole takes its place, and the focus stays', async () => {
  await withReading({}, async (profile, page, { show, finish }) => {
    await show();
    const before = await places(page);
    assert.ok(Object.keys(before).length >= 5, Object.keys(before).join());
    const focused = page.getByRole('region', { name: 'Average step' }).getByRole('button').first();
    await focused.focus();
    await focused.evaluate((element) => (element.dataset.mark = 'kept'));
    await watchShifts(page);
    await finish();
    const now = await places(page);
    for (const [name, place] of Object.entries(before)) {
      assert.deepEqual(now[name], place, `${name} stays where it is`);
    }
    assert.equal(await page.evaluate(() => document.activeElement?.dataset.mark), 'kept');
    const shifted = await page.evaluate(() => window.shifted);
    assert.ok(shifted < 0.01, `layout shifts of ${shifted}`);
  });
});

test('loading is cancelled from the part, and who stood on that button is not lost', async () => {
  await withReading({}, async (profile, page, { show, finish }) => {
    await show();
    const cancel = page.getByRole('button', { name: 'Cancel' });
    await profile.sent('cancelLoad', () => cancel.click());
    await profile.send({
      type: 'failed',
      error: { kind: 'cancelled', message: 'Loading was cancelled.' },
    });
    await page.getByRole('heading', { name: 'Loading was cancelled' }).waitFor();
    assert.equal(await strip(page).count(), 0);
    // Another try begins without a part, and comes to the end.
    await profile.send({ type: 'loading', stage: 'read', percent: 0 });
    await page.getByRole('progressbar', { name: 'Loading the trace' }).waitFor();
    assert.equal(await strip(page).count(), 0);
    await show();
    await cancel.focus();
    await finish();
    assert.equal(
      await page.evaluate(() => document.activeElement?.textContent),
      'Overview',
      'the tab has the focus',
    );
  });
});

test('a part without device work says so', async () => {
  const roles = picture.overview.roles.map((role) => ({
    ...role,
    present: role.present && !['kernel', 'memcpy', 'memset'].includes(role.key),
  }));
  const answer = {
    ...picture,
    deviceSlices: 0,
    trace: { ...picture.trace, hasDeviceWork: false, devices: [] },
    overview: { ...picture.overview, hasDeviceWork: false, gpus: [], roles },
  };
  await withReading({ answer }, async (profile, page, { show, finish }) => {
    await show();
    assert.match(
      await strip(page).getByRole('status').textContent(),
      /and no GPU work yet\. Figures will change\.$/,
    );
    await page
      .getByText('No GPU work has been read yet, so its time still counts as host time.')
      .waitFor();
    const before = await places(page);
    await finish();
    const now = await places(page);
    for (const [name, place] of Object.entries(before)) assert.deepEqual(now[name], place, name);
  });
});

test('accessible in every theme', async () => {
  for (const theme of Object.keys(themes)) {
    await withReading({ theme }, async (profile, page, { show }) => {
      await show();
      assert.deepEqual(await axe(page), [], theme);
    });
  }
});
