import { resolve } from 'node:path';
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { adminRows, childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { webhookSecret } from '../support/environment.js';
import { signedMessage } from '../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

interface MessageView {
  readonly message_id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly attempts: number;
}

const killer = resolve(import.meta.dirname, 'support/killer.js');
const words = 'a note that kills its reader';

describe('a message that kills the process that reads it', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let env: Record<string, string>;
  let running: ChildPulsekeep;
  let crashes: number;

  beforeEach(async () => {
    sandbox = await startSandbox({ webhookSecret });
    database = await testDatabase();
    const hook = { NODE_OPTIONS: `--import ${killer}`, KILLING_WORDS: words };
    env = childEnvironment(database, sandbox.url, hook);
    crashes = 0;
    running = await ChildPulsekeep.start(env);
  });

  afterEach(async () => {
    await running.kill();
    await sandbox.close();
    await database.drop();
  });

  /** Starts the service again, as its supervisor would, whenever it has ended. */
  const kept = async (): Promise<void> => {
    if (!running.hasEnded) return;
    crashes += 1;
    running = await ChildPulsekeep.start(env);
  };

  const messages = () => adminRows<MessageView>(running.url, '/messages').catch(() => []);

  const send = async (id: string, event: object): Promise<void> => {
    const { headers, body } = signedMessage(id, event);
    await until(async () => {
      await kept();
      const response = await fetch(`${running.url}/webhooks`, { method: 'POST', headers, body }).catch(() => null);
      return response?.status === 204;
    });
  };

  it('is given up after five crashes, and all others are applied', async () => {
    const { users } = await sandbox.control.createUsers({ client_user_id: 'patient-1' });
    const [user] = users;
    const note = (minute: number, value: string) => ({
      event_type: 'daily.data.note.created',
      ...{ user_id: user?.user_id, client_user_id: 'patient-1', team_id: user?.['team_id'] },
      data: {
        source: { provider: 'oura', type: 'ring' },
        data: [{ timestamp: new Date(Date.UTC(2026, 10, 1) + minute * 60_000).toISOString(), value, unit: 'text' }],
      },
    });
    const count = 60;
    for (let n = 0; n < count; n++) await send(`msg_${n}`, note(n, n === 30 ? words : 'harmless'));
    let seen: MessageView[] = [];
    const isOver = async (): Promise<boolean> => {
      seen = await messages();
      return seen.length === count && seen.every(({ status }) => status === 'done' || status === 'dead');
    };
    while (!(await isOver())) {
      await kept();
      await until(async () => running.hasEnded || (await isOver()));
    }
    const dead = seen.filter(({ status }) => status === 'dead');
    expect(dead).toMatchObject([{ message_id: 'msg_30', reason: 'abandoned' }]);
    expect(crashes).toBe(5);
  });
});
