import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { importsOf, viewer, withSmallPages } from './support/imports.js';

const listCall = 'GET /v2/user';
let service: TestApp;

beforeEach(async () => {
  service = withSmallPages(await TestApp.create({ webhooks: false }));
  await service.sandbox.control.configure({ user_limit: null });
});

afterEach(() => service.close());

const { work, step, users, start, look, differences, mapped, expectAllAdopted } = importsOf(() => service);

describe('an import', () => {
  it('takes over every user of upstream, page by page, and requests a poll of their sources [users#list]', async () => {
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

  it('of known users changes nothing', async () => {
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

  it('refuses users that cannot be taken over, counts the reasons, and shows no possibly personal id', async () => {
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
    expect(JSON.stringify(await look(import_id)) + service.logs.join('')).not.toMatch(/anna|2345678/);
  });

  it('reports accounts without an upstream user once upstream confirmed it', async () => {
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

  it('finishes an interrupted account whose user was created after the walk', async () => {
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

  it('puts an account that it completes into the change feed as changed, and a new one as created', async () => {
    await service.store.lane.run((tx) =>
      tx.execute(`INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('half', 'pending', 0, 0)`),
    );
    for (const client_user_id of ['half', 'new']) await service.sandbox.control.createUsers({ client_user_id });
    await start();
    await work();
    const noted = await service.store.reader.rows(
      `SELECT a.account_id, action FROM pending_changes p JOIN accounts a ON CAST(a.id AS TEXT) = p.subject
        WHERE kind = 'account' ORDER BY a.account_id`,
    );
    expect(noted).toEqual([
      { account_id: 'half', action: 'changed' },
      { account_id: 'new', action: 'created' },
    ]);
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

describe('an operator', () => {
  it('gets the running import when requesting another one, and a new one after its end', async () => {
    const asked = await Promise.all(Array.from({ length: 10 }, () => start()));
    expect(new Set(asked.map((one) => one.import_id)).size).toBe(1);
    await work();
    const second = await start();
    expect(second.import_id).not.toBe(asked[0]?.import_id);
    const hidden = await service.send('GET /admin/v1/accounts/imports', viewer);
    expect([hidden.status, hidden.body.code]).toEqual([404, 'not_found']);
    const list = await service.send('GET /admin/v1/account-imports?limit=1', viewer);
    expect(list.body.data).toMatchObject([{ import_id: second.import_id, state: 'running' }]);
    const rest = await service.send(`GET /admin/v1/account-imports?cursor=${list.body.next_cursor}`, viewer);
    expect(rest.body.data).toMatchObject([{ import_id: asked[0]?.import_id, state: 'done' }]);
  });

  it('needs the role for it, and gets 404 for an unknown import', async () => {
    expect((await service.send('POST /admin/v1/accounts/import', viewer)).status).toBe(403);
    expect((await service.send('GET /admin/v1/account-imports')).status).toBe(401);
    expect((await service.send('GET /admin/v1/account-imports/99', viewer)).body.code).toBe('not_found');
    expect((await service.send('GET /admin/v1/account-imports/99/differences', viewer)).status).toBe(404);
    expect((await service.send('GET /admin/v1/account-imports/x', viewer)).status).toBe(400);
    const { import_id } = await start();
    const odd = await service.send(`GET /admin/v1/account-imports/${import_id}/differences?kind=odd`, viewer);
    expect(odd.body.code).toBe('invalid_request');
  });

  it('sees its progress while it runs', async () => {
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
