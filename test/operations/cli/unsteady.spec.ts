import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driveCli } from './support/run-cli.js';

const refused = { type: 'urn:pulsekeep:problem:rate_limited', code: 'rate_limited', detail: 'Too many requests.' };

describe('a command for a service that does not answer every request', () => {
  let server: Server;
  let url: string;
  let folder: string;
  let answers: (path: string) => object;
  let fails: (path: string) => 'breaks' | 'refuses' | null;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-cli-'));
    server = createServer((request: IncomingMessage, response: ServerResponse) => {
      const path = `${request.method} ${request.url?.replace('/admin/v1', '')}`;
      const failure = fails(path);
      if (failure === 'breaks') return void response.destroy();
      response.writeHead(failure === 'refuses' ? 429 : 200, { 'x-request-id': 'synthetic', 'retry-after': '0' });
      response.end(JSON.stringify(failure === 'refuses' ? refused : answers(path)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function once(path: string, failure: 'breaks' | 'refuses'): void {
    let isLeft = true;
    fails = (asked) => {
      const isMeant = isLeft && asked === path;
      if (isMeant) isLeft = false;
      return isMeant ? failure : null;
    };
  }

  const task = { status: 'done', pages: 1, records: 2, written: 2, rejected: 0, last_error: null, due_at: null };
  const pulls = 100;
  function pulling(path: string): object {
    if (path.startsWith('GET /accounts?')) return { data: [{ account_id: 'a' }], next_cursor: null };
    if (path === 'POST /accounts/a/sync') return { task_ids: Array.from({ length: pulls }, (_, index) => index + 1) };
    return task;
  }

  it.each([
    ['GET /sync/tasks/90', 'breaks'],
    ['GET /sync/tasks/90', 'refuses'],
    ['POST /accounts/a/sync', 'refuses'],
    ['GET /accounts?limit=500&status=active', 'refuses'],
  ] as const)('counts each pull once if %s %s once', async (path, failure) => {
    answers = pulling;
    once(path, failure);
    const ended = await driveCli(url, ['sync', 'run', '--json']);
    expect([ended.code, ended.json()]).toEqual([
      0,
      expect.objectContaining({ pulls, done: pulls, records: 2 * pulls }),
    ]);
  });

  it('fails if the replay it waits for is cancelled', async () => {
    fails = () => null;
    const counts = { count: 9, without_body: 0, replayed: 2, applied: 2, ignored: 0, retrying: 0, failed: 0, left: 7 };
    answers = () => ({ replay_id: 1, state: 'cancelled', finished_at: '2026-11-26T12:00:00.000Z', ...counts });
    expect((await driveCli(url, ['inbox', 'replay', '--status', 'dead'])).code).toBe(1);
    expect((await driveCli(url, ['inbox', 'cancel-replay', '1'])).code).toBe(0);
  });

  it('leaves no file of differences if an import fails', async () => {
    const file = join(folder, 'differences');
    for (const path of ['POST /accounts/import', 'GET /account-imports/7/differences?limit=500']) {
      once(path, 'breaks');
      answers = () => ({ import_id: 7, state: 'done', data: [], next_cursor: null });
      const { code } = await driveCli(url, ['accounts', 'import', '--out', file]);
      expect([path, code, existsSync(file)]).toEqual([path, 1, false]);
    }
  });
});
