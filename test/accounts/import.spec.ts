import type { AccountImportEntity } from '../../src/account-import/account-import.entity.js';
import { AccountImportWorker } from '../../src/account-import/account-import.worker.js';
import { AccountImportsRepository } from '../../src/account-import/account-imports.repository.js';
import { ImportTuning } from '../../src/account-import/import-scan.js';
import { ImportSteps } from '../../src/account-import/import-steps.js';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { adminKeys, START } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface ImportBody {
  [field: string]: unknown;
  import_id: number;
  state: string;
}

interface Difference {
  kind: string;
  reason: string | null;
  account_id: string | null;
  user_id: string | null;
}

const listCall = 'GET /v2/user/';
const leaseMs = 300_000;
let service: TestApp;

beforeEach(async () => {
  service = withSmallPages(await TestApp.create({ webhooks: false }));
  await service.sandbox.control.configure({ user_limit: null });
});

afterEach(() => service.close());

function withSmallPages(app: TestApp): TestApp {
  Object.assign(app.get(ImportTuning), { pageSize: 20, overlap: 4, compared: 25, verified: 3, tidied: 30 });
  return app;
}

const operator = { token: adminKeys.operator };
const viewer = { token: adminKeys.viewer };
const work = (app = service): Promise<void> => app.get(AccountImportWorker).loop.runUntilIdle();

const claim = (app = service): Promise<AccountImportEntity[]> =>
  app.store.lane.run((tx) => app.get(AccountImportsRepository).rows.claim(tx, { now: app.clock.now(), limit: 1 }));

/** One step of the import, as the worker takes it; what it did not do when there is none to take. */
async function step(app = service): Promise<'idle' | 'stepped'> {
  const now = app.clock.now();
  const [held] = await claim(app);
  if (!held) return 'idle';
  await app.get(ImportSteps).take(held, now, { priority: 'background' });
  return 'stepped';
}

const users = (count: number, prefix: string) => service.sandbox.control.createUsers({ count, prefix });

async function start(): Promise<ImportBody> {
  const answer = await service.send('POST /admin/v1/accounts/import', operator);
  expect(answer.status).toBe(202);
  return answer.body as unknown as ImportBody;
}

async function look(id: number, app = service): Promise<ImportBody> {
  return (await app.send(`GET /admin/v1/accounts/imports/${id}`, viewer)).body as unknown as ImportBody;
}

async function differences(id: number, kind?: string): Promise<Difference[]> {
  const all: Difference[] = [];
  let cursor: string | null = null;
  do {
    const query: string = `limit=7${kind ? `&kind=${kind}` : ''}${cursor ? `&cursor=${cursor}` : ''}`;
    const { body } = await service.send(`GET /admin/v1/accounts/imports/${id}/differences?${query}`, viewer);
    all.push(...(body.data as unknown as Difference[]));
    cursor = body.next_cursor;
  } while (cursor);
  return all;
}

const mapped = (): Promise<{ account_id: string; upstream_user_id: string }[]> =>
  service.store.reader.rows(`SELECT account_id, upstream_user_id FROM accounts WHERE upstream_user_id IS NOT NULL`);

/** Every live user of upstream has its account here, and is named by it. */
async function expectAllAdopted(): Promise<void> {
  const { users: truth } = await service.sandbox.control.truthUsers();
  const pairs = (await mapped()).map((row) => `${row.account_id} ${row.upstream_user_id}`);
  expect(pairs).toEqual(expect.arrayContaining(truth.map((user) => `${user.client_user_id} ${user.user_id}`)));
}

describe('an import', () => {
  it('takes over every user of upstream, page by page, and asks for a look at their sources [users#list]', async () => {
    await users(65, 'old');
    const known = await service.get(AccountsService).ensure('known-1', { priority: 'interactive' });
    const { import_id } = await start();
    await work();
    expect(await look(import_id)).toMatchObject({
      state: 'done',
      pass: 1,
      stable: true,
      users_total: 66,
      users_seen: 66,
      known: 1,
      adopted: 65,
      refused: 0,
      unknown_upstream: 0,
      pages: 4,
      share_done: 1,
      last_error: null,
      due_at: null,
    });
    await expectAllAdopted();
    const due = await service.store.reader.rows<{ account_id: number; due_at: number }>(
      'SELECT account_id, due_at FROM source_polls WHERE due_at <= ?',
      [START],
    );
    expect(due).toHaveLength(65);
    expect(due.map((row) => row.account_id)).not.toContain(known.id);
    const adopted = await differences(import_id, 'adopted');
    expect(new Set(adopted.map((row) => row.account_id)).size).toBe(65);
    expect(await service.callsTo(listCall)).toBe(4);
    expect(await service.callsTo('GET /v2/user/:user_id')).toBe(0);
  });

  it('of users that are all known changes nothing', async () => {
    await users(5, 'old');
    await start();
    await work();
    const before = await mapped();
    const second = await start();
    await work();
    expect(await look(second.import_id)).toMatchObject({ state: 'done', known: 5, adopted: 0 });
    expect(await mapped()).toEqual(before);
    expect(await differences(second.import_id)).toEqual([]);
  });

  it('keeps the settings that upstream has of a user', async () => {
    const { users: made } = await users(1, 'old');
    const path = `${service.sandbox.url}/v2/user/${made[0]?.user_id}`;
    await fetch(path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-service-api-key': 'sk_us_sandbox' },
      body: JSON.stringify({ fallback_time_zone: 'Europe/Berlin', ingestion_start: '2026-01-01' }),
    });
    await start();
    await work();
    expect(await service.get(AccountsService).find(made[0]?.client_user_id ?? '')).toMatchObject({
      fallback_time_zone: 'Europe/Berlin',
      ingestion_start: '2026-01-01',
      ingestion_end: null,
      status: 'active',
    });
  });

  it('refuses what cannot be taken over, counts why, and tells no id that may be personal', async () => {
    const mail = await service.sandbox.control.createUsers({ client_user_id: 'anna@example.com' });
    const phone = await service.sandbox.control.createUsers({ client_user_id: '+49 151 2345678' });
    const long = await service.sandbox.control.createUsers({ client_user_id: 'x'.repeat(300) });
    const other = await service.sandbox.control.createUsers({ client_user_id: 'taken' });
    await service.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO accounts (account_id, upstream_user_id, status, created_at, updated_at)
         VALUES ('taken', '00000000-0000-4000-8000-000000000001', 'active', 0, 0)`,
      ),
    );
    const { import_id } = await start();
    await work();
    expect(await look(import_id)).toMatchObject({
      state: 'done',
      refused: 4,
      refused_by_reason: { account_has_other_user: 1, id_not_storable: 1, personal_id: 2 },
      unknown_by_reason: { user_replaced: 1 },
    });
    const id = (made: typeof mail): string => made.users[0]?.user_id ?? '';
    const found = await differences(import_id, 'refused');
    expect(found.map(({ reason, account_id, user_id }) => [reason, account_id, user_id])).toEqual([
      ['personal_id', null, id(mail)],
      ['personal_id', null, id(phone)],
      ['id_not_storable', null, id(long)],
      ['account_has_other_user', 'taken', id(other)],
    ]);
    expect(JSON.stringify(await look(import_id)) + service.logs.join('')).not.toMatch(/anna|151/);
  });

  it('reports accounts without a user upstream once upstream itself has said so', async () => {
    const accounts = service.get(AccountsService);
    for (let index = 0; index < 8; index++) await accounts.ensure(`mine-${index}`, { priority: 'interactive' });
    const gone = await accounts.get('mine-2');
    const renewed = await accounts.get('mine-5');
    for (const { upstream_user_id } of [gone, renewed]) {
      await service.sandbox.control.eraseUser(upstream_user_id ?? '');
    }
    await service.store.lane.run((tx) =>
      tx.execute(`INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('half', 'pending', 0, 0)`),
    );
    await service.sandbox.control.createUsers({ client_user_id: 'mine-5' });
    const { import_id } = await start();
    await work();
    expect(await look(import_id)).toMatchObject({
      state: 'done',
      known: 6,
      refused_by_reason: { account_has_other_user: 1 },
      unknown_upstream: 3,
      unknown_by_reason: { never_made: 1, user_gone: 1, user_replaced: 1 },
      accounts_verified: 3,
    });
    const unknown = await differences(import_id, 'unknown_upstream');
    expect(unknown.map(({ reason, account_id, user_id }) => [reason, account_id, user_id])).toEqual([
      ['user_gone', 'mine-2', gone.upstream_user_id],
      ['user_replaced', 'mine-5', renewed.upstream_user_id],
      ['never_made', 'half', null],
    ]);
  });

  it('finishes an account whose creation was cut off, though its user was made after the walk', async () => {
    await service.store.lane.run((tx) =>
      tx.execute(`INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('half', 'pending', 0, 0)`),
    );
    await users(1, 'first');
    const { import_id } = await start();
    while ((await look(import_id))['phase'] === 'walk') await step();
    await service.sandbox.control.createUsers({ client_user_id: 'half' });
    await work();
    expect(await look(import_id)).toMatchObject({ adopted: 2, unknown_upstream: 0, accounts_verified: 1 });
    expect(await service.callsTo('GET /v2/user/resolve/:client_user_id')).toBe(1);
    await expectAllAdopted();
  });

  it('loses nobody when users come and go during the walk', async () => {
    const { users: made } = await users(90, 'old');
    const gone = made.slice(0, 15);
    const { import_id } = await start();
    for (let turn = 1; (await step()) === 'stepped'; turn++) {
      if (turn === 2) for (const { user_id } of gone) await service.sandbox.control.eraseUser(user_id);
      if (turn === 4) await users(3, 'late');
    }
    expect(await look(import_id)).toMatchObject({ state: 'done', pass: 2, stable: true, users_total: 78 });
    await expectAllAdopted();
    const unknown = (await differences(import_id, 'unknown_upstream')).map(({ account_id }) => account_id);
    expect(gone.map((user) => user.client_user_id)).toEqual(expect.arrayContaining(unknown));
  });
});

describe('an import that is disturbed', () => {
  it('goes on at its page after a crash at any step, and ends the same', async () => {
    await users(65, 'old');
    const { import_id } = await start();
    let crashes = 0;
    for (; (await look(import_id)).state === 'running'; crashes++) {
      await claim();
      expect(await step()).toBe('idle');
      service.clock.advance(leaseMs);
      expect(await step()).toBe('stepped');
    }
    expect(crashes).toBeGreaterThan(5);
    expect(await look(import_id)).toMatchObject({ state: 'done', adopted: 65, known: 0, refused: 0, pages: 4 });
    expect(await differences(import_id)).toHaveLength(65);
    await expectAllAdopted();
  });

  it('writes nothing once its lease has gone to another', async () => {
    await users(10, 'old');
    await start();
    const other = withSmallPages(await service.another());
    const loop = service.get(AccountImportWorker).loop;
    await service.sandbox.control.fault({ kind: 'slow', path: '/v2/user/', delay_ms: 300, times: 1 });
    const slow = loop.runUntilIdle();
    while ((await service.sandbox.control.faults()).faults.every(({ struck }) => struck === 0)) await Promise.resolve();
    other.clock.advance(300_001);
    await work(other);
    const after = await service.store.reader.rows('SELECT * FROM account_imports');
    await slow;
    expect(await service.store.reader.rows('SELECT * FROM account_imports')).toEqual(after);
    await expectAllAdopted();
    expect(await mapped()).toHaveLength(10);
  });

  it('waits while upstream is down, in sight of the operator, and goes on', async () => {
    await users(30, 'old');
    await service.sandbox.control.fault({
      kind: 'status',
      status: 429,
      retry_after: 120,
      path: '/v2/user/',
      skip: 1,
      times: 1,
    });
    const { import_id } = await start();
    await work();
    expect(await look(import_id)).toMatchObject({
      state: 'running',
      pages: 1,
      failures: 1,
      last_error: 'upstream_throttled',
      due_at: '2026-11-20T12:02:00.000Z',
    });
    await service.sandbox.control.fault({ kind: 'status', status: 503, path: '/v2/user/', times: 3 });
    service.clock.advance(120_000);
    await work();
    expect(await look(import_id)).toMatchObject({ state: 'running', failures: 2, last_error: 'upstream_unavailable' });
    service.clock.advance(900_000);
    await work();
    expect(await look(import_id)).toMatchObject({ state: 'done', adopted: 30, failures: 0, last_error: null });
  });

  it('fails with a code of its own when upstream refuses the key, and can be asked for again', async () => {
    await users(30, 'old');
    await service.sandbox.control.fault({ kind: 'status', status: 401, path: '/v2/user/', skip: 1, times: 1 });
    const { import_id } = await start();
    await work();
    expect(await look(import_id)).toMatchObject({ state: 'failed', last_error: 'upstream_unauthorized', due_at: null });
    const second = await start();
    expect(second.import_id).not.toBe(import_id);
    await work();
    expect(await look(second.import_id)).toMatchObject({ state: 'done', known: 20, adopted: 10 });
  });

  it('fails when upstream’s list cannot be read, after some tries', async () => {
    await service.sandbox.control.fault({ kind: 'empty', path: '/v2/user/' });
    const { import_id } = await start();
    for (let round = 0; round < 20 && (await look(import_id)).state === 'running'; round++) {
      await work();
      service.clock.advance(900_000);
    }
    expect(await look(import_id)).toMatchObject({ state: 'failed', failures: 5, last_error: 'upstream_contract' });
  });

  it('forgets whom it has seen once it has ended', async () => {
    await users(65, 'old');
    await start();
    await work();
    expect(await service.store.reader.rows('SELECT * FROM account_import_seen_users')).toEqual([]);
  });
});

describe('an operator', () => {
  it('gets the import that runs when asking again, and a new one once it has ended', async () => {
    const asked = await Promise.all(Array.from({ length: 10 }, () => start()));
    expect(new Set(asked.map((one) => one.import_id)).size).toBe(1);
    await work();
    const second = await start();
    expect(second.import_id).not.toBe(asked[0]?.import_id);
    const list = await service.send('GET /admin/v1/accounts/imports?limit=1', viewer);
    expect(list.body.data).toMatchObject([{ import_id: second.import_id, state: 'running' }]);
    const rest = await service.send(`GET /admin/v1/accounts/imports?cursor=${list.body.next_cursor}`, viewer);
    expect(rest.body.data).toMatchObject([{ import_id: asked[0]?.import_id, state: 'done' }]);
  });

  it('needs the role for it, and is told of an import there is not', async () => {
    expect((await service.send('POST /admin/v1/accounts/import', viewer)).status).toBe(403);
    expect((await service.send('GET /admin/v1/accounts/imports')).status).toBe(401);
    expect((await service.send('GET /admin/v1/accounts/imports/99', viewer)).body.code).toBe('not_found');
    expect((await service.send('GET /admin/v1/accounts/imports/99/differences', viewer)).status).toBe(404);
    expect((await service.send('GET /admin/v1/accounts/imports/x', viewer)).status).toBe(400);
    const { import_id } = await start();
    const odd = await service.send(`GET /admin/v1/accounts/imports/${import_id}/differences?kind=odd`, viewer);
    expect(odd.body.code).toBe('invalid_request');
  });

  it('sees how far it is while it runs', async () => {
    await users(65, 'old');
    const { import_id } = await start();
    const shares: number[] = [];
    while ((await look(import_id)).state === 'running') {
      await step();
      service.clock.advance(1_000);
      const seen = await look(import_id);
      shares.push(Number(seen['share_done']));
      expect(seen['estimated_end'] === null).toBe(seen.state !== 'running');
    }
    expect(shares.length).toBeGreaterThan(5);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares[0]).toBeLessThan(0.5);
    expect(shares.at(-1)).toBe(1);
  });
});
