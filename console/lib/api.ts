import { QueryClient } from '@tanstack/react-query';
import { PulsekeepClient } from '../../clients/typescript/src/client.js';
import { PulsekeepError } from '../../clients/typescript/src/error.js';
import { noted } from './reachable.js';

export type * from '../../clients/typescript/src/api.js';
export { PulsekeepError };

/** No page of another origin can add it, so a request that has it comes from the console. */
const consoleHeader = { 'x-pulsekeep-console': '1' };

let reason = '';

/** Sends this reason for the access with every request from now on. */
export function giveReason(text: string): void {
  reason = text;
}

/** `fetch` with the session's cookie in place of a key. */
export function fetchAsSession(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete('authorization');
  headers.set('x-pulsekeep-console', consoleHeader['x-pulsekeep-console']);
  if (reason !== '') headers.set('x-access-reason', reason);
  return noted(fetch(url, { ...init, headers, credentials: 'same-origin', redirect: 'error' }), init.signal);
}

/** Calls the service as the signed-in person. Rejects with a `PulsekeepError`. */
export const api = new PulsekeepClient({
  baseUrl: '',
  token: '',
  attempts: 2,
  longestWaitSeconds: 5,
  fetch: fetchAsSession,
});

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => !(error instanceof PulsekeepError) && count < 2,
      staleTime: 2_000,
      gcTime: 300_000,
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});

/** True if the session has ended or the key is gone. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof PulsekeepError && error.status === 401;
}
