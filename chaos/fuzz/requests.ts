import type { Rng } from '../../sandbox/engine/random.js';
import { signatureHeaders } from '../../sandbox/webhooks/signing.js';
import { type Schema, Values } from './values.js';

/** Callers, by the headers they send. */
export interface Credentials {
  readonly operator: string;
  readonly app: string;
  readonly webhookSecret: string;
  /** Milliseconds since the epoch, as the service reads its clock. */
  readonly now: () => number;
}

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer | undefined;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
  };
}

/** The parts of the OpenAPI document from which requests are made. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
const KEPT_IDS = 40;
const idLike = /(_id|^id|cursor|key|provider|resource|slug|status)$/;

/** Generates seeded requests for every operation of a document: valid, nearly valid and nonsense. */
export class Requests {
  private readonly operations: readonly { method: string; path: string; operation: Operation }[];
  private readonly known = new Map<string, string[]>();
  private readonly values: Values;

  constructor(
    document: ApiDocument,
    private readonly rng: Rng,
    private readonly credentials: Credentials,
  ) {
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const operation = item[method] as Operation | undefined;
        return operation ? [{ method: method.toUpperCase(), path, operation }] : [];
      }),
    );
    this.values = new Values(rng, (document.components?.schemas ?? {}) as Record<string, Schema>, this.known);
  }

  /** Number of operations covered by requests. */
  get size(): number {
    return this.operations.length;
  }

  /** Request `index` is for operation `index` modulo their number, so that all are called equally often. */
  make(index: number): FuzzRequest {
    const { method, path, operation } = this.operations[
      index % this.operations.length
    ] as Requests['operations'][number];
    const parameters = operation.parameters ?? [];
    const body = this.body(operation);
    const headers = { ...this.headers(parameters, path), ...body.headers };
    const asked = this.filled(path, parameters) + this.query(parameters);
    if (!asked.includes('%zz') && this.rng.chance(0.02)) {
      return { method: 'POST', path: asked.split('?')[0] ?? '', headers: {}, body: undefined };
    }
    const request = { method, path: asked, headers, body: body.text };
    return path === '/webhooks' ? this.signed(request) : request;
  }

  /** Remembers ids in a response for later requests. */
  learn(value: unknown, depth = 0): void {
    if (typeof value !== 'object' || value === null || depth > 5) return;
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 5)) this.learn(item, depth + 1);
      return;
    }
    for (const [name, item] of Object.entries(value)) {
      if (typeof item === 'string' && idLike.test(name) && item.length < 500) this.keep(name, item);
      else this.learn(item, depth + 1);
    }
  }

  private keep(name: string, value: string): void {
    const names = name === 'next_cursor' ? ['cursor'] : [name, 'id'];
    for (const each of names) {
      const values = this.known.get(each) ?? [];
      if (!values.includes(value)) this.known.set(each, [...values, value].slice(-KEPT_IDS));
    }
  }

  private filled(path: string, parameters: readonly Parameter[]): string {
    return path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
      const text = this.values.text(this.schemaOf(parameter), name);
      return this.rng.chance(0.03) ? '%zz' : encoded(text === '' ? ' ' : text);
    });
  }

  private query(parameters: readonly Parameter[]): string {
    const pairs = parameters
      .filter((parameter) => parameter.in === 'query' && (parameter.required === true || this.rng.chance(0.35)))
      .map(({ name, ...rest }) => `${name}=${encoded(this.values.text(this.schemaOf({ name, ...rest }), name))}`);
    if (this.rng.chance(0.05)) pairs.push(`${encoded(String(this.values.anything()))}=1`);
    if (this.rng.chance(0.03) && pairs[0] !== undefined) pairs.push(pairs[0]);
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  }

  private headers(parameters: readonly Parameter[], path: string): Record<string, string> {
    const headers: Record<string, string> = {};
    for (const parameter of parameters) {
      if (parameter.in !== 'header' || !(parameter.required === true || this.rng.chance(0.2))) continue;
      headers[parameter.name] = headerText(this.values.text(this.schemaOf(parameter), parameter.name));
    }
    const token = /^\/v1\/(?:me|labs)/.test(path) ? this.credentials.app : this.credentials.operator;
    const choice = this.rng.int(1, 30);
    if (choice > 3) headers['authorization'] = `Bearer ${token}`;
    else if (choice > 1) headers['authorization'] = headerText(String(this.values.anything()));
    return headers;
  }

  private body({ requestBody }: Operation): { text: string | undefined; headers: Record<string, string> } {
    const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    if (type === undefined) {
      return this.rng.chance(0.03) ? { text: '{}', headers: json } : { text: undefined, headers: {} };
    }
    const asShown = media?.example !== undefined && this.rng.chance(0.2);
    const text = JSON.stringify(asShown ? media.example : this.values.of(media?.schema ?? {}, 'body')) ?? '';
    if (this.rng.chance(0.025)) return { text, headers: { 'content-type': 'text/plain' } };
    if (this.rng.chance(0.15))
      return { text: this.rng.pick([...badBodies, text.slice(0, text.length / 2)]), headers: json };
    return { text, headers: json };
  }

  private signed(request: FuzzRequest): FuzzRequest {
    if (this.rng.chance(0.1)) return request;
    const choices = [
      String(request.body ?? ''),
      JSON.stringify({
        event_type: this.rng.pick(['daily.data.heartrate.created', 'labtest.order.updated', 'x', '']),
        data: this.values.anything(),
        user_id: this.values.anything(),
        client_user_id: this.values.anything(),
        team_id: this.values.anything(),
      }),
      String(this.values.anything()),
    ];
    const body = this.rng.pick(choices);
    const id = `msg_${this.rng.int(1, 1e9)}`;
    const timestamp = Math.floor(this.credentials.now() / 1000);
    const signature = signatureHeaders('svix', [this.credentials.webhookSecret], { id, timestamp, body });
    return { ...request, body, headers: { 'content-type': 'application/json', ...signature } };
  }

  private schemaOf(parameter: Parameter | undefined): Schema {
    const { schema = { type: 'string' }, example } = parameter ?? {};
    return example === undefined ? schema : { example, ...schema };
  }
}

/** Bodies that fit no operation. */
const badBodies: readonly string[] = [
  '',
  '['.repeat(2000),
  `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`,
  JSON.stringify({ a: 'x'.repeat(300_000) }),
  '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}',
  '{"a":{"constructor":{}}}',
];

const json = { 'content-type': 'application/json' };

/** Replaces lone surrogates, which a URL cannot contain. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** Characters that a client can send in a header. */
function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, '?');
}
