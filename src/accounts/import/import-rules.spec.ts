import { type Verdict, verdictOn } from '../../storage/work/retry.js';
import { readUser } from '../../upstream/client/wire-users.js';
import { UpstreamError, type UpstreamErrorFacts } from '../../upstream/transport/upstream-error.js';
import { importRetry, judgeImport, judgeUsers, type LocalAccount } from './import-rules.js';

const user = (user_id: string, client_user_id: string) => readUser({ user_id, client_user_id }, () => undefined);
const account = (given: { readonly [Name in keyof LocalAccount]?: unknown }): LocalAccount => {
  const made = { id: 1, account_id: 'customer', upstream_user_id: 'u-1', status: 'active', ...given };
  return made as LocalAccount;
};
const judged = (of: ReturnType<typeof user>[], accounts: LocalAccount[] = []): unknown[] =>
  judgeUsers(of, accounts).map(({ user: _, ...verdict }) => verdict);

describe('a user of upstream', () => {
  it('is known by its account, whatever the case of its id', () => {
    expect(judged([user('U-1', 'customer')], [account({})])).toEqual([{ userId: 'u-1', is: 'known', account: 1 }]);
  });

  it('is new without an account, or with a pending one', () => {
    const waiting = account({ upstream_user_id: null, status: 'pending' });
    expect(judged([user('u-1', 'customer')])).toMatchObject([{ is: 'new' }]);
    expect(judged([user('u-1', 'customer')], [waiting])).toMatchObject([{ is: 'new' }]);
  });

  it.each([
    ['personal_id', user('u-2', 'someone@example.com'), []],
    ['personal_id', user('u-2', '+49 151 2345678'), []],
    ['id_not_storable', user('u-2', 'x'.repeat(256)), []],
    ['account_has_other_user', user('u-2', 'customer'), [account({})]],
    ['user_has_other_account', user('u-1', 'renamed'), [account({})]],
    ['account_blocked', user('u-2', 'customer'), [account({ upstream_user_id: null, status: 'blocked' })]],
    ['account_blocked', user('u-2', 'customer'), [account({ upstream_user_id: null, status: 'erasing' })]],
  ] as const)('is refused as %s', (reason, one, accounts) => {
    expect(judged([one], [...accounts])).toMatchObject([{ userId: one.user_id, is: 'refused', reason }]);
  });

  it('is judged once, however often a page shows it, and takes no account id from another user of the page', () => {
    const page = [user('u-1', 'customer'), user('U-1', 'customer'), user('u-2', 'customer')];
    expect(judged(page)).toMatchObject([
      { userId: 'u-1', is: 'new' },
      { userId: 'u-2', is: 'refused', reason: 'account_has_other_user' },
    ]);
  });
});

describe('a failure of upstream', () => {
  const error = (facts: Partial<UpstreamErrorFacts>): UpstreamError =>
    new UpstreamError({ kind: 'rejected', reason: 'status', operation: 'GET /v2/user', ...facts });

  const verdict = (failure: UpstreamError, attempts = 1, waits = 0): Verdict =>
    verdictOn(judgeImport(failure), { attempts, waits }, importRetry, () => 0);

  it('that is temporary is retried after growing pauses, never earlier than upstream requested', () => {
    const busy = error({ kind: 'throttled', status: 429, retryAfterMs: 60_000 });
    expect(verdict(busy)).toMatchObject({ then: 'defer', code: 'upstream_throttled', delayMs: 60_000, counts: false });
    const down = error({ kind: 'unavailable', status: 503 });
    const delays = [0, 1, 20].map((waits) => verdict(down, 1, waits));
    expect(delays).toMatchObject([{ delayMs: 5_000 }, { delayMs: 10_000 }, { delayMs: 900_000 }]);
  });

  it('that is a refusal ends the import, with a separate code for a refused key', () => {
    expect(verdict(error({ status: 401 }))).toEqual({ then: 'bury', code: 'upstream_unauthorized' });
    expect(verdict(error({ status: 403 }))).toEqual({ then: 'bury', code: 'upstream_rejected' });
  });

  it('that is unreadable gets five attempts', () => {
    const odd = error({ kind: 'contract', reason: 'missing_field' });
    expect([1, 4, 5].map((attempts) => verdict(odd, attempts).then)).toEqual(['defer', 'defer', 'bury']);
  });
});
