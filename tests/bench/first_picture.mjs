// When the first picture of a large trace stands, as a share of its whole load, and what making it costs
// the load.
//
//   node tests/bench/first_picture.mjs TRACE [--rounds 3]
import { isMain } from '../../scripts/lib/paths.mjs';
import { startDaemon } from '../rpc/daemon.mjs';
import { memoryOf } from '../lib/process_memory.mjs';
import { argument, cpuSecondsOf, printTable, withMemory } from './lib.mjs';

/** One load in a daemon of its own, with a picture or without. Times are seconds. */
async function load(path, pictured) {
  const daemon = startDaemon({ env: { EMBERLINE_TRACE_CACHE: 'off' } });
  try {
    await daemon.initialize();
    const { profileId } = await daemon.request('profile/open', { path });
    const begin = performance.now();
    const since = () => (performance.now() - begin) / 1000;
    const loading = daemon.exchange('profile/load', {
      profileId,
      workDoneToken: 1,
      firstPicture: pictured,
    });
    let shown;
    let picture;
    if (pictured) {
      const told = daemon.message(({ params }) => params?.value?.firstPicture === true);
      if (await Promise.race([told, loading.then(() => undefined)])) {
        const answer = await daemon.exchange('profile/firstPicture', { profileId });
        shown = since();
        picture = answer.message.result;
      }
    }
    await loading;
    const seconds = since();
    const { pid } = daemon.child;
    return { seconds, shown, picture, cpu: cpuSecondsOf(pid), peak: memoryOf(pid).peak };
  } finally {
    await daemon.stop();
  }
}

const least = (list, of) => Math.min(...list.map(of));

/** The fastest of some rounds: what disturbs a measurement only ever slows it. */
export async function measureFirstPicture(path, rounds) {
  const [plain, pictured] = [[], []];
  for (let i = 0; i < rounds; ++i) {
    plain.push(await withMemory(2 ** 31, () => load(path, false)));
    pictured.push(await withMemory(2 ** 31, () => load(path, true)));
  }
  if (pictured.some(({ picture }) => picture === undefined)) return undefined;
  const of = (list) => ({
    seconds: least(list, ({ seconds }) => seconds),
    cpu: least(list, ({ cpu }) => cpu),
    peak: Math.max(...list.map(({ peak }) => peak)),
  });
  return {
    plain: of(plain),
    pictured: of(pictured),
    shown: least(pictured, ({ shown }) => shown),
    fraction: pictured[0].picture.fraction,
  };
}

export function printFirstPicture({ plain, pictured, shown, fraction }) {
  const row = (name, { seconds, cpu, peak }) => [
    name,
    seconds.toFixed(2),
    cpu.toFixed(2),
    (peak / 1e6).toFixed(0),
  ];
  printTable([
    ['load', 's', 'processor s', 'peak MB'],
    row('alone', plain),
    row('with a picture', pictured),
  ]);
  const percent = (100 * fraction).toFixed(0);
  console.log(`The picture, of ${percent} % of the file, stands after ${shown.toFixed(2)} s.`);
}

if (isMain(import.meta)) {
  const result = await measureFirstPicture(process.argv[2], Number(argument('--rounds', '3')));
  if (result === undefined) console.log('Too small for a picture.');
  else printFirstPicture(result);
}
