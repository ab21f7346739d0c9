import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { freePort } from '../../../harness/free-port.js';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { SqliteDatabase } from '../../../src/storage/database/sqlite-driver.js';
import { runCli } from '../../operations/cli/support/run-cli.js';
import { adminCall, adminRows, childEnvironment } from '../../support/child-env.js';
import { ChildPulsekeep, spawnNode } from '../../support/child-pulsekeep.js';
import { DAY, environment, MINUTE, webhookSecret } from '../../support/environment.js';
import { canBackUp } from '../../support/postgres-tools.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';

/*
 * The example of a consumer follows a source while both are killed, each CONSUMER_KILLS times. With a hundred pass
 * --reporters=default, because ours ends a run in which a file takes five minutes.
 */

const kills = Number(process.env['CONSUMER_KILLS'] ?? 3);
const longest = 240_000 + kills * 45_000;

interface Mirror {
  readonly db: InstanceType<typeof SqliteDatabase>;
  dailySteps(): { steps: number }[];
  close(): void;
}
type MirrorClass = new (options: { url: string; key: string; db: InstanceType<typeof SqliteDatabase> }) => Mirror;

const key = 'mirror-key';
/** PostgreSQL's own tools are not wherever a PostgreSQL can be reached. */

/** Reproducible numbers from 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Statements on the database of a process, from outside. */
async function statement({ config }: TestDatabase, sql: string): Promise<Record<string, unknown>[]> {
  if (config.kind === 'sqlite') {
    const database = new SqliteDatabase(config.path);
    const prepared = database.prepare(sql);
    const rows = prepared.reader ? prepared.all() : (prepared.run(), []);
    database.close();
    return rows as Record<string, unknown>[];
  }
  const client = new pg.Client({ connectionString: config.url.reveal() });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the example of a consumer', () => {
  const random = numbers(20_261_125);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const today = Math.floor(Date.now() / DAY) * DAY;
  const nights = Array.from({ length: 6 }, (_, back) => today - (back + 3) * DAY);
  const killed = { source: 0, consumer: 0 };
  let sandbox: Sandbox;
  let database: TestDatabase;
  let folder: string;
  let env: Record<string, string>;
  let url: string;
  let source: ChildPulsekeep;
  let mirror: Mirror;
  let consumer: ReturnType<typeof startConsumer> | undefined;
  let people: { user_id: string; client_user_id: string }[];

  beforeAll(async () => {
    sandbox = await startSandbox({ timeScale: 20_000, webhookSecret });
    database = await testDatabase();
    folder = mkdtempSync(join(tmpdir(), 'mirror-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const hash = createHash('sha256').update(key).digest('hex');
    env = childEnvironment(database, sandbox.url, {
      PORT: String(port),
      ADMIN_API_KEYS: `${environment().ADMIN_API_KEYS},mirror:feed+values:${hash}`,
      ERASURE_JOURNAL_PATH: join(folder, 'erasures'),
      SYNC_RESOURCES: 'steps,sleep',
      SYNC_INTERVAL_SECONDS: '1',
      SYNC_MAX_INTERVAL_SECONDS: '1',
      SYNC_LOOKBACK_HOURS: '240',
      DELETION_CONFIRM_HOURS: '0',
    });
    source = await ChildPulsekeep.start(env);
    await sandbox.control.configureWebhooks({ url: `${url}/webhooks`, exhausted_notice: false });
    people = [];
    for (const client_user_id of ['anna', 'ben', 'cleo', 'dora']) {
      const { users } = await sandbox.control.createUsers({ client_user_id });
      const user_id = String(users[0]?.user_id);
      await adminCall(url, 'POST', '/accounts', { account_id: client_user_id });
      people.push({ user_id, client_user_id });
      await sandbox.control.connect({ user_id, provider: 'oura', resources: ['steps', 'sleep'] });
    }
    const path = pathToFileURL(resolve('examples/consumer/mirror.mjs')).href;
    const { Mirror: Class } = (await import(path)) as { Mirror: MirrorClass };
    mirror = new Class({ url, key, db: new SqliteDatabase(join(folder, 'mirror.sqlite')) });
    // More than the feed shows in one entry.
    await put(
      'anna',
      Array.from({ length: 1_100 }, (_, minute) => today - 2 * DAY + minute * MINUTE),
    );
  });

  afterAll(async () => {
    if (consumer?.kill('SIGKILL')) await once(consumer, 'exit');
    await source.kill();
    mirror.close();
    await sandbox.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  function put(name: string, times: readonly number[]): Promise<unknown> {
    const user_id = String(people.find(({ client_user_id }) => client_user_id === name)?.user_id);
    const points = times.map((time) => ({ start: new Date(time).toISOString(), value: Math.floor(random() * 50) }));
    return sandbox.control.put({ user_id, provider: 'oura', resource: 'steps', points });
  }

  /** One change of upstream or of an operator. */
  async function change(round: number): Promise<void> {
    const { user_id, client_user_id } = pick(people);
    const chance = random();
    const slot = (): number => today - 2 * DAY + Math.floor(random() * 96) * 15 * MINUTE;
    if (chance < 0.4) {
      await put(client_user_id, [...new Set(Array.from({ length: 1 + Math.floor(random() * 9) }, slot))]);
    } else if (chance < 0.75) {
      const night = pick(nights);
      const summary = {
        id: `${user_id.slice(0, -6)}${String(nights.indexOf(night)).padStart(6, '0')}`,
        calendar_date: new Date(night).toISOString().slice(0, 10),
        bedtime_start: new Date(night - 7_200_000).toISOString(),
        bedtime_stop: new Date(night + 21_600_000).toISOString(),
        score: Math.floor(random() * 100),
      };
      await sandbox.control.put({ user_id, provider: 'oura', resource: 'sleep', summaries: [summary] });
    } else if (chance < 0.83) {
      const { rows } = await sandbox.control.truth<{ id: string }>(user_id, 'sleep');
      if (rows.length > 1) await sandbox.control.remove({ user_id, resource: 'sleep', summary_id: pick(rows).id });
    } else if (chance < 0.9) {
      const at = slot();
      const range = { start: new Date(at).toISOString(), end: new Date(at + 1).toISOString() };
      await sandbox.control.remove({ user_id, resource: 'steps', ...range });
    } else if (chance < 0.95) {
      const { order } = await sandbox.control.createOrder({ user_id });
      await sandbox.control.walkOrder(order.id, { to: 'requisition_created' });
    } else {
      await adminCall(url, 'POST', '/accounts', { account_id: `more-${round}` }).catch(() => null);
    }
  }

  /** `open`: changes without a number, and erasures under way. */
  async function feed(): Promise<{ id: string; number: number; open: number }> {
    const [row = {}] = await statement(
      database,
      `SELECT feed, last_number, (SELECT COUNT(*) FROM pending_changes)
        + (SELECT COUNT(*) FROM accounts WHERE status = 'erasing') AS open FROM change_feed`,
    );
    return { id: String(row['feed']), number: Number(row['last_number']), open: Number(row['open']) };
  }

  /** How far the consumer is. */
  function place(): { cursor: string; feed: string; number: number } {
    const row = mirror.db.prepare('SELECT cursor FROM place').get() as { cursor: string } | undefined;
    const [id = '', number = '0'] = row?.cursor.split('-') ?? [];
    return { cursor: String(row?.cursor), feed: id, number: parseInt(number, 36) };
  }

  function startConsumer() {
    const variables = { PULSEKEEP_URL: url, PULSEKEEP_KEY: key, MIRROR_PATH: join(folder, 'mirror.sqlite') };
    return spawnNode([resolve('examples/consumer/main.mjs')], { env: variables }, 'ignore');
  }

  /** The source as its own API shows it. */
  async function stored(): Promise<unknown> {
    const accounts = await adminRows<{ account_id: string; status: string }>(url, '/accounts');
    const each = accounts.map(async ({ account_id }) => {
      const records = <T>(resource: string) => adminRows<T>(url, `/accounts/${account_id}/records/${resource}`);
      const steps = await records<{ time: string; value: number }>('steps');
      const sleep = await records<{ data: { id: string; score: number } }>('sleep');
      return {
        account_id,
        steps: steps.map(({ time, value }) => `${time} ${value}`).sort(),
        nights: sleep.map(({ data }) => `${data.id} ${data.score}`).sort(),
      };
    });
    const orders = await adminRows<{ order_id: string; status: string }>(url, '/orders');
    return {
      accounts: (await Promise.all(each)).sort((a, b) => a.account_id.localeCompare(b.account_id)),
      orders: orders.map(({ order_id, status }) => `${order_id} ${status}`).sort(),
    };
  }

  function copied(): unknown {
    const rows = <T>(sql: string, ...values: unknown[]): T[] => mirror.db.prepare(sql).all(...values) as T[];
    const accounts = rows<{ ref: number; account_id: string }>('SELECT ref, account_id FROM accounts');
    const each = accounts.map(({ ref, account_id }) => ({
      account_id,
      steps: rows<{ time: string; value: number }>('SELECT time, value FROM steps WHERE ref = ?', ref)
        .map(({ time, value }) => `${time} ${value}`)
        .sort(),
      nights: rows<{ data: string }>('SELECT data FROM nights WHERE ref = ?', ref)
        .map(({ data }) => JSON.parse(data) as { id: string; score: number })
        .map(({ id, score }) => `${id} ${score}`)
        .sort(),
    }));
    return {
      accounts: each.sort((a, b) => a.account_id.localeCompare(b.account_id)),
      orders: rows<{ id: string; data: string }>('SELECT id, data FROM orders')
        .map(({ id, data }) => `${id} ${(JSON.parse(data) as { status: string }).status}`)
        .sort(),
    };
  }

  /** Changes go on until both have been killed often enough. */
  async function writing(): Promise<void> {
    for (let round = 0; killed.source < kills || killed.consumer < kills; round++) {
      await until(async () => (await sandbox.control.state()).messages.pending < 20);
      await change(round);
    }
  }

  /** Kills the source while it numbers what it stores, some changes after it began and once the consumer has moved. */
  async function killingTheSource(): Promise<void> {
    const backup = join(folder, 'backup');
    const happens = (share: number): boolean => killed.source === Math.floor(share * kills);
    while (killed.source < kills) {
      const [before, at] = [await feed(), place().cursor];
      if (happens(0.25) && canBackUp) expect(await runCli(['backup', '--out', backup], env)).toMatchObject({ code: 0 });
      if (happens(0.5)) {
        people = people.filter(({ client_user_id }) => client_user_id !== 'cleo');
        await adminCall(url, 'DELETE', '/accounts/cleo');
      }
      const wanted = before.number + 1 + Math.floor(random() * 30);
      await until(async () => (await feed()).number >= wanted && place().cursor !== at);
      await source.kill();
      killed.source += 1;
      if (killed.source % 5 === 1) await expire();
      if (happens(0.75) && canBackUp) {
        const { id } = await feed();
        await statement(database, 'DELETE FROM processes');
        expect(await runCli(['restore', backup], env)).toMatchObject({ code: 0 });
        expect((await feed()).id).not.toBe(id);
      }
      source = await ChildPulsekeep.start(env);
    }
  }

  /** Retention has deleted more than the consumer has read. */
  async function expire(): Promise<void> {
    const { number } = await feed();
    await statement(database, 'DELETE FROM changes');
    const more = `last_number = ${number + 1}, expired_number = ${number + 1}`;
    await statement(database, `UPDATE change_feed SET ${more}`);
  }

  /** Kills the consumer whenever it has come further. */
  async function killingTheConsumer(): Promise<void> {
    while (killed.consumer < kills) {
      const { cursor } = place();
      const started = startConsumer();
      consumer = started;
      await until(async () => {
        if (started.exitCode !== null || started.signalCode !== null) throw new Error('The consumer ended by itself.');
        return place().cursor !== cursor;
      });
      started.kill('SIGKILL');
      await once(started, 'exit');
      killed.consumer += 1;
    }
    consumer = startConsumer();
  }

  it(
    'ends equal to the source, however often either is killed, restored or delayed',
    async () => {
      await Promise.all([writing(), killingTheSource(), killingTheConsumer()]);
      await until(async () => {
        const { messages } = await sandbox.control.state();
        type Overview = { inbox: { depth: number }; accounts: { erasing: number } };
        const { inbox, accounts } = await adminCall<Overview>(url, 'GET', '/overview');
        return messages.pending + inbox.depth + accounts.erasing === 0;
      });
      const isAtRest = async (): Promise<boolean> => {
        const { id, number, open } = await feed();
        return open === 0 && place().feed === id && place().number === number;
      };
      // Nothing changed while the two were read: then they are equal, and not only at the end.
      let both: [unknown, unknown] = [null, null];
      await until(async () => {
        const { number } = await feed();
        if (!(await isAtRest())) return false;
        both = [copied(), await stored()];
        return (await isAtRest()) && (await feed()).number === number;
      });
      expect(both[0]).toEqual(both[1]);
      expect(killed).toEqual({ source: kills, consumer: kills });
      expect(mirror.dailySteps().length).toBeGreaterThan(0);
      expect(JSON.stringify(both)).not.toContain('cleo');
      expect(JSON.stringify(both)).toContain('anna');
      const [gone] = await statement(database, `SELECT COUNT(*) AS count FROM missing_records`);
      // A few kills may end before a complete look finds out what upstream no longer has.
      expect(Number(gone?.['count'])).toBeGreaterThanOrEqual(kills < 30 ? 0 : 1);
    },
    longest,
  );
});
