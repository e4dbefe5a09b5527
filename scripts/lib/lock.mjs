// One build at a time in this checkout: two would write the same files.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertWritable, toolsDir } from './paths.mjs';

const lockFile = join(toolsDir, 'build.lock');

/** The process that holds the lock; undefined when nobody living does. */
function holder() {
  let pid;
  try {
    pid = Number(readFileSync(lockFile, 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    // A process of another user is alive, too.
    return error.code === 'EPERM' ? pid : undefined;
  }
}

function take() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Runs `part` while no other `npm start`, `npm test` or build of this checkout builds. */
export async function whileBuilding(part) {
  assertWritable();
  mkdirSync(toolsDir, { recursive: true });
  for (let told = false; !take();) {
    const pid = holder();
    if (pid === undefined) {
      // Left behind by one that was killed.
      rmSync(lockFile, { force: true });
      continue;
    }
    if (!told) {
      console.log(
        `Process ${pid} is building in this folder; waiting for it (its lock: ${lockFile})`,
      );
      told = true;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const release = () => rmSync(lockFile, { force: true });
  process.once('exit', release);
  try {
    return await part();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}
