import { createHmac } from 'node:crypto';

/** Signs the access tokens of apps. */
export const appSecret = 'bench-secret-of-at-least-32-bytes-length';

/** What an app asks, each once. */
const asked: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/v1/me'],
  ['GET', '/v1/me/records/heartrate?limit=500'],
  ['GET', '/v1/me/orders'],
  ['POST', '/v1/labs/availability', { lab: 'quest', zip_code: '10001' }],
  ['POST', '/v1/labs/compendium/search', { mode: 'canonical', query: 'a1c' }],
  ['POST', '/v1/me/link-token', {}],
  ['POST', '/v1/me/link-outcomes', { outcome: 'exit' }],
  ['POST', '/v1/me/sign-in-token', {}],
];

/** Whole HTTP requests of one account's app, of every kind. */
export function mixedRequests(account: number): Buffer[] {
  const token = tokenOf(account);
  return asked.map(([method, path, body]) => requestOf(token, method, path, body));
}

/** Sign-ins of `count` people, each account in turn. */
export function signIns(accounts: { first: number; count: number }, count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    requestOf(tokenOf(accounts.first + (index % accounts.count)), 'POST', '/v1/me/sign-in-token', {}),
  );
}

function requestOf(token: string, method: string, path: string, body?: object): Buffer {
  const json = body === undefined ? '' : JSON.stringify(body);
  const ofBody = body === undefined ? [] : ['content-type: application/json', `content-length: ${json.length}`];
  const head = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${token}`, ...ofBody, '', ''];
  return Buffer.from(head.join('\r\n') + json);
}

function tokenOf(account: number): string {
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const signed = [{ alg: 'HS256' }, { sub: `bench-${account}`, exp }].map(base64).join('.');
  return `${signed}.${createHmac('sha256', appSecret).update(signed).digest('base64url')}`;
}

function base64(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
