// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { SourcePrioritiesWorker } from '../../../src/ingest/sources/source-priorities.worker.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { bytesOf, columnsOf, countsOf, declarations, Filling, filesWith, tablesWith } from './support/filling.js';
import type { Receipt } from './support/receipt.js';

const mark = { text: 'MARKED-OF-THE-PERSON', number: 48_151.623_42 };
const otherMark = { text: 'MARKED-OF-ANOTHER', number: 31_415.926_5 };
const rounds = 4;

describe('after an erasure', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
  });

  afterEach(() => app.close());

  const refOf = async (accountId: string): Promise<number> => {
    const sql = 'SELECT id FROM accounts WHERE account_id = ?';
    return Number((await app.store.reader.row<{ id: number }>(sql, [accountId]))?.id);
  };

  /** A busy PostgreSQL may end a statement for its time; the erasure is then due again later. */
  async function erased(account: string): Promise<string> {
    const { body } = await app.admin<Receipt>('DELETE', `/accounts/${account}`);
    const path = `/erasures/${body.erasure_id}`;
    await app.settle();
    while ((await app.admin<Receipt>('GET', path)).body.deleted_at === null) await app.advance(60);
    return path;
  }

  it('no table, file or log line has anything of the person, and others keep all their data', async () => {
    const [account, other] = [newAccountId(mark.text), newAccountId(otherMark.text)];
    const { body: login } = await app.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    await app.as(other, 'POST', '/me/sign-in-token', {});
    await app.admin('PATCH', `/accounts/${account}`, { fallback_birth_date: '1971-03-05' });
    const { store } = app.pulsekeep;
    const more = { samples: 700, message_bodies: 80, messages: 80, summaries: 100, sample_attributes: 50 };
    const theirs = new Filling(store, await refOf(other), otherMark);
    const own = new Filling(store, await refOf(account), mark);
    for (let round = 0; round < rounds; round++) {
      await own.fill(3, more);
      await theirs.fill(3, more);
    }
    expect(await tablesWith(store, '1971-03-05')).toEqual(['accounts']);
    if (app.database.config.kind === 'sqlite') {
      expect(filesWith(app.database, [mark.text]).length).toBeGreaterThan(0);
      expect(filesWith(app.database, [bytesOf(mark.number)]).length).toBeGreaterThan(0);
    }
    await app.run(SourcePrioritiesWorker);
    const before = await countsOf(store);

    const path = await erased(account);

    const marks = [mark.text, login.user_id, '1971-03-05'];
    for (const text of marks) expect([text, await tablesWith(store, text)]).toEqual([text, []]);
    expect(filesWith(app.database, [...marks, bytesOf(mark.number)])).toEqual([]);
    for (const text of marks) expect(app.logs.filter((line) => line.includes(text))).toEqual([]);
    const { body } = await app.admin<Receipt>('GET', path);
    expect(body).toMatchObject({ state: 'waiting', error_code: null });
    // Changes are pending only until they get their number.
    const filled = declarations.personal.map(({ table }) => table).filter((table) => table !== 'pending_changes');
    expect(Object.keys(body.deleted).sort()).toEqual(filled.sort());
    expect(body.deleted).toMatchObject({ accounts: 1, samples: rounds * 700, messages: rounds * 80 });
    const after = await countsOf(store);
    for (const [table, deleted] of Object.entries(body.deleted)) {
      // The feed grows while others are active and while the person is erased.
      if (table === 'changes') continue;
      expect([table, after[table]]).toEqual([table, Number(before[table]) - deleted]);
    }
  });

  it('only the two ids and the state of the account remain while upstream still has the user', async () => {
    const account = newAccountId(mark.text);
    const { body: login } = await app.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    const { store } = app.pulsekeep;
    const ref = await refOf(account);
    const kept = ['id', 'account_id', 'pseudonym', 'upstream_user_id', 'status'];
    const personal = columnsOf('accounts').filter(({ name }) => !kept.includes(name));
    const longAgo = Date.parse('2001-02-03T04:05:06Z');
    const assignments = personal.map(({ name, type }) => `${name} = ${type === 'text' ? `'${mark.text}'` : longAgo}`);
    await store.lane.run((tx) => tx.execute(`UPDATE accounts SET ${assignments.join(', ')} WHERE id = ?`, [ref]));
    await app.sandbox.control.fault({ kind: 'status', status: 503, method: 'DELETE', path: '/v2/user' });

    await erased(account);

    const row = await store.reader.row<Record<string, unknown>>('SELECT * FROM accounts WHERE id = ?', [ref]);
    expect(row).toMatchObject({ account_id: account, upstream_user_id: login.user_id, status: 'erasing' });
    const left = personal.filter(({ name }) => [mark.text, longAgo].includes(row?.[name] as string | number));
    expect(personal.length).toBeGreaterThan(5);
    expect(left.map(({ name }) => name)).toEqual([]);
  });
});
