import { adminKeys, environmentOn } from './environment.js';
import type { TestDatabase } from './test-store.js';

export const operatorKey: string = adminKeys.operator;

/** The environment of a Pulsekeep in a separate process. */
export function childEnvironment(
  database: TestDatabase,
  upstreamUrl: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return environmentOn(database, upstreamUrl, { LOG_LEVEL: 'info', UPSTREAM_REQUESTS_PER_SECOND: '500', ...more });
}

/** Calls the admin API of a process. */
export async function adminCall<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}

/** All rows of a list of the admin API. */
export async function adminRows<T>(url: string, path: string): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const query: string = `limit=500${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
    const page: { data: T[]; next_cursor: string | null } = await adminCall(url, 'GET', `${path}?${query}`);
    rows.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor);
  return rows;
}
