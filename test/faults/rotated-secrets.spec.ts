import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { nowhere, webhookSecret } from '../support/environment.js';
import { ServingPulsekeep } from '../support/serving-pulsekeep.js';
import { signedMessage } from '../support/signed-message.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

const entry = (name: string, role: string, key: string): string =>
  `${name}:${role}:${createHash('sha256').update(key).digest('hex')}`;

const nextSecret = `whsec_${Buffer.from('a-webhook-secret-that-follows').toString('base64')}`;

describe('secrets from files, changed while the process runs', () => {
  let database: TestDatabase;
  let folder: string;
  let env: Record<string, string>;
  let service: ChildPulsekeep | ServingPulsekeep;

  const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const linesOf = (event: string): { variable_names?: string[] }[] =>
    service.output.filter((line) => line.includes(`"event":"${event}"`)).map((line) => JSON.parse(line) as object);

  beforeEach(async () => {
    database = await testDatabase();
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-secrets-'));
    put('keys', `${entry('desk', 'operator', 'old-key')},${entry('watch', 'monitor', 'watch-key')}\n`);
    put('webhooks', webhookSecret);
    const {
      ADMIN_API_KEYS: _,
      WEBHOOK_SECRETS: __,
      DATABASE_URL: url,
      ...others
    } = childEnvironment(database, nowhere);
    put('database', String(url));
    env = {
      ...others,
      ADMIN_API_KEYS_FILE: join(folder, 'keys'),
      WEBHOOK_SECRETS_FILE: join(folder, 'webhooks'),
      DATABASE_URL_FILE: join(folder, 'database'),
    };
  });

  afterEach(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
    await database.drop();
  });

  const asked = async (key: string): Promise<number> =>
    (await fetch(`${service.url}/admin/v1/alarms`, { headers: { authorization: `Bearer ${key}` } })).status;

  const delivered = async (id: string, secret: string): Promise<number> => {
    const { headers, body } = signedMessage(id, { event_type: 'a.b', data: {} }, secret);
    return (await fetch(`${service.url}/webhooks`, { method: 'POST', headers, body })).status;
  };

  it('are used after SIGHUP, without losing a request', async () => {
    const child = await ChildPulsekeep.start(env);
    service = child;
    expect([await asked('old-key'), await asked('new-key'), await delivered('m1', nextSecret)]).toEqual([
      200, 401, 401,
    ]);
    put('keys', `${entry('desk', 'operator', 'new-key')},${entry('watch', 'monitor', 'watch-key')}`);
    put('webhooks', `${nextSecret},${webhookSecret}`);
    expect(await asked('new-key')).toBe(401);
    let isDone = false;
    const meanwhile = Array.from({ length: 4 }, async (_, caller) => {
      const statuses: number[] = [];
      for (let n = 0; !isDone || n === 0; n++) {
        statuses.push(await asked('watch-key'), await delivered(`while-${caller}-${n}`, webhookSecret));
      }
      return statuses;
    });
    child.tell('SIGHUP');
    await until(async () => linesOf('config.secrets_reread').length === 1);
    isDone = true;
    expect(new Set((await Promise.all(meanwhile)).flat())).toEqual(new Set([200, 204]));
    expect(linesOf('config.secrets_reread')[0]?.variable_names?.sort()).toEqual(['ADMIN_API_KEYS', 'WEBHOOK_SECRETS']);
    expect([await asked('old-key'), await asked('new-key')]).toEqual([401, 200]);
    expect([await delivered('m2', nextSecret), await delivered('m3', webhookSecret)]).toEqual([204, 204]);
  });

  it('stay unchanged if any file is invalid, and the log names the variable, never the content', async () => {
    const here = await ServingPulsekeep.start(env);
    service = here;
    put('keys', entry('desk', 'operator', 'new-key'));
    put('webhooks', 'whsec_canary-that-is-no-secret');
    here.reread();
    expect(linesOf('config.secrets_refused')).toHaveLength(1);
    expect(linesOf('config.secrets_refused')[0]).toMatchObject({ level: 'error', variable_names: ['WEBHOOK_SECRETS'] });
    expect([await asked('old-key'), await asked('new-key')]).toEqual([200, 401]);
    put('webhooks', '');
    here.reread();
    expect(linesOf('config.secrets_refused')).toHaveLength(2);
    expect(linesOf('config.secrets_refused')[1]?.variable_names).toEqual(['WEBHOOK_SECRETS_FILE']);
    const figures = await (await fetch(`${service.url}/metrics`)).text();
    expect(figures).toContain('pulsekeep_secret_rereads_total{outcome="refused"} 2');
    expect(`${service.output.join('\n')}${figures}`).not.toContain('canary');
    put('webhooks', webhookSecret);
    here.reread();
    expect(linesOf('config.secrets_reread')).toHaveLength(1);
    expect([await asked('old-key'), await asked('new-key')]).toEqual([401, 200]);
  });

  it('that cannot change while the process runs are named in the log until a restart', async () => {
    const here = await ServingPulsekeep.start(env);
    service = here;
    put('database', 'sqlite:./another.sqlite');
    for (const times of [1, 2]) {
      here.reread();
      expect(linesOf('config.secrets_need_restart')).toHaveLength(times);
    }
    expect(linesOf('config.secrets_need_restart').at(-1)?.variable_names).toEqual(['DATABASE_URL']);
    expect(await asked('old-key')).toBe(200);
  });
});
