import { readFileSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { breakingChanges } from './breaking.js';
import { Stable } from './stable.js';
import { type Walked, walk } from './walk.js';

/*
 * `openapi.json` at the top of the repository. `npm run openapi` runs this with OPENAPI_WRITE and so writes the file.
 */

const file = resolve('openapi.json');
/**
 * The document of the last version, without words and examples. A release replaces it by `npm run openapi --
 * --release`.
 */
const lastVersion = resolve('test/app/openapi/last-version.json');

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}

interface Body {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Operation {
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

const read = (path: string): OpenAPIObject => JSON.parse(readFileSync(path, 'utf8')) as OpenAPIObject;
const wordless = new Set(['description', 'summary', 'example', 'examples', 'headers', 'tags', 'title']);

/** What clients depend on. */
function bare(node: unknown, inProperties = false): unknown {
  if (Array.isArray(node)) return node.map((each) => bare(each));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key]) => inProperties || !wordless.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, bare(value, key === 'properties')]));
}

/** Places at which two documents differ. */
function differences(one: unknown, other: unknown, at = ''): string[] {
  if (Object.is(one, other)) return [];
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return [at];
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) =>
    differences(left[key], right[key], `${at}/${key}`),
  );
}

/** Clients may break at a new major version; before 1.0 at a new minor one. */
function mayBreak(before: string, after: string): boolean {
  const [[major, minor], [newMajor, newMinor]] = [before.split('.'), after.split('.')] as [string[], string[]];
  return major !== newMajor || (major === '0' && minor !== newMinor);
}

describe('openapi.json', () => {
  let walked: Walked;
  let document: OpenAPIObject;

  beforeAll(async () => {
    walked = await walk();
    if (process.env['OPENAPI_WRITE']) {
      writeFileSync(file, `${JSON.stringify(walked.document, null, 1)}\n`);
      walked = { ...walked, served: walked.document };
    }
    if (process.env['OPENAPI_WRITE'] === 'release') {
      writeFileSync(lastVersion, `${JSON.stringify(bare(walked.document))}\n`);
    }
    document = read(file);
  });

  const bodies = (): [name: string, body: Body][] =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).flatMap(([method, { requestBody, responses }]) => {
        const name = `${method.toUpperCase()} ${path}`;
        const answers = Object.entries(responses).map(([status, body]): [string, Body] => [`${name} ${status}`, body]);
        return requestBody ? [[`${name} body`, requestBody] as [string, Body], ...answers] : answers;
      }),
    );
  const media = (): [name: string, media: Media][] =>
    bodies().flatMap(([name, { content = {} }]) =>
      Object.entries(content)
        .filter(([type]) => type !== 'application/pdf')
        .map(([type, each]): [string, Media] => [`${name} ${type}`, each]),
    );

  it('matches the service and its responses; after a change run `npm run openapi`', () => {
    expect(differences(document, walked.document).slice(0, 20)).toEqual([]);
  });

  it('is the document that the service serves', () => {
    expect(differences(document, walked.served).slice(0, 20)).toEqual([]);
  });

  it('describes every response', () => {
    const undescribed = bodies().filter(
      ([name, { description = '' }]) =>
        !name.endsWith(' body') && (description.length < 5 || /as described/i.test(description)),
    );
    expect(undescribed.map(([name]) => name)).toEqual([]);
  });

  it('has an example at every body, and of each problem', () => {
    const without = media().filter(
      ([, { example, examples = {} }]) => example === undefined && !Object.keys(examples).length,
    );
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it('has examples that match their schemas', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'api', components: document.components });
    const examples = document.components?.examples as Record<string, { value: unknown }> | undefined;
    const valueOf = ({ $ref }: { $ref: string }): unknown => examples?.[$ref.split('/').at(-1) ?? '']?.value;
    const wrong = media().flatMap(([name, { schema = {}, example, examples: named = {} }]) => {
      const judge = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object);
      const values = example === undefined ? Object.values(named).map(valueOf) : [example];
      return values.flatMap((value) => (judge(value) ? [] : [`${name} ${ajv.errorsText(judge.errors)}`]));
    });
    expect(wrong).toEqual([]);
  });

  it('has no secret, token or key in an example', () => {
    const secret = /eyJ[\w-]+\.|whsec_|sk_(?:us|eu)_|Bearer \w|(?:operator|backend|reader)-key|BEGIN [A-Z ]*KEY/;
    const open = media().filter(([, { example }]) => secret.test(JSON.stringify(example ?? null)));
    expect(open.map(([name]) => name)).toEqual([]);
  });

  it('has nothing of the machine that wrote it in an example', () => {
    const shown = media().map(([, { example }]) => JSON.stringify(example ?? null));
    const machine = [process.cwd(), tmpdir(), hostname(), `"${userInfo().username}"`];
    expect(machine.filter((text) => shown.some((example) => example.includes(text)))).toEqual([]);
    const versions = { node: process.versions.node };
    expect(new Stable().of({ versions }, 'here')).toEqual(new Stable().of({ versions: { node: '1.2.3' } }, 'here'));
  });

  it('breaks clients of the last version only in a version that may', () => {
    const before = read(lastVersion);
    const changes = breakingChanges(before, document);
    expect(mayBreak(before.info.version, document.info.version) ? [] : changes).toEqual([]);
  });

  it.each([
    ['0.9.0', '0.9.1', false],
    ['0.9.0', '0.10.0', true],
    ['1.2.0', '1.3.0', false],
    ['1.2.0', '2.0.0', true],
  ])('of %s may break at %s: %s', (before, after, may) => {
    expect(mayBreak(before, after)).toBe(may);
  });
});
