import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { World } from './world.js';

/**
 * A one-time address that opens the console signed in. The demo opens the session and sets its cookie in the browser.
 * The browser also sends it to the service, because all ports of a host share cookies. No address contains the key.
 */
export async function signInAddress({ pulsekeep, operatorKey }: World): Promise<string> {
  const { hostname } = new URL(pulsekeep.url);
  const path = `/sign-in/${randomBytes(24).toString('base64url')}`;
  let isUsed = false;
  const server = createServer((request, response) => {
    response.setHeader('connection', 'close');
    if (request.url !== path || request.method !== 'GET') return void response.writeHead(404).end();
    if (isUsed)
      return void response.writeHead(410).end(`This address was already used. Sign in at ${pulsekeep.url}/console\n`);
    isUsed = true;
    openSession(pulsekeep.url, operatorKey).then(
      (cookie) => {
        const headers = { location: `${pulsekeep.url}/console?signed_in=1`, 'cache-control': 'no-store' };
        response.writeHead(302, { ...headers, 'set-cookie': cookie }).end();
      },
      () => {
        isUsed = false;
        response.writeHead(503).end('The service does not respond. Reload this page.\n');
      },
    );
  });
  server.listen(0, hostname).unref();
  await once(server, 'listening');
  return `http://${hostname}:${(server.address() as AddressInfo).port}${path}`;
}

async function openSession(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/admin/v1/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  const cookie = response.headers.get('set-cookie');
  if (cookie === null) throw new Error(`The service returned ${response.status}.`);
  return cookie;
}
