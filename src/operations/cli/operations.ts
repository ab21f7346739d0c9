import { installedDocument } from '../../http/server/installed-document.js';

/*
 * The admin routes of openapi.json as far as the command line needs them. Commands are made from them: the tag is the
 * noun, the operation the verb, the parameters and the fields of the body are the options.
 */

export type InputKind = 'text' | 'day' | 'time' | 'number' | 'boolean' | 'texts' | 'json';

/** A parameter, or a field of the body. */
export interface Input {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header' | 'body';
  readonly required: boolean;
  readonly kind: InputKind;
  readonly choices: readonly string[] | undefined;
  readonly description: string;
}

/** Form of a successful answer. */
export type Answer = 'object' | 'rows' | 'pages' | 'file' | 'nothing';

export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  /** Without `/admin/v1`. */
  readonly path: string;
  readonly summary: string;
  /** It has another name by now. */
  readonly isDeprecated: boolean;
  readonly inputs: readonly Input[];
  readonly answer: Answer;
  /** Also as CSV, written by the service. */
  readonly hasCsv: boolean;
  /** Name of the schema of the response. */
  readonly schema: string | undefined;
  /** Columns of rows, or lines of an object, in order; else those of the data. */
  readonly columns: readonly string[] | undefined;
  /** The response is a job that continues in the background. */
  readonly job: Job | undefined;
}

/** The calls that follow a job. */
export interface Job {
  /** Returns its state. */
  readonly path: string;
  /** The property of the job that fills the path. */
  readonly key: string;
  /** The list below the job, shown once it has ended. */
  readonly rows: Pick<Operation, 'path' | 'columns'> | undefined;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly (string | null)[];
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly 'x-columns'?: readonly string[];
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const PREFIX = '/admin/v1';
const JSON_TYPE = 'application/json';
/** Left to the program. */
const ownInputs = new Set([
  'cursor',
  'limit',
  'accept',
  'if-none-match',
  'traceparent',
  'x-request-id',
  'x-access-reason',
]);

type Call = Omit<Operation, 'job'> & { readonly isAccepted: boolean; readonly fields: readonly string[] };

export interface AdminApi {
  readonly operations: readonly Operation[];
  /** Subject of the operations with a tag. */
  readonly tags: ReadonlyMap<string, string>;
}

let installed: AdminApi | undefined;

/** Of the document beside the program, which is read once, because it has two megabytes. */
export function installedApi(): AdminApi {
  return (installed ??= adminApi());
}

/** The admin operations, in the order of the document; none if it was not installed. */
export function adminApi(document = installedDocument() as Document | undefined): AdminApi {
  if (document === undefined) return { operations: [], tags: new Map() };
  const schemas = new Schemas(document.components.schemas);
  const calls = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(`${PREFIX}/`))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, documented]) =>
        callOf(method.toUpperCase(), path.slice(PREFIX.length), documented, schemas),
      ),
    );
  return {
    operations: calls.map((call) => ({ ...call, job: call.isAccepted ? jobOf(call, calls) : undefined })),
    tags: new Map(document.tags.map(({ name, description }) => [name, description.replace(/^[^:]*: /, '')])),
  };
}

function callOf(method: string, path: string, documented: DocumentedOperation, schemas: Schemas): Call {
  // The last: a dry run answers with 200, the call itself with 202.
  const [status, response] =
    Object.entries(documented.responses)
      .filter(([code]) => code.startsWith('2'))
      .at(-1) ?? [];
  const content = response?.content;
  const schema = content?.[JSON_TYPE]?.schema;
  return {
    id: documented.operationId,
    tag: documented.tags[0] ?? '',
    method,
    path,
    summary: documented.summary,
    isDeprecated: documented.deprecated ?? false,
    inputs: inputsOf(documented, schemas),
    answer: answerOf(documented, content, schemas),
    hasCsv: content?.['text/csv'] !== undefined,
    schema: nameOf(schema),
    fields: schema ? Object.keys(schemas.propertiesOf(schema)) : [],
    columns: documented['x-columns'],
    isAccepted: status === '202',
  };
}

function answerOf({ parameters }: DocumentedOperation, content: Content | undefined, schemas: Schemas): Answer {
  if (content === undefined) return 'nothing';
  const schema = content[JSON_TYPE]?.schema;
  if (!schema) return 'file';
  if (schemas.propertiesOf(schema)['data']?.items === undefined) return 'object';
  return parameters?.some(({ name }) => name === 'cursor') ? 'pages' : 'rows';
}

function inputsOf({ parameters = [], requestBody }: DocumentedOperation, schemas: Schemas): Input[] {
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const required = body ? schemas.requiredOf(body) : [];
  const fields = Object.entries(body ? schemas.propertiesOf(body) : {}).map(([name, schema]) =>
    inputOf({ name, place: 'body', required: required.includes(name) }, schema, schema.description, schemas),
  );
  const others = parameters
    .filter(({ name }) => !ownInputs.has(name) && !fields.some((field) => field.name === name))
    .map(({ name, in: place, required = false, description, schema }) =>
      inputOf({ name, place, required }, schema, description, schemas),
    );
  return [...others, ...fields];
}

function inputOf(
  known: Pick<Input, 'name' | 'place' | 'required'>,
  schema: Schema,
  description: string | undefined,
  schemas: Schemas,
): Input {
  const { enum: choices, ...found } = schemas.resolved(schema);
  return {
    ...known,
    kind: kindOf(found, schemas),
    choices: choices?.filter((choice) => choice !== null),
    description: sentenceOf(description ?? found.description ?? known.name.replaceAll(/[_-]/g, ' ').toLowerCase()),
  };
}

function kindOf({ type, format, items }: Schema, schemas: Schemas): InputKind {
  const types = typesOf(type);
  if (types.includes('array')) {
    return items && typesOf(schemas.resolved(items).type).includes('string') ? 'texts' : 'json';
  }
  if (types.includes('object') || types.length === 0) return 'json';
  if (types.includes('integer') || types.includes('number')) return 'number';
  if (types.includes('boolean')) return 'boolean';
  if (format === 'date') return 'day';
  return format === 'date-time' ? 'time' : 'text';
}

function typesOf(type: Schema['type']): readonly string[] {
  return type === undefined ? [] : [type].flat();
}

/** The first sentence, as help texts begin and end. */
function sentenceOf(text: string): string {
  const [first = ''] = text.split(/\.(?= [A-Z]|$)/);
  return first.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

function nameOf(schema: Schema | undefined): string | undefined {
  return schema?.$ref?.split('/').at(-1);
}

/** The call that returns every field of this response, by one of them. */
function jobOf({ fields }: Call, calls: readonly Call[]): Job | undefined {
  for (const { method, path, fields: shown } of calls) {
    const key = /^[^{]*\{(\w+)\}$/.exec(path)?.[1];
    if (method !== 'GET' || key === undefined || !fields.includes(key)) continue;
    if (!fields.every((field) => shown.includes(field))) continue;
    return { path, key, rows: calls.find((call) => call.answer === 'pages' && call.path.startsWith(`${path}/`)) };
  }
  return undefined;
}

class Schemas {
  constructor(private readonly named: Readonly<Record<string, Schema>>) {}

  /** Without references and the alternative `null`. */
  resolved(schema: Schema): Schema {
    const name = nameOf(schema);
    if (name !== undefined) return this.resolved(this.named[name] ?? {});
    const [first] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
    return first ? { ...schema, ...this.resolved(first) } : schema;
  }

  propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
    const { allOf = [], properties } = this.resolved(schema);
    return Object.assign({}, ...allOf.map((part) => this.propertiesOf(part)), properties) as Record<string, Schema>;
  }

  requiredOf(schema: Schema): readonly string[] {
    const { allOf = [], required = [] } = this.resolved(schema);
    return [...allOf.flatMap((part) => this.requiredOf(part)), ...required];
  }
}
