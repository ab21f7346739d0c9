import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { type AppBackendOptions, appBackend as withNest } from '../../examples/app-backend/nest.js';
import type { PushDto } from '../../src/changes/subscriptions/subscriptions.dto.js';
import { adminKeys } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

/** Starts one of the examples on a server; returns what ends it. */
type Start = (server: Server, options: AppBackendOptions) => Promise<() => Promise<void>>;

interface Change {
  readonly type: string;
  readonly data: { readonly account_id: string; readonly resource: string };
}

const startExpress: Start = async (server, options) => {
  const path = pathToFileURL(resolve('examples/app-backend/express.mjs')).href;
  const { appBackend } = (await import(path)) as { appBackend: (given: object) => Parameters<Server['on']>[1] };
  server.on('request', appBackend(options));
  return async () => undefined;
};

const startNest: Start = async (server, options) => {
  const app = await withNest(options);
  await app.init();
  server.on('request', app.getHttpAdapter().getInstance() as Parameters<Server['on']>[1]);
  return () => app.close();
};

describe.each([
  ['Express', startExpress],
  ['Nest', startNest],
])('the backend of an app with %s', (_, start) => {
  const person = 'person-1';
  const changes: Change[] = [];
  let app: TestApp;
  let server: Server;
  let end: () => Promise<void>;
  let machine: jest.SpyInstance;
  let url: string;
  let subscription: string;
  let secret: string;
  let token: string;

  beforeAll(async () => {
    const env = { PUSH_SIGNING_KEYS: 'a-key-of-pushes-for-tests-only-0123456789', PUSH_ALLOWED_NETWORKS: '127.0.0.1' };
    app = await TestApp.create({ env });
    // The library compares the time of a push with that of the machine.
    machine = jest.spyOn(Date, 'now').mockImplementation(() => app.clock.now());
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const made = await app.admin<{ subscription_id: string; secret: string }>('POST', '/subscriptions', {
      url: `${url}/pulsekeep`,
      kinds: ['summary', 'account'],
    });
    ({ subscription_id: subscription, secret } = made.body);
    end = await start(server, {
      pulsekeep: app.url,
      key: adminKeys.backend,
      secret,
      userOf: ({ headers }) => headers['x-user'] ?? '',
      onChange: async (change) => void changes.push(change as Change),
    });
    token = (await ask<{ sign_in_token: string }>('POST', '/health/sign-in-token')).sign_in_token;
    await app.connect(person, 'oura', { days: 3, per_day: 1 });
    await app.advance(3_600, 4);
  });

  afterAll(async () => {
    machine.mockRestore();
    await end();
    server.closeAllConnections();
    server.close();
    await app.close();
  });

  const ask = async <T>(method: string, path: string): Promise<T> => {
    const response = await fetch(`${url}${path}`, { method, headers: { 'x-user': person } });
    expect(response.status).toBeLessThan(300);
    return (await response.json()) as T;
  };

  it('signs a person in, receives changes of their data, and shows their day', async () => {
    expect(token).toMatch(/\w/);
    const nights = changes.filter(({ data }) => data.resource === 'sleep');
    expect(nights.length).toBeGreaterThan(1);
    expect(new Set(nights.map(({ data }) => data.account_id))).toEqual(new Set([person]));
    const today = await ask<{ day: string; sources: { provider: string }[] }>('GET', '/health/today');
    expect(today.sources.map(({ provider }) => provider)).toEqual(['oura']);
    expect(today.day).toBe(new Date(app.clock.now()).toISOString().slice(0, 10));
  });

  it('stores a change once, however often it is delivered', async () => {
    const before = changes.length;
    const path = `/subscriptions/${subscription}/pushes`;
    const replayed = await app.admin<{ count: number }>('POST', `${path}/replay`, { kind: 'summary' });
    expect(replayed.body.count).toBeGreaterThan(1);
    await app.settle();
    const { data } = (await app.admin<{ data: PushDto[] }>('GET', path)).body;
    expect(new Set(data.map(({ state }) => state))).toEqual(new Set(['delivered']));
    expect(changes).toHaveLength(before);
  });

  it('receives a change with as many samples as a push may have', async () => {
    const samples = Array.from({ length: 1_000 }, () => ({ note: 'x'.repeat(150) }));
    const body = JSON.stringify({ type: 'samples.changed', data: { account_id: person, data: { samples } } });
    const at = new Date(app.clock.now());
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'large',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('large', at, body),
    };
    const response = await fetch(`${url}/pulsekeep`, { method: 'POST', headers, body });
    expect(response.status).toBe(204);
    expect(changes.at(-1)?.type).toBe('samples.changed');
  });

  it('refuses requests that Pulsekeep did not sign', async () => {
    const before = changes.length;
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'forged',
      'webhook-timestamp': String(Math.floor(app.clock.now() / 1_000)),
      'webhook-signature': 'v1,bm9ib2R5',
    };
    const response = await fetch(`${url}/pulsekeep`, { method: 'POST', headers, body: '{"type":"summary.created"}' });
    expect(response.status).toBe(400);
    expect(changes).toHaveLength(before);
  });
});
