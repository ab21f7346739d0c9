import { setTimeout as pause } from 'node:timers/promises';
import { accessReasonHeader } from '../../http/auth/access-reason.js';
import { requestIdHeader } from '../../http/server/request-id.js';
import type { Secret } from '../../platform/config/secret.js';
import type { Page } from '../../platform/platform/paging.js';
import { MAX_REFUSALS } from '../alarms/tuning.js';
import { failureOf } from './problem.js';
import { CliFailure } from './world.js';

export type Query = Readonly<Record<string, string | undefined>>;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Maximum page size of the service. */
const pageLimit = '500';
const SECOND_MS = 1_000;
const MINUTE_SECONDS = 60;

/** Client of the admin API. Throws CliFailure. Retries only requests that were refused by the rate limit. */
export class AdminClient {
  constructor(
    private readonly url: string,
    private readonly key: Secret,
    private readonly reason?: string,
  ) {}

  get<T>(path: string, query: Query = {}): Promise<T> {
    return this.json<T>({ method: 'GET', path: path + searchOf(query) });
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.json<T>({ method: 'POST', path, body });
  }

  /** Null without content. */
  async call<T>(method: string, path: string, body?: unknown, headers: Call['headers'] = {}): Promise<T | null> {
    const response = await this.send({ method, path, body, headers });
    return response.status === 204 ? null : jsonOf<T>(response);
  }

  /** Fetches the pages of a list lazily. */
  async *pages<T>(path: string, query: Query = {}): AsyncGenerator<readonly T[]> {
    let cursor: string | undefined;
    do {
      const page: Page<T> = await this.get<Page<T>>(path, { limit: pageLimit, ...query, cursor });
      yield page.data;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Streams the body of a response. */
  async stream(path: string, signal: AbortSignal, accept?: string): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.send({ method: 'GET', path, signal, headers: accept === undefined ? {} : { accept } });
    if (!response.body) throw new CliFailure('The service sent an empty response.', 'not_this_service');
    return response.body;
  }

  private async json<T>(call: Call): Promise<T> {
    return jsonOf<T>(await this.send(call));
  }

  private async send(call: Call): Promise<Response> {
    for (let refused = 1; ; refused++) {
      const response = await this.sendOnce(call);
      if (response.ok) return response;
      const failure = failureOf(response.status, await response.json().catch(() => null));
      if (failure.code !== 'rate_limited' || refused === MAX_REFUSALS) throw failure;
      await pause(retryAfterMs(response), undefined, { signal: call.signal }).catch(() => {
        throw failure;
      });
    }
  }

  private async sendOnce({ method, path, body, signal, headers }: Call): Promise<Response> {
    const response = await fetch(`${this.url}/admin/v1${path}`, {
      method,
      // Following a redirect would send the key to another address.
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${this.key.reveal()}`,
        ...(this.reason === undefined ? {} : { [accessReasonHeader]: this.reason }),
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch(() => {
      if (signal?.aborted) throw new CliFailure('Stopped before the service responded.', 'interrupted');
      throw new CliFailure('No service can be reached at the address of --url.', 'unreachable');
    });
    // Every response of the service has this header; another program might accept any request.
    if (response.ok && !response.headers.has(requestIdHeader)) throw failureOf(response.status, null);
    return response;
  }
}

async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch {
    throw new CliFailure('The response of the service is truncated or not JSON.', 'not_this_service');
  }
}

function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 1);
  return SECOND_MS * (seconds >= 0 ? Math.min(seconds, MINUTE_SECONDS) : 1);
}

/** Includes the question mark; empty without values. */
export function searchOf(query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
