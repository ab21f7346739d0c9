import type { AccessEntryDto } from '../../../src/privacy/access-log/access-log.dto.js';
import { adminKeys, newAccountId, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

type Page = { data: AccessEntryDto[] };

describe('the reason of an access', () => {
  let app: TestApp;
  let account: string;

  async function begin(env: Record<string, string> = {}): Promise<void> {
    app = await TestApp.create({ upstream: { url: nowhere }, env });
    account = newAccountId();
    await app.store.lane.run((tx) =>
      tx.execute(`INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'pending', 1, 1)`, [
        account,
      ]),
    );
  }

  afterEach(() => app.close());

  const as = (role: keyof typeof adminKeys, method: string, path: string, reason?: string, body?: unknown) =>
    app.call<Record<string, unknown>>(
      method,
      `/admin/v1${path}`,
      {
        authorization: `Bearer ${adminKeys[role]}`,
        ...(reason === undefined ? {} : { 'x-access-reason': reason }),
      },
      body,
    );

  async function entries(): Promise<unknown[][]> {
    const { data } = (await as('operator', 'GET', '/access-log', 'looking')).body as unknown as Page;
    return data.map(({ actor, action, status, reason }) => [actor, action.split('/').at(-1), status, reason]);
  }

  it('is stored with each read and act, hashed with it and shown', async () => {
    await begin();
    await as('reader', 'GET', `/accounts/${account}/records/sleep`, 'ticket 4711');
    await as('operator', 'POST', `/accounts/${account}/block`, 'asked by phone');
    await as('reader', 'GET', `/accounts/${account}/records/sleep`);
    expect(await entries()).toEqual([
      ['reader', ':resource', 200, null],
      ['operator', 'block', 200, 'asked by phone'],
      ['operator', 'block', 102, 'asked by phone'],
      ['reader', ':resource', 200, 'ticket 4711'],
    ]);
    expect((await as('operator', 'GET', '/access-log/verification')).body).toMatchObject({ intact: true });
    const on = app.store.dialect === 'postgres' ? ' ON access_log' : '';
    await app.store.lane.run((tx) => tx.execute(`DROP TRIGGER access_log_unchanged${on}`));
    await app.store.lane.run((tx) => tx.execute(`UPDATE access_log SET reason = NULL WHERE seq = 2`));
    expect((await as('operator', 'GET', '/access-log/verification')).body).toMatchObject({
      broken_at: 2,
      reason: 'entry_changed',
    });
  });

  it('is in the export of the person', async () => {
    await begin();
    await as('reader', 'GET', `/accounts/${account}/records/sleep`, 'ticket 4711');
    const { body } = await as('reader', 'GET', `/accounts/${account}/export`);
    expect(body).toEqual(expect.stringContaining('"reason":"ticket 4711"'));
  });

  it.each(['x'.repeat(201), 'Gr\u00fc\u00dfe', 'a\u0007b'])('is refused if it is %j', async (reason) => {
    await begin();
    const { statusCode, body } = await app.pulsekeep.app.inject({
      method: 'GET',
      url: `/admin/v1/accounts/${account}/records/sleep`,
      headers: { authorization: `Bearer ${adminKeys.reader}`, 'x-access-reason': reason },
    });
    expect(statusCode).toBe(400);
    expect(JSON.parse(body)).toMatchObject({
      code: 'invalid_request',
      errors: [{ field: 'x-access-reason' }],
    });
    expect(body).not.toContain(reason);
    expect(await entries()).toEqual([['reader', ':resource', 400, null]]);
  });

  it('can be required for recorded requests, and for no others', async () => {
    await begin({ ACCESS_LOG_REASONS: 'required' });
    const required = { status: 400, body: { code: 'access_reason_required' } };
    expect(await as('reader', 'GET', `/accounts/${account}/records/sleep`)).toMatchObject(required);
    expect(await as('operator', 'POST', `/accounts/${account}/block`)).toMatchObject(required);
    expect(await as('backend', 'GET', `/accounts/${account}/records/sleep`)).toMatchObject(required);
    expect(await as('reader', 'GET', `/accounts/${account}`)).toMatchObject(required);
    expect(await as('viewer', 'GET', `/accounts/${account}/records/sleep`)).toMatchObject({ status: 403 });
    expect(await as('reader', 'GET', '/messages/none')).toMatchObject(required);
    expect(await as('viewer', 'GET', '/messages/none')).toMatchObject({ status: 404 });
    expect(await as('viewer', 'GET', `/accounts/${account}`)).toMatchObject(required);
    expect(await as('viewer', 'GET', '/orders')).toMatchObject({ status: 200 });
    expect(await as('monitor', 'GET', '/overview')).toMatchObject({ status: 200 });
    const feed = `Bearer ${adminKeys.feed}`;
    const { next } = (await app.call('GET', '/v1/changes', feed)).body;
    const position = await app.call('PUT', '/v1/consumers/mirror/position', feed, { cursor: next });
    expect(position).toMatchObject({ status: 204 });
    expect(await as('reader', 'GET', `/accounts/${account}/records/sleep`, 'ticket 4711')).toMatchObject({
      status: 200,
    });
    const blocked = await app.store.reader.row<{ status: string }>('SELECT status FROM accounts');
    expect(blocked?.status).toBe('pending');
    expect((await entries()).slice(0, 1)).toEqual([['reader', ':resource', 200, 'ticket 4711']]);
  });
});
