import type { SqlInput } from '../../../src/storage/database/dialect.js';
import { TestApp } from '../../support/test-app.js';
import { OverviewCase } from './support/overview-case.js';

const hour = 3_600_000;
const day = 24 * hour;
const noLinks = { issued: 0, success: 0, confirmed: 0, exit: 0, error: 0, open: 0, expired: 0 };

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

  const attempt = (id: string, age: number, differences: Record<string, SqlInput> = {}): Promise<number> => {
    const created_at = now - age;
    const times = { created_at, expires_at: created_at + 600_000 };
    return shown.insert('link_attempts', { link_attempt_id: id, account_id: 1, ...times, ...differences });
  };

  it('shows link attempts of a day and a week, by failure and provider', async () => {
    await shown.account(1, 'active');
    const told = { outcome_source: 'report', outcome_at: now };
    const confirmed = { outcome: 'success', outcome_source: 'connection', outcome_at: now };
    await attempt('open', 60_000, { provider: 'oura' });
    await attempt('expired', 600_000);
    await attempt('exit', hour, { ...told, outcome: 'exit' });
    await attempt('success', 23 * hour, { ...confirmed, connected_provider: 'oura' });
    await attempt('unconfirmed', day, { ...told, outcome: 'success', provider: 'oura' });
    await attempt('error', day + 1, { ...told, outcome: 'error', error_type: 'token_expired', provider: 'fitbit' });
    await attempt('error again', 6 * day, { ...told, outcome: 'error', error_type: 'token_expired' });
    await attempt('other error', 7 * day, { ...told, outcome: 'error', error_type: 'provider_api_error' });
    await attempt('long ago', 7 * day + 1, { ...told, outcome: 'exit' });
    const { links } = await shown.overview();
    const week = { issued: 8, success: 2, confirmed: 1, exit: 1, error: 3, open: 1, expired: 1 };
    expect(links).toEqual({
      last_24_hours: { issued: 5, success: 2, confirmed: 1, exit: 1, error: 0, open: 1, expired: 1 },
      last_7_days: week,
      errors: [
        { error_type: 'token_expired', count: 2 },
        { error_type: 'provider_api_error', count: 1 },
      ],
      providers: [
        { provider: null, ...noLinks, issued: 4, exit: 1, error: 2, expired: 1 },
        { provider: 'oura', ...noLinks, issued: 3, success: 2, confirmed: 1, open: 1 },
        { provider: 'fitbit', ...noLinks, issued: 1, error: 1 },
      ],
    });
    const metrics = (await app.call<string>('GET', '/metrics')).body;
    expect(metrics).toContain('pulsekeep_link_attempts{state="success"} 2');
    expect(metrics).toContain('pulsekeep_link_attempts{state="error"} 0');
    expect(metrics).toContain('pulsekeep_link_attempts_confirmed 1');
  });

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

  it('raises an alarm for a week when messages of another team arrive', async () => {
    await shown.message('one', 'ignored', now);
    await app.store.lane.run((tx) => tx.execute(`UPDATE messages SET reason = 'foreign_team'`));
    expect((await shown.overview()).alarms).toMatchObject([{ code: 'foreign_messages', count: 1 }]);
    app.clock.advance(7 * day + 1);
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
