import type { Sandbox } from '../../sandbox/server.js';
import { call, closeAll, connectedUser, newUser, sandboxFor } from './support.js';

afterEach(closeAll);

describe('historical pulls', () => {
  async function statusOf(sandbox: Sandbox, resource: string): Promise<Record<string, unknown>> {
    const { data } = (await call(sandbox, 'GET /v2/introspect/historical_pull')).body;
    return data[0].provider.oura.pulled[resource] as Record<string, unknown>;
  }

  it('go from scheduled over retrying to success, and data shows only then [introspection#pull-statuses]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    const pulls = { sleep: { retries: 1 }, '*': {} };
    await sandbox.control.connect({
      user_id,
      provider: 'oura',
      resources: ['sleep'],
      history: { days: 3, per_day: 1 },
      pulls,
    });
    const seen: unknown[] = [(await statusOf(sandbox, 'sleep')).status];
    for (const seconds of [5, 30, 60]) {
      await sandbox.control.advance(seconds);
      seen.push((await statusOf(sandbox, 'sleep')).status);
    }
    expect(seen).toEqual(['scheduled', 'in_progress', 'retrying', 'in_progress']);
    expect((await sandbox.control.truth(user_id, 'sleep')).rows).toEqual([]);
    await sandbox.control.advance(30);
    expect(await statusOf(sandbox, 'sleep')).toMatchObject({
      status: 'success',
      days_with_data: 3,
      error_details: null,
    });
    expect((await sandbox.control.truth(user_id, 'sleep')).rows).toHaveLength(3);
    const events = (await sandbox.control.messages({ user_id })).messages.map(({ event_type }) => event_type);
    expect(events).toEqual(['provider.connection.created', 'provider.device.created', 'historical.data.sleep.created']);
  });

  it('can fail without an event, succeed without data, and succeed later [webhooks#failed-historical-pulls]', async () => {
    const sandbox = await sandboxFor();
    const user_id = await newUser(sandbox);
    await sandbox.control.connect({
      user_id,
      provider: 'oura',
      resources: ['sleep', 'body_weight'],
      not_pulled: ['activity'],
      history: { days: 2, per_day: 1 },
      pulls: { sleep: { outcome: 'failure' }, body_weight: { empty: true } },
    });
    await sandbox.control.advance(600);
    expect(await statusOf(sandbox, 'sleep')).toMatchObject({ status: 'failure', error_details: 'non_retriable_error' });
    expect(await statusOf(sandbox, 'weight')).toMatchObject({ status: 'success', days_with_data: 0 });
    const { data } = (await call(sandbox, `GET /v2/introspect/historical_pull?user_id=${user_id}&provider=oura`)).body;
    expect(data[0].provider.oura.not_pulled).toEqual(['activity']);
    await sandbox.control.pullAgain({ user_id, provider: 'oura', resources: ['sleep'] });
    await sandbox.control.advance(600);
    expect((await sandbox.control.truth(user_id, 'sleep')).rows).toHaveLength(2);
  });

  it('are paged by users, with the text None at the end of the deprecated cursor [introspection#pages-of-pulls]', async () => {
    const sandbox = await sandboxFor({ users: 2 });
    const user_id = await connectedUser(sandbox, { provider: 'oura' });
    const seen: string[] = [];
    let cursor = '';
    for (let guard = 0; guard < 5; guard += 1) {
      const { body } = await call(sandbox, `GET /v2/introspect/historical_pull?user_limit=1&next_cursor=${cursor}`);
      seen.push(...(body.data as { user_id: string }[]).map((record) => record.user_id));
      if (body.next_cursor === null) {
        expect(body.next).toBe('None');
        break;
      }
      cursor = body.next_cursor;
    }
    expect(seen).toEqual([user_id]);
  });

  it('show ongoing ingestion next to history [introspection#ingestion-state]', async () => {
    const sandbox = await sandboxFor();
    await connectedUser(sandbox, { provider: 'oura', days: 2 });
    const { data } = (await call(sandbox, 'GET /v2/introspect/resources')).body;
    expect(data[0].provider.oura.sleep).toMatchObject({ last_attempt: { status: 'success' }, sent_count: 2 });
  });
});
