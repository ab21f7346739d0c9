// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import type { ReplayDto } from '../../src/ingest/inbox/replays.dto.js';
import { adminCall, adminRows, childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { webhookSecret } from '../support/environment.js';
import { signedMessage } from '../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

interface MessageView {
  message_id: string;
  status: string;
}

describe('a process killed while messages come in', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let running: ChildPulsekeep;

  beforeEach(async () => {
    sandbox = await startSandbox({ webhookSecret });
    database = await testDatabase();
    running = await ChildPulsekeep.start(childEnvironment(database, sandbox.url));
  });

  afterEach(async () => {
    await running.kill();
    await sandbox.close();
    await database.drop();
  });

  it('has every message acknowledged with 204, applies each once after a restart, and continues a replay of all', async () => {
    const { users } = await sandbox.control.createUsers({ client_user_id: 'patient-1' });
    const user = users[0]?.user_id;
    const event = (minute: number) => ({
      event_type: 'daily.data.heartrate.created',
      user_id: user,
      client_user_id: 'patient-1',
      team_id: users[0]?.['team_id'],
      data: {
        source: { provider: 'oura', type: 'ring' },
        data: [{ timestamp: new Date(Date.UTC(2026, 10, 1) + minute * 60_000).toISOString(), value: 60, unit: 'bpm' }],
      },
    });
    const answered = new Set<string>();
    let sent = 0;
    const sender = async (): Promise<void> => {
      for (;;) {
        const number = sent++;
        const { headers, body } = signedMessage(`msg_${number}`, event(number));
        const response = await fetch(`${running.url}/webhooks`, { method: 'POST', headers, body }).catch(() => null);
        if (!response) return;
        if (response.status === 204) answered.add(`msg_${number}`);
      }
    };
    const senders = Promise.all(Array.from({ length: 16 }, sender));
    await until(async () => answered.size > 400);
    await running.kill();
    await senders;

    running = await ChildPulsekeep.start(childEnvironment(database, sandbox.url));
    let stored = await adminRows<MessageView>(running.url, '/messages');
    const ids = new Set(stored.map((message) => message.message_id));
    expect([...answered].filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBe(stored.length);
    await until(async () => {
      stored = await adminRows<MessageView>(running.url, '/messages');
      return stored.every((message) => message.status === 'done');
    });
    const records = await adminRows<{ time: string }>(running.url, '/accounts/patient-1/records/heartrate');
    expect(records).toHaveLength(stored.length);

    const { replay_id } = await adminCall<ReplayDto>(running.url, 'POST', '/messages/replay', { status: 'done' });
    // On PostgreSQL another process waits for the leases of the dead one, as above.
    if (database.config.kind === 'sqlite') {
      await running.kill();
      running = await ChildPulsekeep.start(childEnvironment(database, sandbox.url));
    }
    const replay = (): Promise<ReplayDto> => adminCall(running.url, 'GET', `/messages/replays/${replay_id}`);
    await until(async () => (await replay()).state === 'done');
    const count = stored.length;
    expect(await replay()).toMatchObject({ count, replayed: count, applied: count, failed: 0, left: 0 });
    expect(await running.stop()).toBe(0);
  });
});
