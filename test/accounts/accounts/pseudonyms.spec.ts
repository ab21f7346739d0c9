import { AccountEntity } from '../../../src/accounts/accounts/account.entity.js';
import { PseudonymsWorker } from '../../../src/accounts/accounts/pseudonyms.worker.js';
import { isPseudonym } from '../../../src/platform/platform/ids.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const env = { CLIENT_ID_SECRET: 'a-client-id-secret-of-at-least-32-bytes' };

describe('with a secret for pseudonyms, upstream', () => {
  let app: TestApp;
  let account: string;

  beforeEach(() => {
    account = newAccountId();
  });

  afterEach(() => app.close());

  const signIn = (through = app, id = account) => through.as(id, 'POST', '/me/sign-in-token', {});
  const names = async (): Promise<string[]> =>
    (await app.sandbox.control.truthUsers()).users.map(({ client_user_id }) => String(client_user_id));
  const row = (id = account) => app.table(AccountEntity, 'account_id').byId(id);
  /** An event that names its user by `client_user_id` alone; whose it was found to be. */
  const ownerOf = async (name: string): Promise<unknown> => {
    const data = { event_type: 'moon.phase.changed', client_user_id: name, data: {} };
    const { message_id } = await app.sandbox.control.send({ envelope: false, data });
    await app.settle();
    return (await app.admin('GET', `/messages/${message_id}`)).body.account_id;
  };

  it('never sees the account id of a new person, whose pseudonym is recognised', async () => {
    app = await TestApp.create({ env });
    expect((await signIn()).status).toBe(201);
    const [name = ''] = await names();
    expect([isPseudonym(name), name.includes(account)]).toEqual([true, false]);
    expect(await row()).toMatchObject({ pseudonym: name, pseudonym_at: app.clock.now(), status: 'active' });
    expect(await ownerOf(name)).toBe(account);
    const found = await app.admin('GET', `/accounts?q=${name}`);
    expect(found.body.data).toMatchObject([{ account_id: account }]);
    expect((await signIn()).status).toBe(201);
    expect(await names()).toEqual([name]);
  });

  it('refuses an account only for an id in the form of a pseudonym', async () => {
    app = await TestApp.create({ env });
    const { status, body } = await signIn(app, `anon_${'0'.repeat(64)}`);
    expect([status, body.code]).toEqual([400, 'account_id_not_allowed']);
    expect(await names()).toEqual([]);
  });

  it('gets the pseudonyms of existing users once, and both names are recognised', async () => {
    app = await TestApp.create();
    const other = newAccountId();
    for (const id of [account, other]) await signIn(app, id);
    const renaming = await app.another({ env });
    await app.sandbox.control.fault({ kind: 'status', status: 503, method: 'PATCH', path: '/v2/user', times: 20 });
    await renaming.run(PseudonymsWorker);
    expect((await names()).sort()).toEqual([account, other].sort());
    expect(await row()).toMatchObject({ pseudonym: expect.stringMatching(/^anon_/), pseudonym_at: null });
    const pseudonym = String((await row())?.pseudonym);
    expect([await ownerOf(account), await ownerOf(pseudonym)]).toEqual([account, account]);
    await app.sandbox.control.clearFaults();
    await app.wait(600);
    await renaming.run(PseudonymsWorker);
    expect((await names()).every(isPseudonym)).toBe(true);
    expect([await ownerOf(account), await ownerOf(pseudonym)]).toEqual([account, account]);
    expect(await renaming.metric('accounts_unrenamed')).toBe(0);
    const calls = await app.callsTo('PATCH /v2/user/{user_id}');
    await renaming.run(PseudonymsWorker);
    expect(await app.callsTo('PATCH /v2/user/{user_id}')).toBe(calls);
    expect((await signIn(renaming)).status).toBe(201);
    expect((await signIn(app)).status).toBe(201);
    expect(await app.table(AccountEntity).count()).toBe(2);
  });

  it('that refuses to rename a user is asked again a day later', async () => {
    app = await TestApp.create();
    await signIn();
    const renaming = await app.another({ env });
    await app.sandbox.control.fault({ kind: 'status', status: 409, method: 'PATCH', path: '/v2/user', times: 1 });
    await renaming.run(PseudonymsWorker);
    await renaming.run(PseudonymsWorker);
    expect(await names()).toEqual([account]);
    expect(await renaming.metric('accounts_outcomes_total', { outcome: 'not_renamed' })).toBe(1);
    await app.wait(86_400);
    await renaming.run(PseudonymsWorker);
    expect((await names()).every(isPseudonym)).toBe(true);
  });

  it('has no user imported under an unknown pseudonym, until the person signs in', async () => {
    app = await TestApp.create({ env });
    await signIn();
    const known = await names();
    const before = await TestApp.create({ env, upstream: app.sandbox, webhooks: false });
    try {
      const { body } = await before.admin<{ import_id: number }>('POST', '/accounts/import');
      await before.settle();
      const found = await before.admin('GET', `/account-imports/${body.import_id}/differences`);
      expect(found.body.data).toMatchObject([{ kind: 'refused', reason: 'id_not_storable' }]);
      expect((await signIn(before)).status).toBe(201);
      expect(await names()).toEqual(known);
    } finally {
      await before.close();
    }
    await app.admin('POST', '/accounts/import');
    await app.settle();
    expect(await app.table(AccountEntity).count()).toBe(1);
  });

  it('has both names fenced when the person is erased', async () => {
    app = await TestApp.create({ env });
    await signIn();
    const [name = ''] = await names();
    await app.admin('DELETE', `/accounts/${account}`);
    await app.settle();
    expect(await names()).toEqual([]);
    expect([await ownerOf(name), await ownerOf(account)]).toEqual([null, null]);
    expect((await signIn()).body.code).toBe('account_erased');
    const { users } = await app.sandbox.control.createUsers({ client_user_id: name });
    await app.sandbox.control.send({ event_type: 'daily.data.sleep.created', user_id: users[0]?.user_id, data: {} });
    await app.settle();
    expect(await app.table(AccountEntity).count()).toBe(0);
  });
});
