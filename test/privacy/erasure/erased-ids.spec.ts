import { readFileSync } from 'node:fs';
import { AccountEntity } from '../../../src/accounts/accounts/account.entity.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { UpstreamUsers } from '../../../src/accounts/accounts/upstream-users.js';
import { ErasureFencesWorker } from '../../../src/accounts/erasure-guard/erasure-fences.worker.js';
import { ErasureGuard } from '../../../src/accounts/erasure-guard/erasure-guard.service.js';
import { LateScrubWorker } from '../../../src/accounts/erasure-guard/late-scrub.worker.js';
import { ThisProcess } from '../../../src/platform/platform/this-process.js';
import { Scrubber } from '../../../src/storage/database/scrubber.js';
import { SqliteDatabase } from '../../../src/storage/database/sqlite-driver.js';
import { WorkerRegistry } from '../../../src/storage/work/worker-registry.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { tablesWith } from './support/filling.js';
import type { Receipt } from './support/receipt.js';

class BrokenDisk extends Scrubber {
  protected remove(): Promise<null> {
    return Promise.reject(Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' }));
  }
}

const secret = (letter: string): string => letter.repeat(32);

describe('the id of an erased person', () => {
  let app: TestApp;
  let account: string;
  let user: string;

  async function begin(env: Record<string, string> = {}): Promise<void> {
    app = await TestApp.create({ env });
    account = newAccountId('canary-id');
    user = (await app.as(account, 'POST', '/me/sign-in-token', {})).body.user_id;
  }

  afterEach(() => app.close());

  const erase = async (): Promise<string> => {
    const { erasure_id } = (await app.admin<Receipt>('DELETE', `/accounts/${account}`)).body;
    await app.settle();
    return erasure_id;
  };
  const signIn = (through = app) => through.as(account, 'POST', '/me/sign-in-token', {});
  const receipt = async (id: string): Promise<Receipt> => (await app.admin<Receipt>('GET', `/erasures/${id}`)).body;
  const accounts = () => app.table(AccountEntity).count();
  const late = async (event: Parameters<typeof app.sandbox.control.send>[0]): Promise<unknown> => {
    const { message_id } = await app.sandbox.control.send(event);
    await app.settle();
    return (await app.admin('GET', `/messages/${message_id}`, undefined, 'reader')).body;
  };

  it('is refused on every path, and nothing is created here or upstream', async () => {
    await begin();
    const id = await erase();
    const asked = [
      await signIn(),
      await app.as(account, 'POST', '/me/link-token', {}),
      await app.as(account, 'GET', '/me'),
      await app.as(account, 'POST', '/me/link-outcomes', { outcome: 'success' }),
      await app.admin('POST', '/accounts', { account_id: account }),
      await app.admin('POST', `/accounts/${account}/sign-in-token`),
    ];
    expect(asked.map(({ status, body }) => [status, body.code])).toEqual(asked.map(() => [409, 'account_erased']));
    await app.settle();
    expect([await accounts(), await app.upstreamUsers()]).toEqual([0, []]);
    expect((await receipt(id)).turned_away).toBe(asked.length);
    expect(await app.metric('erasure_suppressed_total', { source: 'account' })).toBe(asked.length);
    expect(await tablesWith(app.store, account)).toEqual([]);
  });

  it('is not adopted from a new upstream user, by an import or by events', async () => {
    await begin();
    const id = await erase();
    const { users } = await app.sandbox.control.createUsers({ client_user_id: account });
    const other = await app.sandbox.control.createUsers({ client_user_id: 'somebody-else' });
    await app.admin('POST', '/accounts/import');
    await app.settle();
    expect(await app.table(AccountEntity).all()).toMatchObject([{ account_id: 'somebody-else' }]);
    expect(other.users).toHaveLength(1);
    const gone = { status: 'ignored', reason: 'account_erased', account_id: null, has_body: false };
    const data = { event_type: 'daily.data.sleep.created', data: { id: 'x' } };
    expect(await late({ envelope: false, data: { ...data, client_user_id: account } })).toMatchObject(gone);
    expect(await late({ envelope: false, data: { ...data, user_id: users[0]?.user_id } })).toMatchObject(gone);
    expect(await accounts()).toBe(1);
    expect((await receipt(id)).turned_away).toBeGreaterThanOrEqual(2);
  });

  it('has no orders stored that upstream lists of a new user', async () => {
    await begin();
    await erase();
    const { users } = await app.sandbox.control.createUsers({ client_user_id: account });
    const { order } = await app.sandbox.control.createOrder({ user_id: String(users[0]?.user_id) });
    await app.advance(3_700, 2);
    expect((await app.admin('GET', `/orders/${order.id}`)).status).toBe(404);
    expect((await app.admin('POST', `/order-transactions/${order.order_transaction.id}/refresh`)).status).toBe(404);
    await app.chainAccesses();
    expect(await tablesWith(app.store, order.id)).toEqual(['access_log']);
  });

  it('is refused for the outcome of a link if the erasure came after the account was found', async () => {
    await begin();
    const accounts = app.get(AccountsService);
    const ensure = accounts.ensure.bind(accounts);
    jest.spyOn(accounts, 'ensure').mockImplementationOnce(async (...asked) => {
      const found = await ensure(...asked);
      await erase();
      return found;
    });
    const reported = await app.as(account, 'POST', '/me/link-outcomes', { outcome: 'success' });
    expect([reported.status, reported.body.code]).toEqual([409, 'account_erased']);
  });

  it('leaves no upstream user that was being created during the erasure', async () => {
    app = await TestApp.create();
    account = newAccountId('canary-id');
    const users = app.get(UpstreamUsers);
    const create = users.createOrFind.bind(users);
    let id = '';
    jest.spyOn(users, 'createOrFind').mockImplementationOnce(async (...asked) => {
      id = await erase();
      return create(...asked);
    });
    await app.sandbox.control.fault({ kind: 'status', status: 503, method: 'DELETE', path: '/v2/user' });
    expect((await signIn()).body.code).toBe('account_erased');
    expect(await app.upstreamUsers()).toHaveLength(1);
    await app.sandbox.control.clearFaults();
    await app.wait(9 * 86_400);
    await app.settle();
    expect(await app.upstreamUsers()).toEqual([]);
    expect(await receipt(id)).toMatchObject({ state: 'waiting', error_code: 'user_found' });
  });

  it('is free for a new person once an operator opens it, and fenced again when that one is erased', async () => {
    await begin();
    const id = await erase();
    const found = await app.admin('GET', `/erasure-fences/${account}`);
    expect([found.status, found.body]).toMatchObject([200, { erasure_id: id }]);
    expect((await app.admin('DELETE', `/erasures/${id}/fence`, undefined, 'backend')).status).toBe(403);
    expect((await app.admin('DELETE', `/erasures/${id}/fence`)).status).toBe(200);
    expect((await app.admin('GET', `/erasure-fences/${account}`)).status).toBe(404);
    expect((await app.admin('DELETE', `/erasures/${id}/fence`)).status).toBe(404);
    const anew = await signIn();
    expect([anew.status, anew.body.user_id === user]).toEqual([201, false]);
    const again = await erase();
    expect(again).not.toBe(id);
    expect((await signIn()).status).toBe(409);
  });

  it('is recognised by a configured key, while that is in the list', async () => {
    await begin({ ERASURE_FENCE_SECRETS: secret('a') });
    await erase();
    const rotated = await app.another({ env: { ERASURE_FENCE_SECRETS: `${secret('b')},${secret('a')}` } });
    expect((await signIn(rotated)).status).toBe(409);
    await rotated.run(ErasureFencesWorker);
    expect(rotated.get(ThisProcess).signs(rotated.clock.now())).not.toHaveProperty('fence_key_missing');
    const without = await app.another({ env: { ERASURE_FENCE_SECRETS: secret('b') } });
    await without.run(ErasureFencesWorker);
    expect(without.get(ThisProcess).signs(without.clock.now())).toHaveProperty('fence_key_missing');
    expect((await signIn(without)).status).toBe(201);
  });

  it('and later data of the person are not in the database files once no reader holds them', async () => {
    await begin();
    const { config } = app.database;
    if (config.kind !== 'sqlite') return;
    await erase();
    const canary = newAccountId('canary');
    const isInFiles = (): boolean =>
      [config.path, `${config.path}-wal`].some((path) => /canary/.test(readFileSync(path, 'latin1')));
    expect(isInFiles()).toBe(false);
    const reader = new SqliteDatabase(config.path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT COUNT(*) FROM messages').get();
    const note = { event_type: 'moon.phase.changed', client_user_id: account, data: { note: canary } };
    await late({ envelope: false, data: note });
    expect(isInFiles()).toBe(true);
    reader.close();
    const workers = app.pulsekeep.app.get(WorkerRegistry);
    const onBrokenDisk = new LateScrubWorker(app.get(ErasureGuard), new BrokenDisk(), workers);
    await expect(onBrokenDisk.loop.runUntilIdle()).rejects.toMatchObject({ code: 'storage_unavailable' });
    await app.run(LateScrubWorker);
    expect(isInFiles()).toBe(false);
  });
});
