import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** The trace a request belongs to, by the W3C's `traceparent`; hexadecimal. */
export interface Trace {
  readonly traceId: string;
  readonly flags: string;
}

const storage = new AsyncLocalStorage<Trace>();
/** Versions to come may have more behind a fourth dash; `ff` is none. */
const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;

/** Null for a header that is none, which is then as good as left out. */
export function traceOf(header: unknown): Trace | null {
  const [, traceId, flags] = typeof header === 'string' && header.length <= 255 ? (form.exec(header) ?? []) : [];
  return traceId !== undefined && flags !== undefined ? { traceId, flags } : null;
}

/** Whatever is begun by `work` belongs to the trace. */
export function withinTrace<T>(trace: Trace, work: () => T): T {
  return storage.run(trace, work);
}

export function currentTrace(): Trace | undefined {
  return storage.getStore();
}

/** The header of a call that is made for the sake of a trace: a step of its own in it. */
export function nextTraceparent({ traceId, flags }: Trace): string {
  return `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}`;
}
