import type { Readable } from 'node:stream';
import type { Unreadable } from '../../platform/platform/json-reader.js';
import type { Query } from './address.js';
import type { Priority } from './budget.js';
import type { Route } from './routes.js';
import type { UpstreamError } from './upstream-error.js';

export interface CallOptions {
  priority: Priority;
  /** The account it is made for (`accounts.id`): work for different accounts takes turns. */
  account?: number;
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** For the whole call: waiting for its turn, all tries and the pauses between them. */
  deadlineMs?: number;
}

export interface UpstreamCall<T> {
  route: Route;
  path?: Readonly<Record<string, string>>;
  query?: Query;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** One try may take at least this long, whatever the configuration says. */
  minTryMs?: number;
  /**
   * Reads the parsed body (undefined if there was none); may throw `WireShapeError`. Items of a list that it leaves out
   * are told to `unreadable`.
   */
  read: (body: unknown, status: number, unreadable: Unreadable) => T;
  /** Makes an answer of a refusal that is one, such as a 404 that means "none"; undefined leaves it an error. */
  recover?: (refusal: UpstreamError) => T | undefined;
}

export interface Download {
  stream: Readable;
  contentLength?: number;
}
