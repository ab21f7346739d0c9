import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/*
 * node scripts/client.mjs [FILE]
 *
 * Writes the types and the operations of the TypeScript client (clients/typescript/src/api.ts, or FILE) from
 * openapi.json.
 */

const root = resolve(import.meta.dirname, '..');
const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
const target = resolve(process.argv[2] ?? join(root, 'clients/typescript/src/api.ts'));

/** Leaves room for the indentation of the deepest field. */
const COMMENT_COLUMNS = 100;
const wrapped = new RegExp(`\\S.{0,${COMMENT_COLUMNS - 1}}(?!\\S)`, 'g');

const nameOf = (ref) => ref.split('/').at(-1);
const quoted = (value) => JSON.stringify(value);
const key = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name));
const either = (types) => [...new Set(types)].join(' | ') || 'never';

function comment({ description, deprecated }) {
  const text = [description, deprecated && '@deprecated'].filter(Boolean).join(' ').replaceAll('*/', '* /');
  if (text.length <= COMMENT_COLUMNS) return text ? `/** ${text} */\n` : '';
  return `/**\n${text
    .match(wrapped)
    .map((line) => ` * ${line}\n`)
    .join('')} */\n`;
}

function typeOf(schema = {}) {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return quoted(schema.const);
  const choices = schema.oneOf ?? schema.anyOf;
  // Beside another shape a list is not readonly, because Array.isArray narrows only such lists.
  if (choices?.some(({ $ref }) => $ref)) return either(choices.map(typeOf)).replace(/readonly (?=\(\w+\)\[\])/g, '');
  if (choices) return either(choices.map(typeOf));
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ');
  const types = [schema.type ?? []].flat();
  if (schema.enum) return either([...schema.enum.map(quoted), ...(types.includes('null') ? ['null'] : [])]);
  return types.length === 0 ? 'unknown' : either(types.map((type) => plainType(type, schema)));
}

function plainType(type, schema) {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return `readonly (${typeOf(schema.items)})[]`;
  return type === 'object' ? objectType(schema) : type;
}

/** Fields of the other choices of a discriminated union, so that each can be read without a guard. */
const absent = new Map();
for (const { oneOf, discriminator } of Object.values(document.components.schemas)) {
  if (!discriminator) continue;
  const choices = oneOf.map(({ $ref }) => nameOf($ref));
  const fieldsOf = (name) => Object.keys(document.components.schemas[name].properties);
  const every = new Set(choices.flatMap(fieldsOf));
  for (const name of choices)
    absent.set(
      name,
      [...every].filter((field) => !fieldsOf(name).includes(field)),
    );
}

function objectType({ properties, required = [], additionalProperties }, others = []) {
  const open = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  const isOpen = additionalProperties !== false && (!properties || additionalProperties !== undefined);
  const fields = Object.entries(properties ?? {}).map(
    ([name, field]) => `${comment(field)}readonly ${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field)};`,
  );
  const none = others.map((name) => `readonly ${key(name)}?: undefined;`);
  return `{\n${[...fields, ...none, ...(isOpen ? [`readonly [field: string]: ${open};`] : [])].join('\n')}\n}`;
}

function parametersType(parameters, place) {
  const own = parameters.filter((parameter) => parameter.in === place);
  const fields = own.map(
    (parameter) =>
      `${comment(parameter)}readonly ${key(parameter.name)}${parameter.required ? '' : '?'}: ${typeOf(parameter.schema)};`,
  );
  return fields.length === 0 ? 'undefined' : `{\n${fields.join('\n')}\n}`;
}

/** The JSON of a request, or a form. */
function bodyType(requestBody) {
  if (!requestBody) return 'undefined';
  const { content } = requestBody;
  return content['application/json'] ? typeOf(content['application/json'].schema) : 'FormData';
}

/** The JSON of successful responses; text if they have none, undefined without a body. */
function answerType(responses) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = successes.map(([, { content }]) => {
    if (!content) return 'undefined';
    return content['application/json'] ? typeOf(content['application/json'].schema) : 'string';
  });
  return either(types);
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { tags }]) => !tags.includes('webhooks') && !tags.includes('probes'))
    // A PDF is downloaded with fetch instead.
    .filter(([, { responses }]) => !responses['200']?.content?.['application/pdf'])
    .map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
);

const schemas = Object.entries(document.components.schemas).map(
  ([name, schema]) =>
    `${comment(schema)}export type ${name} = ${absent.has(name) ? objectType(schema, absent.get(name)) : typeOf(schema)};`,
);

const types = operations.map(({ operationId, summary, parameters, requestBody, responses }) =>
  [
    `${comment({ description: summary })}${operationId}: {`,
    `path: ${parametersType(parameters, 'path')};`,
    `query: ${parametersType(parameters, 'query')};`,
    `body: ${bodyType(requestBody)};`,
    `answer: ${answerType(responses)};`,
    '};',
  ].join('\n'),
);

const rows = operations.map(({ operationId, method, path, parameters }) => {
  const keyed = parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key');
  return `${operationId}: { method: ${quoted(method)}, path: ${quoted(path)}, keyed: ${keyed} },`;
});

const text = `/* Written by scripts/client.mjs from openapi.json; do not edit. */

/** The version of the service that this client was made for. */
export const version = ${quoted(document.info.version)};

${schemas.join('\n\n')}

/** Parameters and responses of each operation. */
export interface Operations {
${types.join('\n')}
}

/** Method and path of each operation; \`keyed\`: it takes an idempotency key. */
export const operations = {
${rows.join('\n')}
} as const satisfies Record<keyof Operations, { method: string; path: string; keyed: boolean }>;
`;

writeFileSync(target, text);
const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
const { status } = spawnSync(process.execPath, [biome, 'check', '--write', '--linter-enabled=false', target], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
});
process.exitCode = status ?? 1;
