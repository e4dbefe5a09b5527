// TypeScript types of the protocol, from the JSON Schemas in native/rpc/protocol.
import { mkdirSync, readFileSync, readdirSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMain, root } from './lib/paths.mjs';

const schemaDir = join(root, 'native', 'rpc', 'protocol');
/** One file for extension and page. */
const typesFile = join(root, 'extension', 'shared', 'protocol.ts');

/** All files of the definition as one: `{$defs, methods, views}`. Names are unique across files. */
export function readProtocol() {
  const $defs = {};
  const methods = {};
  const views = [];
  const files = existsSync(schemaDir)
    ? readdirSync(schemaDir)
        .filter((name) => name.endsWith('.json'))
        .sort()
    : [];
  for (const file of files) {
    const part = JSON.parse(readFileSync(join(schemaDir, file), 'utf8'));
    views.push(...(part.views ?? []));
    for (const [kind, into] of [
      ['$defs', $defs],
      ['methods', methods],
    ]) {
      for (const [name, value] of Object.entries(part[kind] ?? {})) {
        if (name in into) throw new Error(`${file}: ${name} is defined twice in the protocol`);
        into[name] = value;
      }
    }
  }
  return { $defs, methods, views };
}

/**
 * A schema as the compiler understands it: references within the one merged document, and what stands
 * beside a reference joined to it by `allOf`. In JSON Schema both hold; the compiler would let the one
 * replace the other, and write the type once more for a reference with a description of its own.
 */
function joined(schema) {
  if (Array.isArray(schema)) return schema.map(joined);
  if (typeof schema !== 'object' || schema === null) return schema;
  const all = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, joined(value)]),
  );
  if (typeof all.$ref !== 'string') return all;
  const { $ref, ...beside } = all;
  const reference = { $ref: $ref.replace(/^[\w-]+\.json(?=#)/, '') };
  if (Object.keys(beside).length === 0) return reference;
  return { ...beside, allOf: [reference, ...(beside.allOf ?? [])] };
}

const typeName = (method) =>
  method.replace(/(^|[/$._-]+)([a-zA-Z])/g, (_, _separator, letter) => letter.toUpperCase());

/** The text of the generated module. */
export async function protocolTypes({ $defs, methods, views }) {
  const { compile } = await import('json-schema-to-typescript');
  const empty = { type: 'object', properties: {}, additionalProperties: false };
  // One root that names everything makes the compiler write each definition exactly once.
  const definitions = joined($defs);
  const table = [];
  for (const [method, { params, result, description }] of Object.entries(methods)) {
    const base = typeName(method);
    for (const [suffix, schema] of [
      ['Params', params],
      ['Result', result],
    ]) {
      const name = base + suffix;
      if (name in definitions) {
        throw new Error(`${method}: the protocol's own definition ${name} has a generated name`);
      }
      definitions[name] = joined(schema ?? (suffix === 'Params' ? empty : { type: 'null' }));
      definitions[name].description ??= `${suffix} of \`${method}\`.`;
    }
    table.push({ method, base, description });
  }
  // The compiler drops a definition that only names another one, and null: those are written here.
  const aliases = [];
  for (const [name, schema] of Object.entries(definitions)) {
    if (name in $defs) continue;
    const target = /^#\/\$defs\/(\w+)$/.exec(schema.$ref ?? '')?.[1];
    if (target !== undefined) aliases.push(`export type ${name} = ${target};`);
    else if (schema.type === 'null') aliases.push(`export type ${name} = null;`);
    else continue;
    delete definitions[name];
  }
  const all = {
    type: 'object',
    title: 'EmberlineProtocol',
    properties: Object.fromEntries(
      Object.keys(definitions).map((name) => [name, { $ref: `#/$defs/${name}` }]),
    ),
    $defs: definitions,
    additionalProperties: false,
  };
  const compiled = await compile(all, 'EmberlineProtocol', {
    bannerComment: '',
    additionalProperties: false,
    declareExternallyReferenced: true,
    enableConstEnums: false,
    strictIndexSignatures: false,
    unknownAny: true,
    format: true,
    style: { singleQuote: true, printWidth: 100 },
  });
  // The root itself is of no use to anybody.
  const types = compiled.replace(/export interface EmberlineProtocol \{[\s\S]*?\n\}\n/, '');
  for (const name of Object.keys(definitions)) {
    if (!new RegExp(`export (interface|type) ${name}\\b`).test(types)) {
      throw new Error(`No type was generated for ${name}`);
    }
  }
  const rows = table.map(({ method, base, description }) => {
    const text = (description ?? '').replaceAll('*/', '* /');
    return `  /** ${text} */\n  '${method}': { params: ${base}Params; result: ${base}Result };`;
  });
  return [
    '// Generated from native/rpc/protocol/*.json by scripts/protocol-types.mjs.',
    types.trim(),
    ...(aliases.length > 0 ? [aliases.join('\n')] : []),
    '/** Every method of the protocol with what it takes and gives. */',
    `export interface Methods {\n${rows.join('\n')}\n}`,
    'export type Method = keyof Methods;',
    `/** The views, in the order of their tabs. */\nexport const views = [\n${views
      .map(({ name, title }) => `  { name: '${name}', title: '${title}' },`)
      .join('\n')}\n] as const;`,
    "export type ViewName = (typeof views)[number]['name'];",
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

/** Writes the types when they changed; true when something was written. */
export async function writeProtocolTypes() {
  const text = await protocolTypes(readProtocol());
  if (existsSync(typesFile) && readFileSync(typesFile, 'utf8') === text) return false;
  mkdirSync(dirname(typesFile), { recursive: true });
  writeFileSync(typesFile, text);
  return true;
}

if (isMain(import.meta)) await writeProtocolTypes();
