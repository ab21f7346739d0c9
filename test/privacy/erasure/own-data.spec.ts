import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { accessToken, adminKeys } from '../../support/environment.js';
import type { Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';

async function as(app: TestApp, account: string, line: string): Promise<Answer> {
  return app.send(line, { token: await accessToken(account, app.clock.now()) });
}

async function made(app: TestApp, account: string): Promise<void> {
  await app.get(AccountsService).ensure(account, { priority: 'interactive' });
}

describe('the data of a person, in their own hands,', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create({ webhooks: false });
  });

  afterAll(() => app.close());

  it('is exported whole, and recorded', async () => {
    await made(app, 'ann');
    await made(app, 'bob');
    const { status, body: stream } = await as(app, 'ann', 'GET /v1/me/export');
    expect(status).toBe(200);
    const text = stream as unknown as string;
    const lines = text
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line) as { type: string; account_id?: string });
    expect(lines[0]).toMatchObject({ type: 'header', account_id: 'ann' });
    expect(lines.at(-1)).toMatchObject({ type: 'footer' });
    expect(text).not.toContain('bob');
    const { body } = await app.send('GET /admin/v1/access-log?account_id=ann', { token: adminKeys.operator });
    expect(JSON.stringify(body)).toContain('GET /v1/me/export');
  });

  it('is erased here and upstream with a receipt, again with the same one, and of nobody else', async () => {
    await made(app, 'cleo');
    await made(app, 'dan');
    const first = await as(app, 'cleo', 'DELETE /v1/me');
    expect(first.status).toBe(202);
    expect(first.body).toMatchObject({ state: 'requested', requested_by: 'person' });
    const again = await as(app, 'cleo', 'DELETE /v1/me');
    expect(again.body['erasure_id']).toBe(first.body['erasure_id']);
    expect((await as(app, 'cleo', 'GET /v1/me/export')).body).toMatchObject({ code: 'account_erased' });
    await app.settle();
    expect((await as(app, 'cleo', 'GET /v1/me')).body).toMatchObject({ code: 'account_erased' });
    expect((await as(app, 'dan', 'GET /v1/me')).status).toBe(200);
  });

  it('makes no account for a person who has none', async () => {
    for (const line of ['DELETE /v1/me', 'GET /v1/me/export']) {
      expect((await as(app, 'nobody', line)).body).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  it.each([
    ['off', [403, 403]],
    ['export', [200, 403]],
    ['delete', [403, 202]],
  ])('with APP_OWN_DATA=%s answers export and erasure with %j', async (value, statuses) => {
    const own = await TestApp.create({ webhooks: false, env: { APP_OWN_DATA: value } });
    await made(own, 'eve');
    const answers = [await as(own, 'eve', 'GET /v1/me/export'), await as(own, 'eve', 'DELETE /v1/me')];
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    await own.close();
  });
});
