import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { adminKeys } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { Stable } from './stable.js';

/*
 * docs/app.md: its commands are run one after the other and answer what stands below them. `npm run openapi` runs this
 * with OPENAPI_WRITE and so writes the answers.
 */

const file = resolve('docs/app.md');
const account = 'demo-user-01';
const resources = ['sleep', 'sleep_cycle', 'steps', 'blood_pressure', 'heartrate'];

/** A command, and the answer where one stands below it. */
const calls = /```sh\n(.*?)```\n(?:\n```json\n(.*?)```\n)?/gs;

/** Fewer fields are shown again. */
const FIELDS_SHOWN_ONCE = 6;

/** Without objects that the document has shown before. */
function withoutRepeats(value: unknown, shown: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutRepeats(each, shown));
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  if (shown.has(text)) return { '...': 'as above' };
  if (Object.keys(value).length >= FIELDS_SHOWN_ONCE) shown.add(text);
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, withoutRepeats(held, shown)]));
}

describe('docs/app.md', () => {
  let app: TestApp;
  let environment: Record<string, string>;
  let backend: Server;
  /** Types of what the backend was told. */
  const told: string[] = [];

  beforeAll(async () => {
    backend = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => void (body += String(chunk)));
      request.on('end', () => {
        told.push((JSON.parse(body) as { type: string }).type);
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(backend, 'listening');
    const env = {
      SYNC_RESOURCES: resources.join(','),
      PUSH_SIGNING_KEYS: 'a-key-of-pushes-for-tests-only-0123456789',
      PUSH_ALLOWED_NETWORKS: '127.0.0.0/8',
      APP_RESULTS: 'final',
    };
    app = await TestApp.create({ env, sandbox: { seed: 'app' } });
    environment = {
      PATH: process.env['PATH'] ?? '',
      URL: app.url,
      ADMIN_KEY: adminKeys.operator,
      BACKEND_URL: `http://127.0.0.1:${(backend.address() as AddressInfo).port}`,
    };
  });

  afterAll(async () => {
    backend.close();
    await app.close();
  });

  /** A completed order whose sample was drawn again. */
  async function orderWithRedraw(): Promise<void> {
    const [user_id = ''] = await app.upstreamUsers();
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    const { redraw } = await app.sandbox.control.redraw(order.id);
    await app.sandbox.control.walkOrder(redraw.id);
    await app.advance(60);
    environment['TRANSACTION_ID'] = order.order_transaction.id;
  }

  async function run(command: string): Promise<string> {
    if (command.includes('/me/orders')) await orderWithRedraw();
    // The id of a request is new in each run.
    const fixed = command.replace('curl -s', 'curl -s -H "x-request-id: b1946ac9-2f4c-4c3e"');
    // The one before may have expired.
    environment['TOKEN'] = await app.appToken(account);
    const shell = spawn('/bin/sh', ['-c', fixed], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    shell.stdout.on('data', (chunk) => void (said += String(chunk)));
    const [code] = (await once(shell, 'close')) as [number];
    expect([command, code]).toEqual([command, 0]);
    return said;
  }

  /** What happens between two calls: the user connects the source on the page of the link, and a night is corrected. */
  async function goOn(answer: {
    link_token?: string;
    link_attempt_id?: string;
    subscription_id?: string;
  }): Promise<void> {
    const { link_token, link_attempt_id, subscription_id } = answer;
    if (subscription_id) {
      environment['SUBSCRIPTION_ID'] = subscription_id;
      const [user_id = ''] = await app.upstreamUsers();
      await app.sandbox.control.edit({ user_id, resource: 'sleep', count: 1, notify: true });
      await app.advance(60);
    }
    if (!link_token || !link_attempt_id) return;
    environment['LINK_ATTEMPT_ID'] = link_attempt_id;
    const history = { days: 5, per_day: 3 };
    await app.sandbox.control.link({ link_token, provider: 'withings', history, resources });
  }

  it('has calls whose responses it shows', async () => {
    const document = readFileSync(file, 'utf8');
    const stable = new Stable();
    const before = new Set<string>();
    let written = document;
    let count = 0;
    for (const [block, command = '', stated] of document.matchAll(calls)) {
      const said = await run(command);
      if (stated === undefined) {
        expect(said).toBe('');
        await app.advance(1_800, 3);
        continue;
      }
      const answer = JSON.parse(said) as object;
      const whole = withoutRepeats(stable.of(answer, String(count++)), before);
      const shown = `${JSON.stringify(whole, null, 2)}\n`;
      written = written.replace(block, () => block.replace(`json\n${stated}\`\`\``, () => `json\n${shown}\`\`\``));
      await goOn(answer);
    }
    expect(count).toBeGreaterThan(6);
    expect([...written.matchAll(/"code": "(\w+)"/g)].map(([, code]) => code)).toEqual(['invalid_request']);
    expect(written).not.toContain('"data": []');
    expect(told.length).toBeGreaterThan(0);
    if (process.env['OPENAPI_WRITE']) writeFileSync(file, written);
    else expect(written).toBe(document);
  });

  it('names only paths of the service, in every language', async () => {
    const { paths } = (await app.call<{ paths: Record<string, unknown> }>('GET', '/openapi.json')).body;
    const known = Object.keys(paths).map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[a-z_{}]+')}$`));
    const text = readFileSync(file, 'utf8').replaceAll(/\$[A-Z_]+_ID/g, '{id}');
    const named = [...text.matchAll(/(?:\/admin)?\/v1\/[a-z/_{}-]+(?:\.pdf)?\b/g)].map(([path]) => path);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((path) => !known.some((pattern) => pattern.test(path)))).toEqual([]);
  });
});
