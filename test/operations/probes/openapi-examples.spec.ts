import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { TestApp } from '../../support/test-app.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly minimum?: number;
  readonly default?: unknown;
}

interface Media {
  readonly schema?: Schema;
}

interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

let app: TestApp;
let document: OpenAPIObject;

beforeAll(async () => {
  app = await TestApp.create();
  document = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
});

afterAll(() => app.close());

const nameOf = (schema: Schema): string | undefined => schema.$ref?.split('/').at(-1);

function resolve(schema: Schema): Schema {
  const name = nameOf(schema);
  const found = name === undefined ? schema : (document.components?.schemas?.[name] as Schema | undefined);
  if (!found) throw new TypeError(`no schema ${name}`);
  return found;
}

const plain: ReadonlySet<string> = new Set(['boolean', 'integer', 'number', 'null']);
const typesOf = ({ type }: Schema): readonly string[] => [type ?? []].flat();

/** What may stand there is clear without an example. */
function tells(schema: Schema): boolean {
  const types = typesOf(schema);
  if (types.length > 0 && types.every((type) => plain.has(type))) return true;
  return schema.format === 'date-time' || schema.enum !== undefined || schema.default !== undefined;
}

const partsOf = (schema: Schema): readonly Schema[] => [
  ...(schema.allOf ?? []),
  ...(schema.oneOf ?? []),
  ...(schema.anyOf ?? []),
];

/** Fields at which somebody reading the document would have to guess, as `Schema.field`. */
function guesses(given: Schema, at: string, seen: readonly Schema[] = []): string[] {
  const schema = resolve(given);
  if (given.example !== undefined || schema.example !== undefined || seen.includes(schema)) return [];
  const deeper = [...seen, schema];
  const parts = partsOf(schema);
  if (parts.length > 0) return parts.flatMap((part) => guesses(part, at, deeper));
  if (schema.properties) {
    const own = nameOf(given) ?? at;
    return Object.entries(schema.properties).flatMap(([name, field]) => guesses(field, `${own}.${name}`, deeper));
  }
  if (schema.items) return guesses(schema.items, at, deeper);
  if (typeof schema.additionalProperties === 'object') return guesses(schema.additionalProperties, at, deeper);
  return tells(schema) ? [] : [at];
}

/** What the browsable form shows of a schema. */
function sample(given: Schema): unknown {
  const schema = resolve(given);
  const own = given.example ?? schema.example ?? schema.default ?? schema.enum?.[0];
  if (own !== undefined) return own;
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(sample)) as unknown;
  const [choice] = partsOf(schema);
  if (choice) return sample(choice);
  if (schema.properties) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, sample(field)]));
  }
  return schema.items ? [sample(schema.items)] : ofType(schema);
}

function ofType(schema: Schema): unknown {
  const [type = 'string'] = typesOf(schema);
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'object') return {};
  return schema.format === 'date-time' ? '2026-11-20T12:00:00.000Z' : null;
}

interface Described {
  /** The operation, and `body` or the status of an answer. */
  readonly name: string;
  readonly media: Media;
}

function described(): Described[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (!operation || !/^\/(v1|admin)\//.test(path)) return [];
      const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      return [['body', operation.requestBody ?? {}] as const, ...answers].flatMap(([what, { content = {} }]) =>
        Object.entries(content)
          .filter(([type]) => type.endsWith('json'))
          .map(([, media]) => ({ name: `${method.toUpperCase()} ${path} ${what}`, media })),
      );
    }),
  );
}

describe('examples in the OpenAPI document', () => {
  it('leave nothing to guess in any body and any answer', () => {
    const open = described().flatMap(({ name, media }) => (media.schema ? guesses(media.schema, name) : [name]));
    expect([...new Set(open)].sort()).toEqual([]);
  });

  it('are what their schemas say', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'api', components: document.components });
    const wrong = described().flatMap(({ name, media: { schema = {} } }) => {
      const judge = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as Schema);
      return judge(sample(schema)) ? [] : (judge.errors ?? []).map((e) => `${name} ${e.instancePath} ${e.message}`);
    });
    expect(wrong).toEqual([]);
  });
});
