import type { AccessEntryDto } from '../../../src/privacy/access-log/access-log.dto.js';
import { AccessLog } from '../../../src/privacy/access-log/access-log.service.js';
import { adminKeys, newAccountId, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { access } from './support/access.js';

const records = 'GET /admin/v1/accounts/:account_id/records/:resource';
const march = { window_start: '2026-03-01', window_end: '2026-04-01' };

/** Who looked at this person's glucose in March? */
describe("the auditor's question", () => {
  let app: TestApp;
  let account: string;
  let ref: number;

  beforeEach(async () => {
    app = await TestApp.create({ upstream: { url: nowhere } });
    account = newAccountId();
    for (const id of [account, `${account}-other`]) {
      await app.store.lane.run((tx) =>
        tx.execute(`INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'pending', 1, 1)`, [
          id,
        ]),
      );
    }
    const row = await app.store.reader.row<{ id: number }>('SELECT id FROM accounts WHERE account_id = ?', [account]);
    ref = Number(row?.id);
  });

  afterEach(() => app.close());

  const read = (path: string, role: keyof typeof adminKeys = 'reader', of = account) =>
    app.admin('GET', `/accounts/${of}${path}`, undefined, role);

  async function asked(query: Record<string, string>): Promise<AccessEntryDto[]> {
    const path = `/access-log?${new URLSearchParams(query).toString()}`;
    const { status, body } = await app.admin<{ data: AccessEntryDto[] }>('GET', path);
    expect(status).toBe(200);
    return body.data.filter(({ action }) => action !== 'GET /admin/v1/access-log');
  }

  it('is answered by the resource and the window of each read', async () => {
    await read('/records/glucose?start=2026-03-10&end=2026-03-12T06:00:00Z');
    await read('/records/glucose?start=2026-04-01', 'operator');
    await read('/records/glucose', 'backend');
    await read('/records/steps?start=2026-03-10&end=2026-03-12');
    await read('/records/glucose?start=2026-03-10&end=2026-03-12', 'reader', `${account}-other`);
    await read('/export');
    const found = await asked({ account_id: account, resource: 'glucose', ...march });
    expect(
      found.map(({ actor, resource, window_start, window_end }) => [actor, resource, window_start, window_end]),
    ).toEqual([
      ['reader', '*', null, null],
      ['backend', 'glucose', null, null],
      ['reader', 'glucose', '2026-03-10T00:00:00.000Z', '2026-03-12T06:00:00.000Z'],
    ]);
    expect(await asked({ account_id: account, resource: 'glucose' })).toHaveLength(4);
    expect(await asked({ resource: 'glucose' })).toHaveLength(5);
    expect(await asked({ resource: 'glucose', actor: 'operator' })).toHaveLength(1);
    expect(await asked({ resource: '*' })).toHaveLength(1);
    expect(await asked(march)).toHaveLength(5);
  });

  it('covers days as days in UTC, reads of the app, and refused reads', async () => {
    await read('/records/sleep?first_day=2026-03-01&last_day=2026-03-31&start=2026-03-02');
    await app.store.lane.run((tx) =>
      tx.execute(`UPDATE accounts SET status = 'active' WHERE account_id = ?`, [account]),
    );
    await app.as(account, 'GET', '/me/records/sleep?start=2026-03-05');
    await read('/records/sleep?start=never&end=2026-03-05');
    await read('/records/sleep?end=2026-03-05', 'viewer');
    await read('/records/dreams?end=2026-03-05');
    const found = await asked({ account_id: account });
    expect(
      found.map(({ status, resource, window_start, window_end }) => [status, resource, window_start, window_end]),
    ).toEqual([
      [404, null, null, null],
      [403, 'sleep', null, '2026-03-05T00:00:00.000Z'],
      [400, 'sleep', null, '2026-03-05T00:00:00.000Z'],
      [200, 'sleep', '2026-03-05T00:00:00.000Z', null],
      [200, 'sleep', '2026-03-02T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ]);
  });

  it('is answered by the number of an account after its erasure, and not by its id', async () => {
    await read('/records/glucose');
    await app.store.lane.run((tx) => tx.execute('DELETE FROM accounts WHERE account_id = ?', [account]));
    const byId = await app.admin('GET', `/access-log?account_id=${account}`);
    expect([byId.status, byId.body['code']]).toEqual([404, 'not_found']);
    expect(byId.body['detail']).toContain('account_ref');
    const found = await asked({ account_ref: String(ref), resource: 'glucose' });
    expect(found.map(({ action, account_id, account_ref }) => [action, account_id, account_ref])).toEqual([
      [records, null, ref],
    ]);
    expect((await app.admin('GET', '/access-log?account_ref=999999')).status).toBe(404);
    const [looked] = (await app.admin<{ data: AccessEntryDto[] }>('GET', '/access-log?limit=1')).body.data;
    expect(looked).toMatchObject({ action: 'GET /admin/v1/access-log', account_ref: 999_999, status: 404 });
  });

  it('accepts actions and callers of earlier versions, which are still in the log', async () => {
    await app.get(AccessLog).record(access({ actor: 'left-us', action: 'GET /admin/v0/old' }));
    expect(await asked({ actor: 'left-us' })).toHaveLength(1);
    expect(await asked({ action: 'GET /admin/v0/old' })).toHaveLength(1);
  });

  it('is also answered in CSV, which no spreadsheet executes', async () => {
    await app.get(AccessLog).record(access({ account_ref: ref, reason: '=1+1, "urgent"' }));
    await read('/records/glucose?start=2026-03-10');
    const answer = await fetch(`${app.url}/admin/v1/access-log?account_id=${account}`, {
      headers: { authorization: `Bearer ${adminKeys.operator}`, accept: 'text/csv' },
    });
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="access-log.csv"');
    const [head, first, second, end] = (await answer.text()).split('\r\n');
    expect(head).toBe(
      'seq,at,actor,role,action,account_id,account_ref,target,resource,window_start,window_end,address,request_id,status,reason,previous_hash,hash',
    );
    expect(first).toContain(`,${account},${ref},message:msg_1,,,,10.0.0.7,request-1,200,"'=1+1, ""urgent""",`);
    expect(second).toContain(
      `,${records},${account},${ref},resource:glucose,glucose,2026-03-10T00:00:00.000Z,,127.0.0.1,`,
    );
    expect(end).toBe('');
    const wrong = await fetch(`${app.url}/admin/v1/access-log?limit=5`, {
      headers: { authorization: `Bearer ${adminKeys.operator}`, accept: 'text/csv' },
    });
    expect(wrong.status).toBe(400);
  });
});
