import { type HealthRecord, type Operations, operations, type ProblemDto } from './api.js';
import { PulsekeepError } from './error.js';

type Name = keyof Operations;
type Given<Key extends string, Value> = [Value] extends [undefined]
  ? { readonly [key in Key]?: undefined }
  : Record<string, never> extends Value
    ? { readonly [key in Key]?: Value }
    : { readonly [key in Key]: Value };

/** Arguments of an operation. */
export type CallOptions<N extends Name> = Given<'path', Operations[N]['path']> &
  Given<'query', Operations[N]['query']> &
  Given<'body', Operations[N]['body']> & {
    /** Of an operation that takes one; a new one is made for each call where it is left out. */
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
  };

/** Operations whose answer is a page. */
type Paged = {
  [N in Name]: Operations[N]['answer'] extends {
    readonly data: readonly unknown[];
    readonly next_cursor: string | null;
  }
    ? N
    : never;
}[Name];
type Row<N extends Paged> = Operations[N]['answer'] extends { readonly data: readonly (infer R)[] } ? R : never;

/** The record of a resource, such as `'sleep'`. */
export type RecordOf<R extends HealthRecord['resource']> = HealthRecord extends infer T
  ? T extends { readonly resource: infer N }
    ? R extends N
      ? T & { readonly resource: R }
      : never
    : never
  : never;

type Resource = HealthRecord['resource'];
type RecordQuery = NonNullable<Operations['listMyRecords']['query']>;

export interface ClientOptions {
  /** Address of the service, such as `https://health.example.com`. */
  readonly baseUrl: string;
  /** The access token of the person, or a key; requested for every call, so that a new one is used immediately. */
  readonly token: string | (() => string | Promise<string>);
  /** Tries of a request in all; default 4. */
  readonly attempts?: number;
  /** Longest wait for another try, in seconds; default 30. A longer wait is an error. */
  readonly longestWaitSeconds?: number;
  readonly fetch?: typeof fetch;
  /** Waits; for tests. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
}

const FIRST_WAIT_SECONDS = 1;

/**
 * Calls Pulsekeep. A request that is answered 429 or 503 is sent again after the time that `Retry-After` names; so is
 * one that got no answer, or a 503 from a proxy, if it may be repeated: a read, or one with an idempotency key.
 */
export class PulsekeepClient {
  private readonly options: Required<ClientOptions>;

  constructor({ baseUrl, token, attempts, longestWaitSeconds, fetch: fetchOf, sleep }: ClientOptions) {
    this.options = {
      baseUrl,
      token,
      attempts: attempts ?? 4,
      longestWaitSeconds: longestWaitSeconds ?? 30,
      fetch: fetchOf ?? ((...given) => fetch(...given)),
      sleep: sleep ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))),
    };
  }

  /** One call; rejects with a `PulsekeepError` for an error that the service answered. */
  async call<N extends Name>(name: N, ...[options]: OptionsOf<N>): Promise<Operations[N]['answer']> {
    const { method, path, keyed } = operations[name];
    const { path: values, query, body, idempotencyKey, signal } = (options ?? {}) as AnyOptions;
    const url = `${this.options.baseUrl.replace(/\/+$/, '')}${filled(path, values)}${asQuery(query)}`;
    const isForm = body instanceof FormData;
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...(body === undefined || isForm ? {} : json),
    };
    if (keyed) headers['idempotency-key'] = idempotencyKey ?? newKey();
    const request = {
      method,
      headers,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    };
    return (await this.tried(url, request, keyed || method === 'GET')) as Operations[N]['answer'];
  }

  /** Every row of a list, page by page. */
  async *rows<N extends Paged>(name: N, ...[options]: OptionsOf<N>): AsyncGenerator<Row<N>, void, undefined> {
    let cursor: string | null = null;
    do {
      const given = (options ?? {}) as AnyOptions;
      const query = { ...given.query, ...(cursor === null ? {} : { cursor }) };
      const page = (await this.call(name, ...([{ ...given, query }] as unknown as OptionsOf<N>))) as Page<Row<N>>;
      yield* page.data;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  /** Every record of the person of one resource, with the fields of that resource. */
  async *records<R extends Resource>(
    resource: R,
    query: RecordQuery = {},
  ): AsyncGenerator<RecordOf<R>, void, undefined> {
    for await (const record of this.rows('listMyRecords', { path: { resource }, query })) yield record as RecordOf<R>;
  }

  private async tried(url: string, request: RequestInit, repeatable: boolean): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= this.options.attempts;
      const failure = await this.once(url, request);
      if (!(failure instanceof Failure)) return failure;
      const wait = failure.error instanceof PulsekeepError ? failure.error.retryAfterSeconds : undefined;
      const seconds = wait ?? FIRST_WAIT_SECONDS * 2 ** (attempt - 1);
      const again = failure.isAnswer ? failure.mayPass : repeatable && !request.signal?.aborted;
      if (isLast || !again || seconds > this.options.longestWaitSeconds) throw failure.error;
      await this.pause(seconds * 1_000, request.signal);
    }
  }

  /** Rejects as soon as the signal aborts. */
  private async pause(milliseconds: number, signal: AbortSignal | null | undefined): Promise<void> {
    let end = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {
      end = () => reject((signal?.reason as Error | undefined) ?? new Error('The call was aborted.'));
    });
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    try {
      await Promise.race([aborted, this.options.sleep(milliseconds)]);
    } finally {
      signal?.removeEventListener('abort', end);
    }
  }

  private async once(url: string, request: RequestInit): Promise<unknown> {
    const { token } = this.options;
    const authorization = `Bearer ${typeof token === 'string' ? token : await token()}`;
    let status: number;
    let headers: Headers;
    let text: string;
    try {
      const response = await this.options.fetch(url, { ...request, headers: { ...request.headers, authorization } });
      ({ status, headers } = response);
      text = await response.text();
    } catch (error) {
      return new Failure(error, false, false);
    }
    const type = headers.get('content-type') ?? '';
    const isJson = text !== '' && /[/+]json\b/.test(type);
    const value = isJson ? parsed(text) : text || undefined;
    const isForeign = /\bhtml\b/.test(type) || (isJson && value === undefined);
    if (status < 400 && !isForeign) return value;
    const problem = problemOf(type, value);
    const error = new PulsekeepError(status, problem ?? {}, secondsOf(headers.get('retry-after')));
    // A proxy answers 503 also if the service performed the request and its response was lost.
    return new Failure(error, problem !== null || status !== 503, status === 429 || status === 503);
  }
}

/** The last argument is left out where nothing has to be given. */
type OptionsOf<N extends Name> =
  Record<string, never> extends CallOptions<N> ? [options?: CallOptions<N>] : [options: CallOptions<N>];

interface AnyOptions {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

interface Page<R> {
  readonly data: readonly R[];
  readonly next_cursor: string | null;
}

class Failure {
  constructor(
    readonly error: unknown,
    readonly isAnswer: boolean,
    readonly mayPass: boolean,
  ) {}
}

const json = { 'content-type': 'application/json' };

function filled(path: string, values: Readonly<Record<string, unknown>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

/** React Native has no complete URLSearchParams. */
function asQuery(query: Readonly<Record<string, unknown>> = {}): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The error that Pulsekeep answered; null for one of a proxy in between. */
function problemOf(type: string, value: unknown): Partial<ProblemDto> | null {
  return /\bproblem\+json\b/.test(type) && typeof value === 'object' ? value : null;
}

/** `Retry-After` as seconds or as a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** React Native has no `crypto`; a key has to be new, not secret. */
function newKey(): string {
  const { crypto } = globalThis as { crypto?: { randomUUID?: () => string } };
  if (crypto?.randomUUID) return crypto.randomUUID();
  const part = (): string => Math.random().toString(36).slice(2, 12).padEnd(10, '0');
  return `${Date.now().toString(36)}-${part()}-${part()}`;
}
