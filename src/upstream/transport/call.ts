import type { Readable } from 'node:stream';
import type { Unreadable } from '../../platform/platform/json-reader.js';
import type { Query } from './address.js';
import type { Priority } from './budget.js';
import type { Route } from './routes.js';
import type { UpstreamError } from './upstream-error.js';

export interface CallOptions {
  priority: Priority;
  /** The account the call is for (`accounts.id`); the budget is shared fairly between accounts. */
  account?: number;
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Limit for the entire call: queueing, all attempts and the pauses between them. */
  deadlineMs?: number;
}

export const interactive = { priority: 'interactive' } as const;

export interface UpstreamCall<T> {
  route: Route;
  path?: Readonly<Record<string, string>>;
  query?: Query;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /**
   * Reads the parsed body (undefined if there was none); may throw `WireShapeError`. Reports skipped list items to
   * `unreadable`.
   */
  read: (body: unknown, unreadable: Unreadable) => T;
  /** Turns a refusal that is a valid response (a 404 that means "none") into a value; undefined keeps the error. */
  recover?: (refusal: UpstreamError) => T | undefined;
}

/** For `recover`: null if upstream's own 404 says that the object does not exist. */
export function nullIfAbsent(refusal: UpstreamError): null | undefined {
  return refusal.isNotFound ? null : undefined;
}

export interface Download {
  stream: Readable;
  contentLength?: number;
}
