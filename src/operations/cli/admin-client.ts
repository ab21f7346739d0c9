import { accessReasonHeader } from '../../http/auth/access-reason.js';
import { requestIdHeader } from '../../http/server/request-id.js';
import type { Secret } from '../../platform/config/secret.js';
import type { Page } from '../../platform/platform/paging.js';
import { failureOf } from './problem.js';
import { CliFailure } from './world.js';

export type Query = Readonly<Record<string, string | undefined>>;

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly accept?: string | undefined;
}

/** Maximum page size of the service. */
const pageLimit = '500';

/** Client of the admin API. Calls throw CliFailure and are not retried. */
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

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.json<T>({ method: 'PATCH', path, body });
  }

  delete<T>(path: string): Promise<T> {
    return this.json<T>({ method: 'DELETE', path });
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
    const response = await this.send({ method: 'GET', path, signal, accept });
    if (!response.body) throw new CliFailure('The service sent an empty response.', 'not_this_service');
    return response.body;
  }

  private async json<T>(call: Call): Promise<T> {
    const response = await this.send(call);
    try {
      return (await response.json()) as T;
    } catch {
      throw new CliFailure('The response of the service was truncated or is not JSON.', 'not_this_service');
    }
  }

  private async send({ method, path, body, signal, accept }: Call): Promise<Response> {
    const response = await fetch(`${this.url}/admin/v1${path}`, {
      method,
      // A redirect would send the key to another address.
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${this.key.reveal()}`,
        ...(this.reason === undefined ? {} : { [accessReasonHeader]: this.reason }),
        ...(accept === undefined ? {} : { accept }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch(() => {
      throw new CliFailure('The service cannot be reached.', 'unreachable');
    });
    if (!response.ok) throw failureOf(response.status, await response.json().catch(() => null));
    // Every response of the service has one; another program may accept any request.
    if (!response.headers.has(requestIdHeader)) throw failureOf(response.status, null);
    return response;
  }
}

/** Includes the question mark; empty without values. */
export function searchOf(query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
