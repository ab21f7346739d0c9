import { useSyncExternalStore } from 'react';

/** When the first of a series of unanswered requests failed; null while the service responds. */
let failedAt: number | null = null;
/** The same, but only after a second failure, because a single connection may break. */
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

/** A proxy that responds for a service that is down, or shows its own sign-in, does not send what the service sends. */
function isOfService({ status, headers }: Response): boolean {
  const type = headers.get('content-type') ?? '';
  return !type.includes('html') && (![502, 503, 504].includes(status) || type.includes('json'));
}

/** The service did not respond in time. */
export class Unanswered extends Error {
  constructor(readonly seconds: number) {
    super(`The service did not respond within ${seconds} s.`);
  }
}

/** Runs requests with a signal that also aborts after this many seconds, with an `Unanswered`. */
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

/** Awaits a request to the service and notes whether the service responds. Rejects if a page came instead. */
export async function noted(request: Promise<Response>, signal?: AbortSignal | null): Promise<Response> {
  try {
    const response = await request;
    if (response.ok && !isOfService(response))
      throw new TypeError('Got an HTML page instead of data (proxy or sign-in page?)');
    note(isOfService(response));
    return response;
  } catch (error) {
    if (!signal?.aborted || signal.reason instanceof Unanswered) note(false);
    throw error;
  }
}

/** When the service stopped responding, in epoch milliseconds; null while it responds. */
export function useSilence(): number | null {
  return useSyncExternalStore(subscribe, () => silentSince);
}
