// What can be asked of any trace, and the traces of a corpus.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { plainMethods, protocol, resolved } from './daemon.mjs';

/** What can be chosen in a method beside the default, as the protocol lists it. */
export const choices = Object.fromEntries(
  plainMethods.map((method) => {
    const { properties } = resolved(protocol.methods[method].params);
    const list = Object.entries(properties).flatMap(([key, schema]) => {
      if (schema.enum !== undefined) return schema.enum.map((value) => ({ [key]: value }));
      return schema.type === 'boolean' ? [{ [key]: true }] : [];
    });
    return [method, list];
  }),
);

/** Traces below a corpus' folder, in order. */
export function tracesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'oracles' ? [] : tracesIn(path);
      return /\.json(\.gz)?$/.test(entry.name) ? [path] : [];
    });
}
