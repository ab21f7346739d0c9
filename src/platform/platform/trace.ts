import { randomBytes } from 'node:crypto';
import { requestContext, type Trace, withinRequest } from './request-context.js';

/** Future versions may have more after a fourth dash; `ff` is not a version. */
const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Null for a malformed header, which then counts as omitted. */
export function traceOf(header: unknown): Trace | null {
  const [, traceId, spanId, flags] =
    typeof header === 'string' && header.length <= 255 ? (form.exec(header) ?? []) : [];
  return traceId !== undefined && spanId !== undefined && flags !== undefined ? { traceId, spanId, flags } : null;
}

/** Runs `work`, and everything that it starts, in this trace. */
export function withinTrace<T>(trace: Trace, work: () => T): T {
  return withinRequest({ trace }, work);
}

export function currentTrace(): Trace | undefined {
  return requestContext().trace;
}

/** Header for an outgoing call in this trace, from the span around it, or else with a new one. */
export function nextTraceparent({ traceId, spanId, isOwn, flags }: Trace): string {
  return `00-${traceId}-${isOwn && spanId ? spanId : randomBytes(8).toString('hex')}-${flags}`;
}
