import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { PendingAccountsWorker } from '../../../src/accounts/accounts/pending-accounts.worker.js';
import type { WireUser } from '../../../src/upstream/client/wire-users.js';
import { codeOf } from '../../support/code-of.js';
import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const interactive = { priority: 'interactive' } as const;
const createCall = 'POST /v2/user';

let service: TestApp;

beforeEach(async () => {
  service = await TestApp.create({ webhooks: false });
});

afterEach(() => service.close());

async function rows(): Promise<{ account_id: string; status: string; upstream_user_id: string | null }[]> {
  return service.store.reader.rows('SELECT account_id, status, upstream_user_id FROM accounts ORDER BY id');
}

async function checkDueAt(): Promise<number | null | undefined> {
  const row = await service.store.reader.row<{ due_at: number | null }>('SELECT due_at FROM source_polls');
  return row?.due_at;
}

async function wireUser(client_user_id: string): Promise<WireUser> {
  const { users } = await service.sandbox.control.createUsers({ client_user_id });
  const user_id = users[0]?.user_id ?? '';
  return {
    user_id,
    client_user_id,
    team_id: null,
    created_on: null,
    fallback_time_zone: null,
    fallback_birth_date: null,
    ingestion_start: null,
    ingestion_end: null,
  };
}

describe('an account', () => {
  it('is created with its upstream user on first use and found from then on [users#ids]', async () => {
    const accounts = service.get(AccountsService);
    const account = await accounts.ensure('cust-1', interactive);
    const users = await service.upstreamUsers();
    expect(users).toEqual([account.upstream_user_id]);
    expect(account).toMatchObject({ account_id: 'cust-1', status: 'active', linked_at: START });
    expect(await accounts.find('cust-1')).toEqual(account);
    expect(await accounts.findById(account.id)).toEqual(account);
    expect(await accounts.findByUpstreamUser(account.upstream_user_id.toUpperCase())).toEqual(account);
    expect(await accounts.ensure('cust-1', interactive)).toEqual(account);
    expect(await service.callsTo(createCall)).toBe(1);
    expect(await checkDueAt()).toBeGreaterThan(START);
  });

  it('is created once, with one upstream user and one call, however many callers race [users#create]', async () => {
    const accounts = service.get(AccountsService);
    const made = await Promise.all(Array.from({ length: 50 }, () => accounts.ensure('cust-1', interactive)));
    expect(new Set(made.map((account) => account.upstream_user_id)).size).toBe(1);
    expect(await service.upstreamUsers()).toEqual([made[0]?.upstream_user_id]);
    expect(await service.callsTo(createCall)).toBe(1);
    expect(await rows()).toHaveLength(1);
  });

  it('is created once when two services on the same store race', async () => {
    const other = await service.another();
    const services = [service.get(AccountsService), other.get(AccountsService)];
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (services[index % 2] as AccountsService).ensure('cust-1', interactive)),
    );
    expect(new Set(made.map((account) => account.upstream_user_id)).size).toBe(1);
    expect(await service.upstreamUsers()).toEqual([made[0]?.upstream_user_id]);
    expect(await rows()).toMatchObject([{ status: 'active' }]);
  });

  it('is separate from every other one in a crowd', async () => {
    const accounts = service.get(AccountsService);
    const ids = Array.from({ length: 20 }, (_, index) => `cust-${index}`);
    const made = await Promise.all([...ids, ...ids].map((id) => accounts.ensure(id, interactive)));
    expect(new Set(made.map((account) => account.upstream_user_id)).size).toBe(20);
    expect(made.map((account) => account.account_id)).toEqual([...ids, ...ids]);
    expect(await service.upstreamUsers()).toHaveLength(20);
  });

  it('adopts the upstream user that already has its id, with its settings, and requests a poll of its sources', async () => {
    const accounts = service.get(AccountsService);
    const user = await wireUser('cust-1');
    const account = await accounts.ensure('cust-1', interactive);
    expect(account.upstream_user_id).toBe(user.user_id);
    expect(await checkDueAt()).toBe(START);
  });

  it('adopts the user of an attempt whose response was lost, within the same call', async () => {
    const accounts = service.get(AccountsService);
    await service.sandbox.control.fault({ kind: 'drop_after', path: '/v2/user', method: 'POST', times: 1 });
    const account = await accounts.ensure('cust-1', interactive);
    expect(await service.upstreamUsers()).toEqual([account.upstream_user_id]);
  });

  it('keeps the settings that a change omits', async () => {
    const accounts = service.get(AccountsService);
    const settings = { ingestion_start: '2026-01-01', ingestion_end: undefined };
    await accounts.create('cust-1', { ...settings, fallback_time_zone: 'UTC' }, interactive);
    const patched = await accounts.patch(
      'cust-1',
      { ingestion_start: undefined, ingestion_end: '2026-02-01' },
      interactive,
    );
    expect(patched).toMatchObject({
      ingestion_start: '2026-01-01',
      ingestion_end: '2026-02-01',
      fallback_time_zone: 'UTC',
    });
    expect(await codeOf(accounts.patch('cust-1', { ingestion_start: undefined }, interactive))).toBe('invalid_request');
  });

  it('stays pending if every response is lost, and the next call adopts the created user', async () => {
    const accounts = service.get(AccountsService);
    await service.sandbox.control.fault({ kind: 'drop_after', path: '/v2/user', method: 'POST' });
    expect(await codeOf(accounts.ensure('cust-1', interactive))).toBe('upstream_unavailable');
    expect(await rows()).toEqual([{ account_id: 'cust-1', status: 'pending', upstream_user_id: null }]);
    await service.sandbox.control.clearFaults();
    const restarted = service.get(AccountsService);
    const account = await restarted.ensure('cust-1', interactive);
    expect(await service.upstreamUsers()).toEqual([account.upstream_user_id]);
  });

  it('left pending is finished by the worker, with growing pauses while that fails', async () => {
    const { loop } = service.get(PendingAccountsWorker);
    await service.sandbox.control.fault({ kind: 'drop_after', path: '/v2/user', method: 'POST' });
    await codeOf(service.get(AccountsService).ensure('cust-1', interactive));
    await service.sandbox.control.clearCalls();

    await loop.runUntilIdle();
    expect(await service.callsTo(createCall)).toBe(0);

    service.clock.advance(60_000);
    await loop.runUntilIdle();
    const tries = await service.callsTo(createCall);
    expect(tries).toBeGreaterThan(0);
    service.clock.advance(60_000);
    await loop.runUntilIdle();
    expect(await service.callsTo(createCall)).toBe(2 * tries);
    service.clock.advance(119_999);
    await loop.runUntilIdle();
    expect(await service.callsTo(createCall)).toBe(2 * tries);

    await service.sandbox.control.clearFaults();
    service.clock.advance(1);
    await loop.runUntilIdle();
    expect(await rows()).toEqual([
      { account_id: 'cust-1', status: 'active', upstream_user_id: (await service.upstreamUsers())[0] },
    ]);
  });

  it('gives every waiting caller the error of a failed attempt, and the next call a new attempt', async () => {
    const accounts = service.get(AccountsService);
    await service.sandbox.control.fault({
      kind: 'status',
      status: 422,
      path: '/v2/user',
      method: 'POST',
      times: 1,
    });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => codeOf(accounts.ensure('cust-1', interactive))));
    expect(new Set(outcomes)).toEqual(new Set(['upstream_rejected']));
    expect((await accounts.ensure('cust-1', interactive)).status).toBe('active');
  });

  it.each(['jane@example.com', '+49 170 1234567'])(
    'is not created with the id %s, and nothing is stored [users#ids]',
    async (id) => {
      expect(await codeOf(service.get(AccountsService).ensure(id, interactive))).toBe('account_id_not_allowed');
      expect(await rows()).toEqual([]);
      expect(await service.upstreamUsers()).toEqual([]);
      expect(service.logs.join('')).not.toContain(id);
    },
  );

  it('with a personal-looking id that upstream already has is adopted and then works', async () => {
    const accounts = service.get(AccountsService);
    const user = await wireUser('jane@example.com');
    expect((await accounts.adopt(user)).upstream_user_id).toBe(user.user_id);
    expect((await accounts.ensure('jane@example.com', interactive)).upstream_user_id).toBe(user.user_id);
  });

  it.each([
    ['blocked', 'account_blocked'],
    ['erasing', 'account_erased'],
  ])('that is %s is not returned', async (status, code) => {
    const accounts = service.get(AccountsService);
    await accounts.ensure('cust-1', interactive);
    await service.store.lane.run((tx) => tx.execute('UPDATE accounts SET status = ?', [status]));
    expect(await codeOf(accounts.ensure('cust-1', interactive))).toBe(code);
  });
});

describe('an account whose erasure ends while it is changed', () => {
  it.each<[string, (accounts: AccountsService) => Promise<unknown>, string]>([
    ['blocked', (accounts) => accounts.block('cust-1'), 'not_found'],
    ['patched', (accounts) => accounts.patch('cust-1', { fallback_time_zone: 'UTC' }, interactive), 'account_erased'],
  ])('is not %s', async (_, change, code) => {
    const accounts = service.get(AccountsService);
    await accounts.ensure('cust-1', interactive);
    const { lane } = service.store;
    const run = lane.run.bind(lane);
    jest.spyOn(lane, 'run').mockImplementationOnce(async (work) => {
      await run(async (tx) => {
        await tx.execute('DELETE FROM source_polls');
        await tx.execute('DELETE FROM accounts');
      });
      return run(work);
    });
    expect(await codeOf(change(accounts))).toBe(code);
  });
});

describe('the user limit of the sandbox environment', () => {
  it('is reported, and the account is created as soon as there is room [environments#user-limit]', async () => {
    await service.sandbox.control.configure({ user_limit: 1 });
    const accounts = service.get(AccountsService);
    const first = await accounts.ensure('cust-1', interactive);
    expect(await codeOf(accounts.ensure('cust-2', interactive))).toBe('upstream_user_limit');
    await expect(accounts.ensure('cust-2', interactive)).rejects.toThrow(/limit of 50 users/);
    expect(await service.figures()).toContain('outcome="user_limit"} 2');
    await service.sandbox.control.eraseUser(first.upstream_user_id);
    expect((await accounts.ensure('cust-2', interactive)).status).toBe('active');
  });

  it('is not suspected in production [environments#user-limit]', async () => {
    const env = { UPSTREAM_ENVIRONMENT: 'production', UPSTREAM_API_KEY: 'pk_us_key' };
    const production = await TestApp.create({ env, sandbox: { apiKey: 'pk_us_key', users: 1 }, webhooks: false });
    await production.sandbox.control.configure({ user_limit: 1 });
    const accounts = production.get(AccountsService);
    const outcome = await accounts.ensure('cust-1', interactive).catch((error: unknown) => error);
    await production.close();
    expect(outcome).toMatchObject({ code: 'upstream_rejected', status: 400 });
  });
});

describe('an upstream user that turns up', () => {
  it('is adopted by its client id, once', async () => {
    const accounts = service.get(AccountsService);
    const user = await wireUser('cust-1');
    const adopted = await accounts.adoptByUpstreamUser(user.user_id, interactive);
    expect(adopted).toMatchObject({ account_id: 'cust-1', upstream_user_id: user.user_id, status: 'active' });
    await service.sandbox.control.clearCalls();
    expect(await accounts.adoptByUpstreamUser(user.user_id, interactive)).toEqual(adopted);
    expect((await service.sandbox.control.calls()).calls).toEqual([]);
    expect(await checkDueAt()).toBe(START);
  });

  it('is adopted by many at the same time without harm', async () => {
    const other = await service.another();
    const services = [service.get(AccountsService), other.get(AccountsService)];
    const user = await wireUser('cust-1');
    const adopted = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (services[index % 2] as AccountsService).adopt(user)),
    );
    expect(new Set(adopted.map((account) => account.id)).size).toBe(1);
  });

  it('finishes a pending account', async () => {
    const accounts = service.get(AccountsService);
    await service.sandbox.control.fault({ kind: 'drop_after', path: '/v2/user', method: 'POST' });
    await codeOf(accounts.ensure('cust-1', interactive));
    const [userId = ''] = await service.upstreamUsers();
    expect(await accounts.adoptByUpstreamUser(userId, interactive)).toMatchObject({ status: 'active' });
  });

  it('is null when upstream does not know it', async () => {
    const accounts = service.get(AccountsService);
    expect(await accounts.adoptByUpstreamUser('00000000-0000-4000-8000-000000000001', interactive)).toBeNull();
    expect(await rows()).toEqual([]);
  });

  it('never takes the place of another user of the account [users#ids]', async () => {
    const accounts = service.get(AccountsService);
    const account = await accounts.ensure('cust-1', interactive);
    const other = { ...(await wireUser('cust-2')), client_user_id: 'cust-1' };
    expect(await codeOf(accounts.adopt(other))).toBe('conflict');
    expect(await accounts.find('cust-1')).toEqual(account);
    expect(await service.figures()).toContain('outcome="conflict"} 1');
  });

  it('is never mapped to a second account [users#ids]', async () => {
    const accounts = service.get(AccountsService);
    const account = await accounts.ensure('cust-1', interactive);
    const renamed = { ...(await wireUser('cust-2')), user_id: account.upstream_user_id };
    expect(await codeOf(accounts.adopt(renamed))).toBe('conflict');
    expect(await rows()).toEqual([
      { account_id: 'cust-1', status: 'active', upstream_user_id: account.upstream_user_id },
    ]);
  });

  it('with an id that cannot be stored is refused', async () => {
    const accounts = service.get(AccountsService);
    const user = { ...(await wireUser('cust-1')), client_user_id: 'a\u0000b' };
    expect(await codeOf(accounts.adopt(user))).toBe('account_id_not_allowed');
  });

  it('is distinguished from a deleted one when a call about it fails', async () => {
    const accounts = service.get(AccountsService);
    const account = await accounts.ensure('cust-1', interactive);
    await service.sandbox.control.eraseUser(account.upstream_user_id);
    expect(await codeOf(accounts.patch('cust-1', { ingestion_start: '2026-01-01' }, interactive))).toBe('conflict');
    expect(await accounts.find('cust-1')).toEqual({
      ...account,
      user_gone_at: service.clock.now(),
      updated_at: service.clock.now(),
    });
    expect(service.logs.join('')).toContain('"event":"account.user_unknown"');
  });
});
