import { TestApp } from '../../support/test-app.js';
import { OverviewCase } from './support/overview-case.js';

const hour = 3_600_000;
const day = 24 * hour;

describe('the overview', () => {
  let app: TestApp;
  let now: number;
  let shown: OverviewCase;

  beforeEach(async () => {
    app = await TestApp.create();
    now = app.clock.now();
    shown = new OverviewCase(app, now);
  });

  afterEach(() => app.close());

  it('shows installations that sign in at every launch', async () => {
    await shown.account(1, 'active');
    await shown.account(2, 'active');
    const issue = (account_id: number, installation_id: string | null, issued_at: number, frequency: number | null) =>
      shown.insert('token_issues', { account_id, kind: 'sign_in', installation_id, issued_at, frequency });
    await issue(1, 'phone', now - 1, 6);
    await issue(1, 'phone', now, 7);
    await issue(2, null, now - hour, 9);
    await issue(2, 'tablet', now - hour, null);
    await issue(2, 'old phone', now - day, 6);
    const { tokens, alarms } = await shown.overview();
    expect(tokens).toEqual({ open: true, frequent_installations: 2 });
    expect(alarms).toMatchObject([{ code: 'frequent_sign_ins', count: 2 }]);
    const first = await app.admin<{ next_cursor: string }>('GET', '/frequent-sign-ins?limit=1', undefined, 'viewer');
    const second = await app.admin('GET', `/frequent-sign-ins?limit=1&cursor=${first.body.next_cursor}`);
    expect([first.body, second.body]).toMatchObject([
      { data: [{ account_id: 'account-1', installation_id: 'phone', tokens: 7, last_issued_at: iso(now) }] },
      { data: [{ account_id: 'account-2', installation_id: null, tokens: 9 }], next_cursor: null },
    ]);
  });

  it('raises an alarm for a day when messages of another team arrive', async () => {
    await shown.message('one', 'ignored', now);
    await app.store.lane.run((tx) => tx.execute(`UPDATE messages SET reason = 'foreign_team'`));
    expect((await shown.overview()).alarms).toMatchObject([{ code: 'foreign_messages', count: 1 }]);
    app.clock.advance(day + 1);
    expect((await shown.overview()).alarms).toEqual([]);
  });

  it("raises an alarm while no later pull has brought records for upstream's failed one", async () => {
    await shown.account(1, 'active');
    const [start, end] = [now - 9 * day, now - 2 * day];
    const history = { account_id: 1, provider: 'oura', status: 'failure', range_start: start, range_end: end };
    for (const resource of ['sleep', 'weight']) {
      await shown.insert('historical_pulls', { ...history, resource, observed_at: now - hour });
    }
    const task = (row: Readonly<Record<string, string | number>>) =>
      shown.insert('sync_tasks', {
        ...{ account_id: 1, provider: '', resource: 'body_weight', origin: 'recovery', priority: 1, status: 'done' },
        ...{ window_start: start, window_end: end, created_at: now, finished_at: now, records: 1, ...row },
        ...{ pages: 1, written: 0, rejected: 0, turns: 1, attempts: 0, restarts: 0 },
      });
    await task({ records: 0 });
    await task({ provider: 'fitbit' });
    await task({ window_start: start + 1 });
    await task({ finished_at: now - day });
    expect((await shown.overview()).alarms).toMatchObject([{ code: 'failed_historical_pulls', count: 2 }]);
    await task({});
    expect((await shown.overview()).alarms).toMatchObject([{ code: 'failed_historical_pulls', count: 1 }]);
  });

  it('raises an alarm while no later pull has stored the window of a failed one', async () => {
    await shown.account(1, 'active');
    const task = (row: Readonly<Record<string, string | number>>) =>
      shown.insert('sync_tasks', {
        ...{ account_id: 1, provider: 'oura', resource: 'sleep', origin: 'schedule', priority: 1, status: 'done' },
        ...{ window_start: now - 2 * day, window_end: now - day, created_at: now, finished_at: now + 1, ...row },
        ...{ pages: 0, records: 0, written: 0, rejected: 0, turns: 1, attempts: 0, restarts: 0 },
      });
    await task({ status: 'failed', error_code: 'too_many_pages', finished_at: now });
    await task({ finished_at: now - 1 });
    await task({ provider: 'fitbit' });
    await task({ resource: 'activity' });
    await task({ window_start: now - day - hour });
    expect((await shown.overview()).alarms).toMatchObject([{ code: 'failed_tasks', count: 1 }]);
    await task({ provider: '', window_start: now - 3 * day, window_end: now });
    expect((await shown.overview()).alarms).toEqual([]);
  });

  it('raises an alarm while no tokens are issued', async () => {
    const { status } = await app.admin('PUT', '/token-issuance', { open: false });
    expect(status).toBe(200);
    app.clock.advance(hour);
    const { tokens, alarms } = await shown.overview();
    expect(tokens).toMatchObject({ open: false });
    expect(alarms).toMatchObject([{ code: 'tokens_closed', count: null, since: iso(now) }]);
    expect((await app.call<string>('GET', '/metrics')).body).toContain('pulsekeep_token_issuance_open 0');
    await app.admin('PUT', '/token-issuance', { open: true });
    expect((await shown.overview()).alarms).toEqual([]);
    expect((await app.call<string>('GET', '/metrics')).body).toContain('pulsekeep_token_issuance_open 1');
  });

  it('raises the alarm of silence when sources are connected and nothing arrives for a day', async () => {
    await shown.account(1, 'active');
    await shown.connection(1, 'oura', 'connected');
    await shown.message('last', 'done', now);
    app.clock.advance(day);
    expect((await shown.overview()).alarms).toEqual([]);
    app.clock.advance(1);
    expect((await shown.overview()).alarms).toMatchObject([{ code: 'silence', since: new Date(now).toISOString() }]);
  });
});

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
