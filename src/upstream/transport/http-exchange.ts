import { type ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import axios, { type AxiosError, type AxiosInstance, type AxiosResponse } from 'axios';
import { diedOnKeptConnection, KeptConnections } from '../../platform/platform/kept-connections.js';
import { Multipart } from './multipart.js';
import { MAX_FREE_SOCKETS } from './tuning.js';

export interface Outgoing {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a form; undefined sends no body. */
  body: unknown;
  /** It may be sent twice without a second effect. */
  isRepeatable: boolean;
  signal: AbortSignal;
}

export interface Incoming<B> {
  readonly status: number;
  readonly body: B;
  header(name: string): string | undefined;
}

/** No response, or one above the size limit. Carries no cause, because the library's error contains the request. */
export class NoResponse extends Error {
  constructor(readonly reason: 'network' | 'too_large') {
    super(reason);
    this.name = 'NoResponse';
  }
}

const unlimited = -1;
const MAX_REFUSAL_BYTES = 65_536;
/** One redirect adds or removes a trailing slash; more than a few are a loop. */
const MAX_REDIRECTS = 3;

function incoming<B>(response: AxiosResponse<B>): Incoming<B> {
  const { status, data, headers } = response;
  return {
    status,
    body: data,
    header(name) {
      const value: unknown = headers[name];
      return typeof value === 'string' ? value : undefined;
    },
  };
}

/**
 * One HTTP exchange over keep-alive connections, which are dropped after a 5xx and when no response came. A repeatable
 * request that meets a connection that was closed meanwhile is sent again on a new one; another is always sent on a new
 * one, because it could not be repeated. Uses no proxy and follows no redirect to another origin, because
 * either could leak the key. Returns a response for every status, with the body as unparsed text; throws only
 * `NoResponse`. A 307 or 308 within the origin repeats the call, including body and key
 * (docs/upstream/errors-and-limits.md#declared-statuses).
 */
export class HttpExchange {
  private readonly http: AxiosInstance;
  private readonly connections = new KeptConnections(MAX_FREE_SOCKETS);

  constructor(
    private readonly maxBytes: number,
    private readonly maxRedirects = MAX_REDIRECTS,
  ) {
    this.http = axios.create({
      adapter: 'http',
      proxy: false,
      maxRedirects: 0,
      validateStatus: () => true,
      transformResponse: [(data: unknown) => data],
    });
  }

  async text(request: Outgoing): Promise<Incoming<string>> {
    return incoming(await this.send<string>(request, 'text'));
  }

  /** Returns the body of a success as a stream, which the caller must read or destroy, and any other body as text. */
  async stream(request: Outgoing): Promise<Incoming<Readable | string>> {
    // No content encoding: after decompression the content-length header would be wrong.
    const plain = { ...request, headers: { ...request.headers, 'accept-encoding': 'identity' } };
    const response = await this.send<Readable>(plain, 'stream');
    const success = response.status >= 200 && response.status < 300;
    const body = success ? response.data : await readRefusal(response.data);
    return incoming({ ...response, data: body });
  }

  close(): void {
    this.connections.close();
  }

  private async send<B>(request: Outgoing, responseType: 'text' | 'stream'): Promise<AxiosResponse<B>> {
    let url = request.url;
    for (let redirects = 0; ; redirects++) {
      const response = await this.sendOnce<B>({ ...request, url }, responseType);
      const next = redirects < this.maxRedirects ? redirectWithinOrigin(url, response) : undefined;
      if (next === undefined) return response;
      if (response.data instanceof Readable) response.data.destroy();
      url = next;
    }
  }

  private async sendOnce<B>(request: Outgoing, responseType: 'text' | 'stream'): Promise<AxiosResponse<B>> {
    const target = new URL(request.url);
    if (!request.isRepeatable) this.connections.drop(target);
    try {
      const response = await this.attempt<B>(target, request, responseType).catch((error: unknown) => {
        const { request: sent } = error as Omit<AxiosError, 'request'> & { request?: ClientRequest };
        if (!request.isRepeatable || !sent || !diedOnKeptConnection(sent, error)) throw error;
        this.connections.drop(target);
        return this.attempt<B>(target, request, responseType);
      });
      if (response.status >= 500) this.connections.drop(target);
      return response;
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('maxContentLength')) throw new NoResponse('too_large');
      this.connections.drop(target);
      throw new NoResponse('network');
    }
  }

  private attempt<B>(target: URL, request: Outgoing, responseType: 'text' | 'stream'): Promise<AxiosResponse<B>> {
    const { method, url, signal } = request;
    const { content, type } = contentOf(request.body);
    const agent = this.connections.agentFor(target);
    return this.http.request<B>({
      method,
      url,
      // Otherwise the library sends a form content type with an empty POST.
      headers: { ...request.headers, 'content-type': type },
      data: content,
      signal,
      httpAgent: agent,
      httpsAgent: agent,
      responseType,
      decompress: responseType === 'text',
      maxContentLength: responseType === 'text' ? this.maxBytes : unlimited,
    });
  }
}

function contentOf(body: unknown): { content: string | Buffer | undefined; type: string | false } {
  if (body === undefined) return { content: undefined, type: false };
  if (body instanceof Multipart) return { content: body.bytes, type: body.contentType };
  return { content: JSON.stringify(body), type: 'application/json' };
}

function redirectWithinOrigin(url: string, { status, headers }: AxiosResponse<unknown>): string | undefined {
  const location: unknown = headers['location'];
  if ((status !== 307 && status !== 308) || typeof location !== 'string' || !URL.canParse(location, url)) {
    return undefined;
  }
  const next = new URL(location, url);
  return next.origin === new URL(url).origin ? next.href : undefined;
}

async function readRefusal(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_REFUSAL_BYTES) break;
    }
  } catch {
    throw new NoResponse('network');
  }
  return Buffer.concat(chunks).toString('utf8');
}
