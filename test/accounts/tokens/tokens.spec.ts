import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { issueLimit } from '../../../src/accounts/tokens/token-limits.js';
import { WriteLane } from '../../../src/storage/database/write-lane.js';
import { accessToken, adminKeys, START } from '../../support/environment.js';
import { type Answer, callTo } from '../../support/http.js';
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

function table<T>(sql: string): Promise<T[]> {
  return service.store.reader.rows<T>(sql);
}

const attempts = (): Promise<Record<string, unknown>[]> => table('SELECT * FROM link_attempts ORDER BY created_at');

describe('POST /v1/me/sign-in-token', () => {
  it('creates the account on first use and returns a token for its upstream user [linking-and-tokens#sign-in-token]', async () => {
    const { status, headers, body } = await signIn({ installation_id: 'install-1' });
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({ user_id: (await service.upstreamUsers())[0], sign_in_token: expect.any(String) });
    expect(await table('SELECT kind, installation_id, issued_at FROM token_issues')).toEqual([
      { kind: 'sign_in', installation_id: 'install-1', issued_at: START },
    ]);
  });

  it('needs no body and returns a new token each time', async () => {
    const tokens = [await signIn(), await signIn({})].map((answer) => answer.body.sign_in_token);
    expect(new Set(tokens).size).toBe(2);
    expect(await service.upstreamUsers()).toHaveLength(1);
  });

  it('creates one upstream user for fifty simultaneous first calls', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => signIn()));
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 50 }, () => 201));
    expect(new Set(answers.map((answer) => answer.body.user_id)).size).toBe(1);
    expect(await service.upstreamUsers()).toHaveLength(1);
    expect(await service.callsTo('POST /v2/user')).toBe(1);
  });

  it('never requests a token from upstream before the issue is stored', async () => {
    await signIn();
    await service.sandbox.control.clearCalls();
    await service.get<WriteLane>(WriteLane).run((tx) => tx.execute('DROP TABLE token_issues'));
    const headers = { authorization: `Bearer ${await service.appToken('cust-1')}` };
    const { status } = await callTo(service.url, { method: 'POST', path: '/v1/me/sign-in-token', headers });
    expect(status).toBe(500);
    expect((await service.sandbox.control.calls()).calls).toEqual([]);
  });

  it('refuses what is not valid', async () => {
    const refused = [
      { installation_id: 'a b' },
      { installation_id: 7 },
      { installation_id: 'i'.repeat(256) },
      { installation_id: '' },
      { account_id: 'cust-2' },
      { user_id: 'cust-2' },
    ];
    for (const body of refused) expect([body, (await signIn(body)).status]).toEqual([body, 400]);
    expect(await service.upstreamUsers()).toEqual([]);
  });

  it('refuses a caller whose account id is an address, without repeating it', async () => {
    const { status, body } = await signIn({}, 'jane@example.com');
    expect([status, body.code]).toEqual([400, 'account_id_not_allowed']);
    expect(JSON.stringify(body)).not.toContain('jane');
  });

  it('refuses a blocked account', async () => {
    await signIn();
    await service.get<WriteLane>(WriteLane).run((tx) => tx.execute(`UPDATE accounts SET status = 'blocked'`));
    const { status, body } = await signIn();
    expect([status, body.code]).toEqual([403, 'account_blocked']);
  });

  it('reports that upstream no longer knows the user', async () => {
    const { body } = await signIn();
    await service.sandbox.control.eraseUser(body.user_id);
    const answer = await signIn();
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    expect(answer.body.detail).toBe('Upstream no longer has the user of this account: relink it.');
  });

  it('reports that upstream is down', async () => {
    await service.sandbox.control.fault({ kind: 'drop_before', path: '/v2/user' });
    const { status, body } = await signIn();
    expect([status, body.code]).toEqual([503, 'upstream_unavailable']);
  });
});

describe('the mint limit', () => {
  it('holds for many racing calls on two services, and gives the time to retry [linking-and-tokens#once-for-a-sign-in]', async () => {
    const other = await service.another({ env });
    await signIn();
    service.clock.advance(minute);
    const calls = Array.from({ length: issueLimit.issues + 20 }, (_, index) =>
      app('POST /v1/me/sign-in-token', {}, 'cust-1', index % 2 === 0 ? service : other),
    );
    const answers = await Promise.all(calls);
    const refused = answers.filter((answer) => answer.status === 429);
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(issueLimit.issues - 1);
    expect(refused).toHaveLength(21);
    expect(refused[0]?.body.code).toBe('rate_limited');
    expect(refused[0]?.headers['retry-after']).toBe(String((issueLimit.windowMs - minute) / 1000));
    expect(await table('SELECT COUNT(*) AS issues FROM token_issues')).toEqual([{ issues: issueLimit.issues }]);
    expect(await service.callsTo('POST /v2/user/:user_id/sign_in_token')).toBe(issueLimit.issues);
  });

  it('ends with the window', async () => {
    await signIn();
    service.clock.advance(minute);
    for (let issue = 1; issue < issueLimit.issues; issue++) await signIn();
    service.clock.advance(issueLimit.windowMs - minute - 1);
    const refused = await signIn();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    service.clock.advance(1);
    expect((await signIn()).status).toBe(201);
    const again = await signIn();
    expect([again.status, again.headers['retry-after']]).toEqual([429, String(minute / 1000)]);
  });

  it('counts per account and kind', async () => {
    await Promise.all(Array.from({ length: issueLimit.issues }, () => signIn()));
    expect((await signIn()).status).toBe(429);
    expect((await link()).status).toBe(201);
    expect((await signIn({}, 'cust-2')).status).toBe(201);
  });

  it('leaves no attempt behind for a link token that was refused', async () => {
    await Promise.all(Array.from({ length: issueLimit.issues }, () => link()));
    expect((await link()).status).toBe(429);
    expect(await attempts()).toHaveLength(issueLimit.issues);
  });
});

describe('the same routes for operators', () => {
  it('creates the account on first use and returns both tokens', async () => {
    const token = adminKeys.operator;
    const signedIn = await service.send('POST /admin/v1/accounts/cust%2F1/sign-in-token', { token });
    const linked = await service.send('POST /admin/v1/accounts/cust%2F1/link-token', { token, body: {} });
    expect([signedIn.status, linked.status]).toEqual([201, 201]);
    expect([signedIn.headers['cache-control'], linked.headers['cache-control']]).toEqual(['no-store', 'no-store']);
    expect(await service.upstreamUsers()).toEqual([signedIn.body.user_id]);
    expect(await service.get(AccountsService).find('cust/1')).toMatchObject({ status: 'active' });
  });

  it('shares the limit of the account', async () => {
    await Promise.all(Array.from({ length: issueLimit.issues }, () => signIn()));
    const { status } = await service.send('POST /admin/v1/accounts/cust-1/sign-in-token', {
      token: adminKeys.operator,
    });
    expect(status).toBe(429);
  });

  it.each(['sign-in-token', 'link-token'])('leaves the %s to operators', async (kind) => {
    for (const [token, status] of [
      [undefined, 401],
      [await accessToken('cust-1'), 401],
      [adminKeys.viewer, 403],
      [adminKeys.reader, 403],
    ] as const) {
      const request = token === undefined ? { body: {} } : { token, body: {} };
      expect((await service.send(`POST /admin/v1/accounts/cust-1/${kind}`, request)).status).toBe(status);
    }
    expect(await service.upstreamUsers()).toEqual([]);
  });
});

describe('a token', () => {
  it('is in the response and nowhere else [linking-and-tokens#life-of-a-link-token]', async () => {
    const { sign_in_token } = (await signIn({ installation_id: 'install-1' })).body;
    const { link_token, link_web_url } = (await link({ provider: 'oura' })).body;
    const names = ['accounts', 'link_attempts', 'token_issues', 'source_polls', 'connections'];
    const stored = JSON.stringify(await Promise.all(names.map((name) => table(`SELECT * FROM ${name}`))));
    const metrics = await service.figures();
    for (const secret of [sign_in_token, link_token, link_web_url]) {
      for (const place of [stored, service.logs.join(''), metrics]) expect(place).not.toContain(secret);
    }
    expect(metrics).toContain('pulsekeep_tokens_issued_total{kind="sign_in"} 1');
    expect(metrics).toContain('pulsekeep_tokens_issued_total{kind="link"} 1');
    expect(service.logs.join('')).toContain('"event":"token.issued"');
  });
});
const report = (body: unknown, account?: string): Promise<Answer> => app('POST /v1/me/link-outcomes', body, account);
const checks = (): Promise<{ due_at: number }[]> => table('SELECT due_at FROM source_polls ORDER BY account_id');

describe('POST /v1/me/link-token', () => {
  it('returns a working token, and stores the attempt [linking-and-tokens#link-token]', async () => {
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

  it('accepts nulls', async () => {
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
  it('stores a success and requests an immediate poll of the connections [linking-and-tokens#callbacks]', async () => {
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

  it('stores an error with its type and requests nothing [linking-and-tokens#callbacks]', async () => {
    const { body } = await link();
    const before = await checks();
    await report({ link_attempt_id: body.link_attempt_id, outcome: 'error', error_type: 'user_cancelled' });
    expect(await attempts()).toMatchObject([{ outcome: 'error', error_type: 'user_cancelled' }]);
    expect(await checks()).toEqual(before);
  });

  it('keeps the last outcome, except after a success [linking-and-tokens#callbacks]', async () => {
    const { body } = await link();
    const say = (outcome: string): Promise<Answer> => report({ link_attempt_id: body.link_attempt_id, outcome });
    await report({ link_attempt_id: body.link_attempt_id, outcome: 'error', error_type: 'provider_api_error' });
    await say('exit');
    expect(await attempts()).toMatchObject([{ outcome: 'exit', error_type: null }]);
    await say('success');
    expect((await say('exit')).status).toBe(202);
    expect(await attempts()).toMatchObject([{ outcome: 'success' }]);
  });

  it('accepts a success without an attempt', async () => {
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
