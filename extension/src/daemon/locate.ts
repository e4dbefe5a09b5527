import { accessSync, chmodSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';

const program = process.platform === 'win32' ? 'emberline.exe' : 'emberline';

/**
 * The daemon's program: the one of the settings, the one packed with the extension, or in a
 * checkout the one built there.
 */
export function daemonProgram(extensionPath: string, configured: string): string {
  if (configured !== '') return configured;
  const packed = join(extensionPath, 'bin', program);
  if (existsSync(packed)) return makeExecutable(packed);
  const built = join(extensionPath, 'build', 'bin', program);
  return existsSync(built) ? built : packed;
}

/** Some unpackers lose the mode of files. */
function makeExecutable(path: string): string {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    try {
      chmodSync(path, 0o755);
    } catch {
      // Starting it says what is wrong.
    }
  }
  return path;
}
