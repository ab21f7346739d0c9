import { TokenIssuance } from '../../../src/accounts/tokens/token-issuance.service.js';
import { TokensService } from '../../../src/accounts/tokens/tokens.service.js';
import { codeOf } from '../../support/code-of.js';
import { accessToken, adminKeys, START } from '../../support/environment.js';
import type { Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';

let service: TestApp;
let other: TestApp;

beforeEach(async () => {
  service = await TestApp.create({ webhooks: false });
  other = await service.another();
});

afterEach(() => service.close());

/** Asks for a token of each kind, by the app and by an operator. */
async function asked(account = 'cust-1', on = service): Promise<[number, unknown][]> {
  const own = await accessToken(account, service.clock.now());
  const answers: Answer[] = [];
  for (const kind of ['sign-in-token', 'link-token']) {
    answers.push(await on.send(`POST /v1/me/${kind}`, { token: own, body: {} }));
    answers.push(await on.send(`POST /admin/v1/accounts/${account}/${kind}`, { token: adminKeys.operator, body: {} }));
  }
  return answers.map(({ status, body }) => [status, body.code]);
}

const four = (status: number, code?: string): [number, unknown][] => Array.from({ length: 4 }, () => [status, code]);
const operator = (line: string, body?: unknown, on = service): Promise<Answer> =>
  on.send(line, { token: adminKeys.operator, ...(body === undefined ? {} : { body }) });
const rows = (table: string): Promise<unknown[]> => service.store.reader.rows(`SELECT * FROM ${table}`);
const setStatus = (status: string): Promise<unknown> =>
  service.store.lane.run((tx) => tx.execute('UPDATE accounts SET status = ?', [status]));

describe('a blocked account', () => {
  beforeEach(async () => {
    expect(await asked()).toEqual(four(201));
    expect(await asked('cust-2')).toEqual(four(201));
  });

  it('gets no token of either kind from any process, unlike others', async () => {
    const { status, body } = await operator('POST /admin/v1/accounts/cust-1/block');
    expect([status, body['status']]).toEqual([200, 'blocked']);
    const before = await rows('token_issues');
    expect(await asked()).toEqual(four(403, 'account_blocked'));
    expect(await asked('cust-1', other)).toEqual(four(403, 'account_blocked'));
    expect(await rows('token_issues')).toEqual(before);
    expect(await asked('cust-2', other)).toEqual(four(201));
  });

  it('gets them again once it is unblocked', async () => {
    await operator('POST /admin/v1/accounts/cust-1/block');
    const { status, body } = await operator('POST /admin/v1/accounts/cust-1/unblock', undefined, other);
    expect([status, body['status']]).toEqual([200, 'active']);
    expect(await asked()).toEqual(four(201));
  });

  it('does not change when it is blocked again, nor an active one when it is unblocked', async () => {
    expect((await operator('POST /admin/v1/accounts/cust-1/unblock')).body['status']).toBe('active');
    const first = await operator('POST /admin/v1/accounts/cust-1/block');
    service.clock.advance(1_000);
    const second = await operator('POST /admin/v1/accounts/cust-1/block');
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(service.logs.filter((line) => line.includes('"event":"account.blocked"'))).toHaveLength(1);
  });

  it('that never had an upstream user is pending again afterwards', async () => {
    await service.store.lane.run((tx) =>
      tx.execute(
        `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('cust-3', 'pending', 1, 1)`,
      ),
    );
    expect((await operator('POST /admin/v1/accounts/cust-3/block')).body['status']).toBe('blocked');
    expect(await asked('cust-3')).toEqual(four(403, 'account_blocked'));
    expect((await operator('POST /admin/v1/accounts/cust-3/unblock')).body['status']).toBe('pending');
    expect(await asked('cust-3')).toEqual(four(201));
  });

  it('gets no token that was being issued when it was blocked', async () => {
    const wish = { externalId: 'cust-1', kind: 'sign_in', installationId: null } as const;
    const issue = service.get(TokensService).issue(wish, async () => {
      await operator('POST /admin/v1/accounts/cust-1/block', undefined, other);
      return 'a token';
    });
    expect(await codeOf(issue)).toBe('account_blocked');
  });

  it.each(['block', 'unblock'])(
    'does not result from %s for an account that is being erased or unknown',
    async (act) => {
      await setStatus('erasing');
      const erasing = await operator(`POST /admin/v1/accounts/cust-1/${act}`);
      expect([erasing.status, erasing.body.code]).toEqual([409, 'account_erased']);
      expect(await rows('accounts')).toMatchObject([{ status: 'erasing' }, { status: 'erasing' }]);
      expect((await operator(`POST /admin/v1/accounts/nobody/${act}`)).status).toBe(404);
    },
  );
});

describe('token issuance', () => {
  const set = (open: unknown, on = service): Promise<Answer> => operator('PUT /admin/v1/token-issuance', { open }, on);
  const state = async (on = service): Promise<unknown> => {
    return (await on.send('GET /admin/v1/token-issuance', { token: adminKeys.viewer })).body;
  };
  const open = { open: true, closed_at: null, closed_by: null };
  const closed = { open: false, closed_at: new Date(START).toISOString(), closed_by: 'operator' };

  it('is open at first', async () => {
    expect(await state()).toEqual(open);
  });

  it('that is closed issues no token in any process, and requests none from upstream', async () => {
    expect(await asked()).toEqual(four(201));
    const before = [await rows('token_issues'), await rows('link_attempts')];
    expect((await set(false)).body).toEqual(closed);
    await service.sandbox.control.clearCalls();
    expect(await asked()).toEqual(four(503, 'tokens_closed'));
    expect(await asked('cust-1', other)).toEqual(four(503, 'tokens_closed'));
    expect((await service.sandbox.control.calls()).calls).toEqual([]);
    expect([await rows('token_issues'), await rows('link_attempts')]).toEqual(before);
    expect(await service.figures()).toContain(
      'pulsekeep_tokens_refused_total{kind="sign_in",reason="tokens_closed"} 2',
    );
  });

  it('stays closed after a restart, and shows who closed it and when', async () => {
    await set(false);
    service.clock.advance(60_000);
    const restarted = await service.another();
    expect(await state(restarted)).toEqual(closed);
    expect((await set(false, restarted)).body).toEqual(closed);
    expect(await asked('cust-1', restarted)).toEqual(four(503, 'tokens_closed'));
  });

  it('issues tokens again once it is opened', async () => {
    await set(false);
    expect((await set(true, other)).body).toEqual(open);
    expect((await set(true)).body).toEqual(open);
    expect(await asked()).toEqual(four(201));
  });

  it('returns no token that was being issued when it was closed', async () => {
    const wish = { externalId: 'cust-1', kind: 'link', installationId: null } as const;
    const issue = service.get(TokensService).issue(wish, async () => {
      await other.get(TokenIssuance).set(false, 'operator');
      return 'a token';
    });
    expect(await codeOf(issue)).toBe('tokens_closed');
  });

  it('accepts only true and false', async () => {
    for (const given of ['false', 0, null, undefined]) expect([given, (await set(given)).status]).toEqual([given, 400]);
    expect(await state()).toEqual(open);
  });
});
