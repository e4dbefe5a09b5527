// The traces of the corpus for which Holistic Trace Analysis has figures.

import path from 'node:path';
import { after, before } from 'node:test';
import { corpus, withoutCorpus } from '../lib/cli.mjs';
import { startDaemon } from '../rpc/daemon.mjs';

let daemon;
before(async () => {
  if (withoutCorpus) return;
  daemon = startDaemon();
  await daemon.initialize();
});
after(() => daemon?.stop());

/** Opens HTA's trace of this name; what it gives asks for a method of that profile. */
export async function opened(name) {
  const file = path.join(corpus, 'hta', `${name}.json.gz`);
  const { profileId } = await daemon.request('profile/open', { path: file });
  return (method, params = {}) => daemon.request(method, { profileId, ...params });
}
