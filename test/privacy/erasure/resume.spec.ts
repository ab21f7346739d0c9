import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { ErasureWorker } from '../../../src/privacy/erasure/erasure.worker.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { Deaths } from './support/deaths.js';
import { countsOf, declarations, Filling, tablesWith } from './support/filling.js';
import type { Receipt } from './support/receipt.js';

const mark = { text: 'MARKED-OF-THE-PERSON', number: 1 };

describe('an erasure', () => {
  let pulsekeep: TestApp;
  let account: string;
  let user: string;

  beforeEach(async () => {
    pulsekeep = await TestApp.create();
    account = newAccountId();
    const login = await pulsekeep.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    user = login.body.user_id;
  });

  afterEach(() => pulsekeep.close());

  const receipt = async (id: string): Promise<Receipt> =>
    (await pulsekeep.admin<Receipt>('GET', `/erasures/${id}`)).body;
  const erase = async (): Promise<Receipt> => (await pulsekeep.admin<Receipt>('DELETE', `/accounts/${account}`)).body;
  const fill = async (): Promise<void> => {
    const { store } = pulsekeep.pulsekeep;
    const row = await store.reader.row<{ id: number }>('SELECT id FROM accounts WHERE account_id = ?', [account]);
    await new Filling(store, Number(row?.id), mark).fill(2, { samples: 1_200 });
  };

  it.each([2, 3])('that dies after every %i steps continues where it was, and counts each row once', async (steps) => {
    await fill();
    const { store, app } = pulsekeep.pulsekeep;
    const before = await countsOf(store);
    const deaths = await Deaths.prepare(store);
    // That it is in the journal, before it is confirmed.
    await deaths.liveFor(1);
    const { erasure_id } = await erase();
    const states = new Set<string>();
    let lives = 0;
    for (let state = 'requested'; (await receipt(erasure_id)).scrub === null || state !== 'waiting'; lives++) {
      await deaths.liveFor(steps);
      await app
        .get(ErasureWorker, { strict: false })
        .loop.runUntilIdle()
        .catch(() => undefined);
      ({ state } = await receipt(erasure_id));
      states.add(state);
      pulsekeep.clock.advance(700_000);
      expect(lives).toBeLessThan(200);
    }
    expect(lives).toBeGreaterThan(10);
    expect([...states]).toEqual(expect.arrayContaining(['deleting', 'upstream', 'waiting']));
    const { deleted } = await receipt(erasure_id);
    for (const { table } of declarations.personal) expect([table, deleted[table]]).toEqual([table, before[table]]);
    expect(await tablesWith(store, mark.text)).toEqual([]);
    expect((await pulsekeep.sandbox.control.truthUsers()).users).toEqual([]);
  });

  it('continues if upstream deleted the user and its response was lost', async () => {
    await pulsekeep.sandbox.control.fault({ kind: 'drop_after', method: 'DELETE', path: '/v2/user', times: 1 });
    const { erasure_id } = await erase();
    await pulsekeep.advance(600, 4);
    expect(await receipt(erasure_id)).toMatchObject({ state: 'waiting', error_code: null, attempts: 0 });
  });

  it('deletes local data while upstream is away, raises the alarm, and deletes upstream later', async () => {
    await fill();
    await pulsekeep.sandbox.control.fault({ kind: 'status', status: 503, method: 'DELETE', path: '/v2/user' });
    const { erasure_id } = await erase();
    await pulsekeep.settle();
    const held = await receipt(erasure_id);
    expect(held).toMatchObject({
      state: 'upstream',
      error_code: 'upstream_unavailable',
      attempts: 1,
      upstream_at: null,
    });
    expect([held.deleted_at, held.scrubbed_at]).not.toContain(null);
    expect(await tablesWith(pulsekeep.store, mark.text)).toEqual([]);
    expect(await tablesWith(pulsekeep.store, user)).toEqual(['accounts']);
    await pulsekeep.advance(3_600, 12);
    const alarms = async (): Promise<string[]> => {
      const { body } = await pulsekeep.admin<{ alarms: { code: string }[] }>('GET', '/overview');
      return body.alarms.map(({ code }) => code);
    };
    expect(await alarms()).toContain('erasures_held_up');
    await pulsekeep.sandbox.control.clearFaults();
    await pulsekeep.advance(7_200, 4);
    expect(await receipt(erasure_id)).toMatchObject({ state: 'waiting', error_code: null, attempts: 0 });
    expect(await alarms()).not.toContain('erasures_held_up');
    expect(await tablesWith(pulsekeep.store, user)).toEqual([]);
  });

  it('of an account without a mapping finds the upstream user of a lost response', async () => {
    const pending = newAccountId();
    await pulsekeep.sandbox.control.fault({ kind: 'drop_after', method: 'POST', path: '/v2/user', times: 9 });
    expect((await pulsekeep.admin('POST', '/accounts', { account_id: pending })).status).toBe(503);
    await pulsekeep.sandbox.control.clearFaults();
    const left = async () =>
      (await pulsekeep.sandbox.control.truthUsers()).users.find(({ client_user_id }) => client_user_id === pending);
    const user_id = String((await left())?.user_id);
    const { body } = await pulsekeep.admin<Receipt>('DELETE', `/accounts/${pending}`);
    await pulsekeep.advance(300);
    expect(await receipt(body.erasure_id)).toMatchObject({ state: 'waiting', deleted: { accounts: 1 } });
    expect(await left()).toBeUndefined();
    const late = await pulsekeep.sandbox.control.send({ event_type: 'moon.phase.changed', user_id, data: {} });
    await pulsekeep.settle();
    expect((await pulsekeep.admin('GET', `/messages/${late.message_id}`)).body).toMatchObject({
      reason: 'account_erased',
      has_body: false,
    });
    expect(await receipt(body.erasure_id)).toMatchObject({ turned_away: 1 });
  });

  it('of an account that is mapped while it is requested keeps the new user out', async () => {
    const pending = newAccountId();
    await pulsekeep.sandbox.control.fault({ kind: 'status', status: 503, method: 'POST', path: '/v2/user', times: 9 });
    const signIn = () => pulsekeep.as<{ user_id: string }>(pending, 'POST', '/me/sign-in-token', {});
    expect((await signIn()).status).toBe(503);
    await pulsekeep.sandbox.control.clearFaults();
    const accounts = pulsekeep.get(AccountsService);
    const get = accounts.get.bind(accounts);
    let user_id = '';
    jest.spyOn(accounts, 'get').mockImplementationOnce(async (id) => {
      const found = await get(id);
      ({ user_id } = (await signIn()).body);
      return found;
    });
    const { body } = await pulsekeep.admin<Receipt>('DELETE', `/accounts/${pending}`);
    await pulsekeep.settle();
    const late = await pulsekeep.sandbox.control.send({ event_type: 'moon.phase.changed', user_id, data: {} });
    await pulsekeep.settle();
    expect((await pulsekeep.admin('GET', `/messages/${late.message_id}`)).body).toMatchObject({
      reason: 'account_erased',
      has_body: false,
    });
    expect(await receipt(body.erasure_id)).toMatchObject({ turned_away: 1 });
  });

  it('is checked a day after the period in which upstream can restore the user, not before [users#undo-a-deletion]', async () => {
    const { erasure_id } = await erase();
    await pulsekeep.settle();
    await pulsekeep.advance(8 * 86_400 - 60);
    expect(await receipt(erasure_id)).toMatchObject({ state: 'waiting', verified_at: null });
    await pulsekeep.advance(2 * 3_600);
    expect(await receipt(erasure_id)).toMatchObject({ state: 'done', verified_at: expect.any(String) });
  });

  it('finds and deletes rows that appeared afterwards', async () => {
    const { erasure_id, account_ref } = await erase();
    await pulsekeep.settle();
    const { store } = pulsekeep.pulsekeep;
    const message = `INSERT INTO messages (seq, message_id, received_at, sent_at, status, account_id, attempts, size)
      VALUES (1000000, 'stray', 0, 0, 'ignored', ?, 0, 0)`;
    await store.lane.run((tx) => tx.execute(message, [account_ref]));
    await pulsekeep.advance(8 * 86_400 + 3_600);
    expect(await receipt(erasure_id)).toMatchObject({ state: 'waiting', error_code: 'rows_found' });
    expect((await countsOf(store))['messages']).toBe(0);
    await pulsekeep.advance(8 * 86_400 + 3_600);
    expect(await receipt(erasure_id)).toMatchObject({ state: 'done', error_code: null, deleted: { messages: 1 } });
  });
});
