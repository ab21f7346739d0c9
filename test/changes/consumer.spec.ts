import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ChangeLog } from '../../src/storage/change-log/change-log.service.js';
import { SequencerWorker } from '../../src/storage/change-log/sequencer.worker.js';
import { SqliteDatabase } from '../../src/storage/database/sqlite-driver.js';
import { endFeed } from '../../src/storage/schema/database-copy.js';
import { deliver, processed } from '../ingest/inbox/support/deliveries.js';
import { event, order, sleep, type User, uuid } from '../ingest/inbox/support/events.js';
import { DAY, environment } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Mirror {
  readonly db: { prepare(sql: string): { all(): unknown[] } };
  step(): Promise<boolean>;
  stand(cursor: string): void;
  dailySteps(): { ref: number; series: string; day: string; steps: number }[];
  close(): void;
}
type MirrorClass = new (options: { url: string; key: string; db: InstanceType<typeof SqliteDatabase> }) => Mirror;

const key = 'mirror-key';

/** Reproducible numbers from 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

describe('the example of a consumer', () => {
  let app: TestApp;
  let mirror: Mirror;
  let folder: string;
  let people: User[];
  let open: () => Mirror;

  beforeAll(async () => {
    const keys = `${environment().ADMIN_API_KEYS},mirror:feed+values:${createHash('sha256').update(key).digest('hex')}`;
    app = await TestApp.create({ webhooks: false, env: { ADMIN_API_KEYS: keys } });
    folder = mkdtempSync(join(tmpdir(), 'mirror-'));
    const path = pathToFileURL(resolve('examples/consumer/mirror.mjs')).href;
    const { Mirror: Class } = (await import(path)) as { Mirror: MirrorClass };
    open = () => new Class({ url: app.url, key, db: new SqliteDatabase(join(folder, 'mirror.sqlite')) });
    mirror = open();
    people = await Promise.all(['anna', 'ben', 'cleo'].map((name) => signedIn(name)));
  });

  afterAll(async () => {
    mirror.close();
    await app.close();
    rmSync(folder, { recursive: true });
  });

  async function signedIn(client_user_id: string): Promise<User> {
    const { user_id } = (await app.as(client_user_id, 'POST', '/me/sign-in-token', {})).body;
    const team = await app.store.reader.row<{ team_id: string }>('SELECT team_id FROM database_identity');
    return { user_id, client_user_id, team_id: String(team?.team_id) };
  }

  /** What the mirror is to hold, by the tables of the source. */
  async function source(): Promise<unknown[]> {
    const { reader } = app.store;
    return Promise.all([
      reader.rows(`SELECT id AS ref, account_id FROM accounts WHERE status <> 'erasing' ORDER BY id`),
      reader.rows(
        `SELECT s.account_id AS ref, p.time, p.value FROM series s JOIN samples p ON p.series_id = s.id
         WHERE s.resource = 'steps' ORDER BY s.id, p.time`,
      ),
      reader.rows(`SELECT account_id AS ref, summary_id AS id FROM summaries ORDER BY account_id, summary_id`),
      reader.rows('SELECT account_id AS ref, order_id AS id FROM orders ORDER BY order_id'),
    ]);
  }

  function copy(): unknown[] {
    const rows = (sql: string): unknown[] => mirror.db.prepare(sql).all();
    const steps = rows('SELECT ref, time, value FROM steps ORDER BY CAST(series AS INTEGER), time') as {
      time: string;
    }[];
    return [
      rows('SELECT ref, account_id FROM accounts ORDER BY ref'),
      steps.map(({ time, ...rest }) => ({ ...rest, time: Date.parse(time) })),
      rows('SELECT ref, id FROM nights ORDER BY ref, id'),
      rows('SELECT ref, id FROM orders ORDER BY id'),
    ];
  }

  async function caughtUp(): Promise<void> {
    await app.run(SequencerWorker);
    while (!(await mirror.step()));
  }

  it('ends equal to the source, however often either is killed, restored or out of reach', async () => {
    const random = numbers(20_261_125);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const write = async (): Promise<void> => {
      const person = pick(people);
      const at = (): string =>
        new Date(Date.parse('2026-11-10T00:00:00Z') + Math.floor(random() * 9 * 96) * 900_000).toISOString();
      const data = Array.from({ length: 3 }, () => ({
        timestamp: at(),
        timezone_offset: 3_600,
        unit: 'count',
        value: Math.floor(random() * 50),
      }));
      const id = uuid(1 + Math.floor(random() * 6));
      const events = [
        event('daily.data.steps.created', person, { source: { provider: 'oura', type: 'ring' }, data }),
        event('daily.data.sleep.created', person, sleep(person, { id, total: Math.floor(random() * 9_000) })),
        event(
          'labtest.order.created',
          person,
          order(person, uuid(700 + people.indexOf(person)), uuid(800 + people.indexOf(person))),
        ),
      ];
      await deliver(app, pick(events));
      await processed(app);
    };
    const mishaps: (() => Promise<unknown>)[] = [
      // The consumer dies in the middle of its transaction.
      async () => {
        await app.run(SequencerWorker);
        mirror.stand = () => {
          throw new Error('killed');
        };
        await expect(mirror.step()).rejects.toThrow('killed');
        mirror.close();
        mirror = open();
      },
      // The consumer dies between two pages.
      async () => {
        mirror.close();
        mirror = open();
      },
      // The source is restored under another feed.
      async () => {
        await app.store.lane.run((tx) => tx.execute(endFeed));
        await app.get(ChangeLog).onApplicationBootstrap();
      },
      // The consumer is away until nothing after its cursor is kept.
      async () => {
        app.clock.advance(15 * DAY);
        await app.pulsekeep.workers.runUntilIdle();
      },
    ];
    for (let round = 0; round < 60; round++) {
      await write();
      if (random() < 0.3) await pick(mishaps)();
      if (random() < 0.5) await caughtUp();
      if (round % 20 === 19) {
        await caughtUp();
        expect(copy()).toEqual(await source());
      }
    }
    await app.admin('DELETE', '/accounts/ben');
    await app.settle();
    await caughtUp();
    expect(copy()).toEqual(await source());
    expect(mirror.dailySteps().length).toBeGreaterThan(0);
  });
});
