import { useSyncExternalStore } from 'react';

/** Time of the first of the requests in a row that the service did not answer; null while it answers. */
let failedAt: number | null = null;
/** The same from the second one on: a single connection may break. */
let silentSince: number | null = null;
const listeners = new Set<() => void>();

function note(isAnswered: boolean): void {
  const before = silentSince;
  silentSince = isAnswered ? null : failedAt;
  failedAt = isAnswered ? null : (failedAt ?? Date.now());
  if (silentSince !== before) for (const tell of listeners) tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** A proxy that answers for a service that is down, or asks for its own sign-in, sends no document of the service. */
function isOfService({ status, headers }: Response): boolean {
  const type = headers.get('content-type') ?? '';
  return !type.includes('html') && (![502, 503, 504].includes(status) || type.includes('json'));
}

/** The service accepted a request and did not answer it in time. */
export class Unanswered extends Error {
  constructor(readonly seconds: number) {
    super(`The service did not respond within ${seconds} s.`);
  }
}

/** Runs requests under a signal that also aborts, with an `Unanswered`, after so many seconds. */
export async function answeredWithin<T>(
  seconds: number,
  given: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const end = (): void => ended.abort(given?.reason);
  if (given?.aborted) end();
  given?.addEventListener('abort', end, { once: true });
  const timer = setTimeout(() => ended.abort(new Unanswered(seconds)), seconds * 1_000);
  try {
    return await run(ended.signal);
  } finally {
    clearTimeout(timer);
    given?.removeEventListener('abort', end);
  }
}

/** Outcome of a request to the service; notes whether the service answers. Rejects a page that came in its place. */
export async function noted(request: Promise<Response>, signal?: AbortSignal | null): Promise<Response> {
  try {
    const response = await request;
    if (response.ok && !isOfService(response)) throw new TypeError('A page came in place of an answer.');
    note(isOfService(response));
    return response;
  } catch (error) {
    if (!signal?.aborted || signal.reason instanceof Unanswered) note(false);
    throw error;
  }
}

/** Since when the service has not answered, in epoch milliseconds; null while it does. */
export function useSilence(): number | null {
  return useSyncExternalStore(subscribe, () => silentSince);
}
