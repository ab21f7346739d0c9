import { QueryClient } from '@tanstack/react-query';
import type { Operations, ProblemDto } from '../../clients/typescript/src/api.js';
import { type CallOptions, PulsekeepClient } from '../../clients/typescript/src/client.js';
import { PulsekeepError } from '../../clients/typescript/src/error.js';
import { answeredWithin, noted, Unanswered } from './reachable.js';

export type * from '../../clients/typescript/src/api.js';
export { PulsekeepError };

/** Pages of other origins cannot add this header, so a request that has it comes from the console. */
const consoleHeader = { 'x-pulsekeep-console': '1' };

let reason = '';

/** Sends this reason for the access with every later request. */
export function giveReason(text: string): void {
  reason = text;
}

/** `fetch` with the session cookie instead of a key. */
export function fetchAsSession(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete('authorization');
  headers.set('x-pulsekeep-console', consoleHeader['x-pulsekeep-console']);
  if (reason !== '') headers.set('x-access-reason', reason);
  return noted(fetch(url, { ...init, headers, credentials: 'same-origin', redirect: 'error' }), init.signal);
}

const client = new PulsekeepClient({
  baseUrl: '',
  token: '',
  attempts: 2,
  longestWaitSeconds: 5,
  fetch: fetchAsSession,
});

/** Timeout in seconds for data that the service reads from its own tables. */
const READ_SECONDS = 20;
/** Timeout in seconds for actions and reads from upstream, where one attempt takes up to 30 s. */
export const LONG_SECONDS = 90;

type Call = (name: string, options?: unknown) => Promise<unknown>;

/** Calls the service as the signed-in person. Rejects with a `PulsekeepError`, or with `Unanswered` on a timeout. */
export function call<N extends keyof Operations>(
  name: N,
  options: CallOptions<N>,
  seconds: number = READ_SECONDS,
): Promise<Operations[N]['answer']> {
  return answeredWithin(seconds, options.signal, (signal) =>
    (client.call as Call).call(client, name, { ...options, signal }),
  ) as Promise<Operations[N]['answer']>;
}

/** Saves a response as a file. The download itself has no time limit. */
export async function download(address: string, name: string): Promise<void> {
  const answer = await answeredWithin(LONG_SECONDS, undefined, (signal) => fetchAsSession(address, { signal }));
  if (!answer.ok) {
    const problem = (await answer.json().catch(() => ({}))) as Partial<ProblemDto>;
    throw new PulsekeepError(answer.status, problem, undefined);
  }
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => !(error instanceof PulsekeepError || error instanceof Unanswered) && count < 2,
      staleTime: 2_000,
      gcTime: 300_000,
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});

/** True if the service refused the action, so that it had no effect. After any other failure, the effect is unknown. */
export function isRefused(error: unknown): boolean {
  return error instanceof PulsekeepError && error.code !== 'unknown' && error.status < 500;
}

/** True if the session has ended or the key was removed. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof PulsekeepError && error.status === 401;
}
