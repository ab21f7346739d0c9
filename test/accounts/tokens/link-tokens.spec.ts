import { accessToken, START } from '../../support/environment.js';
import { type Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';

const minute = 60_000;
const env = { APP_LINK_REDIRECT_ORIGINS: 'https://app.example.com' };

let service: TestApp;

beforeEach(async () => {
  service = await TestApp.create({ env, webhooks: false });
});

afterEach(() => service.close());

async function app(line: string, body?: unknown, account = 'cust-1', on = service): Promise<Answer> {
  return on.send(line, { token: await accessToken(account, service.clock.now()), body });
}

const signIn = (body?: unknown, account?: string): Promise<Answer> => app('POST /v1/me/sign-in-token', body, account);
const link = (body: unknown = {}, account?: string): Promise<Answer> => app('POST /v1/me/link-token', body, account);
const report = (body: unknown, account?: string): Promise<Answer> => app('POST /v1/me/link-outcomes', body, account);

function table<T>(sql: string): Promise<T[]> {
  return service.store.reader.rows<T>(sql);
}

const attempts = (): Promise<Record<string, unknown>[]> => table('SELECT * FROM link_attempts ORDER BY created_at');
const checks = (): Promise<{ due_at: number }[]> => table('SELECT due_at FROM source_polls ORDER BY account_id');

describe('POST /v1/me/link-token', () => {
  it('answers a token that works, and stores the attempt [linking-and-tokens#link-token]', async () => {
    const { status, headers, body } = await link({
      provider: 'oura',
      redirect_url: 'https://app.example.com/done?x=1',
      on_error: 'redirect',
      on_close: 'redirect',
    });
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(Object.keys(body).sort()).toEqual(['link_attempt_id', 'link_token', 'link_web_url']);
    const [account] = await table<{ id: number }>('SELECT id FROM accounts');
    expect(await attempts()).toEqual([
      {
        link_attempt_id: body.link_attempt_id,
        account_id: account?.id,
        provider: 'oura',
        created_at: START,
        expires_at: START + 10 * minute,
        outcome: null,
        outcome_source: null,
        error_type: null,
        outcome_at: null,
        connected_provider: null,
      },
    ]);
    const linked = await service.sandbox.control.link({ link_token: body.link_token, provider: 'oura' });
    expect(linked).toMatchObject({ state: 'success', user_id: (await service.upstreamUsers())[0] });
    expect(linked.redirect_to).toBe(
      `https://app.example.com/done?x=1&link_attempt_id=${body.link_attempt_id}&state=success`,
    );
  });

  it('takes nulls', async () => {
    const accepted = [
      {},
      { provider: null, filter_on_providers: null, redirect_url: null, on_error: null, on_close: null },
      { filter_on_providers: ['oura', 'fitbit'] },
    ];
    for (const body of accepted) expect([body, (await link(body)).status]).toEqual([body, 201]);
  });

  it.each<[object, string]>([
    [{ provider: 'not_heard_of_yet' }, 'provider'],
    [{ filter_on_providers: ['oura', 'brand_new_2'] }, 'filter_on_providers[1]'],
  ])(
    'passes %j on, and names the field upstream refuses [linking-and-tokens#link-token] [timeseries#source]',
    async (given, field) => {
      const { status, body } = await link(given);
      expect([status, body.code, body.errors?.map((error: { field: string }) => error.field)]).toEqual([
        422,
        'upstream_invalid_request',
        [field],
      ]);
    },
  );

  it('refuses what is not valid before anything happens', async () => {
    const refused: [object, string][] = [
      [{ provider: 'Oura Ring' }, 'provider'],
      [{ provider: 7 }, 'provider'],
      [{ filter_on_providers: 'oura' }, 'filter_on_providers'],
      [{ filter_on_providers: [] }, 'filter_on_providers'],
      [{ filter_on_providers: ['a/b'] }, 'filter_on_providers'],
      [{ redirect_url: 'https://evil.example' }, 'redirect_url'],
      [{ redirect_url: 'javascript:alert(1)' }, 'redirect_url'],
      [{ redirect_url: 'https://app.example.com@evil.example' }, 'redirect_url'],
      [{ redirect_url: '' }, 'redirect_url'],
      [{ on_error: 'close' }, 'on_error'],
      [{ on_close: true }, 'on_close'],
      [{ user_id: '00000000-0000-4000-8000-000000000001' }, 'user_id'],
    ];
    for (const [given, field] of refused) {
      const { status, body } = await link(given);
      expect([given, status, body.code]).toEqual([given, 400, 'invalid_request']);
      expect(body.errors.map((error) => error.field)).toContain(field);
    }
    expect(await service.upstreamUsers()).toEqual([]);
  });
});

describe('POST /v1/me/link-outcomes', () => {
  it('keeps a success and asks for a look at the connections now [linking-and-tokens#callbacks]', async () => {
    const { body } = await link({ provider: 'oura' });
    service.clock.advance(minute);
    const metadata = { note: 'canary-metadata', deep: { list: [1] } };
    const answer = await report({ link_attempt_id: body.link_attempt_id, outcome: 'success', metadata });
    expect([answer.status, answer.body]).toEqual([202, '']);
    expect(await attempts()).toMatchObject([{ outcome: 'success', outcome_at: START + minute }]);
    expect(await checks()).toEqual([{ due_at: START + minute }]);
    const stored = await Promise.all(
      ['accounts', 'link_attempts', 'token_issues', 'source_polls'].map((name) => table(`SELECT * FROM ${name}`)),
    );
    expect(JSON.stringify(stored) + service.logs.join('')).not.toContain('canary');
  });

  it('keeps an error with its type and asks for nothing [linking-and-tokens#callbacks]', async () => {
    const { body } = await link();
    const before = await checks();
    await report({ link_attempt_id: body.link_attempt_id, outcome: 'error', error_type: 'user_cancelled' });
    expect(await attempts()).toMatchObject([{ outcome: 'error', error_type: 'user_cancelled' }]);
    expect(await checks()).toEqual(before);
  });

  it('lets the last word stand, except after a success [linking-and-tokens#callbacks]', async () => {
    const { body } = await link();
    const say = (outcome: string): Promise<Answer> => report({ link_attempt_id: body.link_attempt_id, outcome });
    await report({ link_attempt_id: body.link_attempt_id, outcome: 'error', error_type: 'provider_api_error' });
    await say('exit');
    expect(await attempts()).toMatchObject([{ outcome: 'exit', error_type: null }]);
    await say('success');
    expect((await say('exit')).status).toBe(202);
    expect(await attempts()).toMatchObject([{ outcome: 'success' }]);
  });

  it('takes a success without an attempt', async () => {
    expect((await report({ outcome: 'success' })).status).toBe(202);
    expect(await checks()).toEqual([{ due_at: START }]);
  });

  it("does not know another account's attempt", async () => {
    const { body } = await link({}, 'cust-1');
    await signIn({}, 'cust-2');
    const before = await checks();
    const answer = await report({ link_attempt_id: body.link_attempt_id, outcome: 'success' }, 'cust-2');
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    expect(await attempts()).toMatchObject([{ outcome: null }]);
    expect(await checks()).toEqual(before);
  });

  it('refuses what is not valid', async () => {
    const refused = [
      {},
      { outcome: 'maybe' },
      { outcome: 'success', link_attempt_id: 'x' },
      { outcome: 'error', error_type: 'a sentence about somebody' },
      { outcome: 'success', metadata: 'text' },
      { outcome: 'success', metadata: ['list'] },
      { outcome: 'success', account_id: 'cust-2' },
    ];
    for (const body of refused) expect([body, (await report(body)).status]).toEqual([body, 400]);
    expect(await service.upstreamUsers()).toEqual([]);
  });
});
