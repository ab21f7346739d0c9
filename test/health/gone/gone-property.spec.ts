import fc from 'fast-check';
import { PullWorker } from '../../../src/ingest/pulls/pull.worker.js';
import { HOUR } from '../../support/environment.js';
import type { TestApp } from '../../support/test-app.js';
import { at, day, first, GoneWorld, iso, resource } from './support/gone-world.js';

/*
 * Whatever upstream inserts, changes, moves and deletes, and however messages, replays and pulls, whole,
 * interrupted, resumed and killed, come between: after two quiet looks the store is equal to upstream, and nothing that
 * upstream has, and had when a look was made, is ever hidden.
 */

const RUNS = 7;
const hours = 5;
const hour = fc.nat(hours - 1);
const told = fc.boolean();
/** Long enough for leases to end and for an interrupted pull to go on. */
const A_WHILE_S = 1_200;
const DIED = 'died';
const step = fc.oneof(
  fc.record({ act: fc.constant('put' as const), hour, value: fc.integer({ min: 1, max: 9 }), told }),
  fc.record({ act: fc.constant('remove' as const), hour }),
  fc.record({ act: fc.constant('shift' as const), hour, seconds: fc.constantFrom(300, -300, 1_200, 3_600), told }),
  fc.record({ act: fc.constant('night' as const), night: fc.nat(2), told }),
  fc.record({ act: fc.constant('nights' as const) }),
  fc.record({ act: fc.constant('replay' as const), nth: fc.nat(20) }),
  fc.record({ act: fc.constant('look' as const), provider: fc.constantFrom('oura', '') }),
  fc.record({ act: fc.constant('interrupted' as const), kind: fc.constantFrom('status', 'expire_cursor', 'truncate') }),
  fc.record({ act: fc.constant('resumed' as const), hour }),
  fc.record({ act: fc.constant('killed' as const), steps: fc.nat(6), of: fc.constantFrom(resource, 'sleep') }),
  fc.record({ act: fc.constant('wait' as const), hours: fc.constantFrom(1, 7) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

class Run {
  /** Since when upstream has had each point and night that it has, by its start or id. */
  private readonly since = new Map<string, number>();

  constructor(private readonly world: GoneWorld) {}

  async take(one: Step): Promise<void> {
    await this.act(one);
    await this.world.wait(1);
    await this.follow();
    await this.assertNothingHidden();
  }

  /** Two looks with nothing between them but the time that a confirmation takes. */
  async quiet(): Promise<void> {
    for (let look = 0; look < 2; look++) {
      await this.world.app.advance(7 * 3_600);
      await this.world.look();
      await this.lookAtNights();
      await this.assertNothingHidden();
    }
  }

  async upstream(): Promise<string[]> {
    const { control } = this.world.app.sandbox;
    const { rows } = await control.truth<{ start: string; value: number }>(this.world.userId, resource);
    const points = rows.map(({ start, value }) => `${Date.parse(start)} ${value}`);
    return [...points, ...(await this.nights()).map(({ id }) => id)].sort();
  }

  async stored(): Promise<string[]> {
    const rows = await this.world.app.store.reader.rows<{ time: number; value: number }>('SELECT * FROM samples');
    const nights = await this.world.app.store.reader.rows<{ id: string }>('SELECT summary_id AS id FROM summaries');
    return [...rows.map(({ time, value }) => `${time} ${value}`), ...nights.map(({ id }) => id)].sort();
  }

  private async nights(): Promise<{ id: string; bedtime_start: string }[]> {
    const { rows } = await this.world.app.sandbox.control.truth<{ id: string; bedtime_start: string }>(
      this.world.userId,
      'sleep',
    );
    return rows;
  }

  private lookAtNights(): Promise<void> {
    return this.world.look({ resource: 'sleep', start: first - 20 * day });
  }

  /** Upstream has a night no more, or has it under a new id. */
  private async toggle(night: number, notify: boolean): Promise<void> {
    const { control } = this.world.app.sandbox;
    const start = first + (night - 10) * day;
    const known = (await this.nights()).find(({ bedtime_start }) => Date.parse(bedtime_start) === start);
    const place = { user_id: this.world.userId, provider: 'oura', resource: 'sleep' };
    if (known) await control.remove({ ...place, summary_id: known.id });
    else {
      const object = { bedtime_start: iso(start), bedtime_stop: iso(start + 8 * HOUR), source_type: 'ring' };
      await control.put({ ...place, summaries: [object], notify });
    }
  }

  /** The process dies after some of its transactions; another begins once the leases ended. */
  private async killed(steps: number, of: string): Promise<void> {
    const { app } = this.world;
    await live(app, steps);
    await (of === 'sleep' ? this.lookAtNights() : this.world.look()).catch(assertDied);
    await live(app, -1);
    await app.wait(A_WHILE_S);
    // The round ended with the first failure; those of pulls beside it are reported by the next one.
    await app.run(PullWorker).catch(assertDied);
  }

  private async act(one: Step): Promise<void> {
    const { app, userId } = this.world;
    const { control } = app.sandbox;
    if (one.act === 'put') {
      const points = [{ start: iso(at(one.hour)), end: iso(at(one.hour) + HOUR / 6), value: one.value }];
      await control.put({ user_id: userId, provider: 'oura', resource, points, notify: one.told });
    } else if (one.act === 'remove') {
      await this.world.remove([one.hour]);
    } else if (one.act === 'shift') {
      const range = { start: iso(at(one.hour)), end: iso(at(one.hour + 1)) };
      await control.shift({ user_id: userId, resource, ...range, seconds: one.seconds, notify: one.told });
    } else if (one.act === 'night') {
      await this.toggle(one.night, one.told);
    } else if (one.act === 'nights') {
      await this.lookAtNights();
    } else if (one.act === 'killed') {
      await this.killed(one.steps, one.of);
    } else if (one.act === 'resumed') {
      await control.fault({ kind: 'status', path: '/v2/timeseries', times: 1, skip: 1 });
      await this.world.look();
      await control.clearFaults();
      await this.world.remove([one.hour]);
      await app.wait(A_WHILE_S);
    } else if (one.act === 'replay') {
      const { messages } = await control.messages({ event_type: 'daily.data.' });
      const message = messages[one.nth % Math.max(messages.length, 1)];
      if (message) await control.send({ raw: (await control.message(message.id)).body });
    } else if (one.act === 'look') {
      await this.world.look({ provider: one.provider, start: first - 48 * HOUR });
    } else if (one.act === 'interrupted') {
      await control.fault({ kind: one.kind, path: '/v2/timeseries', times: 1, skip: 1 });
      await this.world.look();
      await control.clearFaults();
    } else {
      await app.wait(one.hours * 3_600);
    }
    if (one.act !== 'wait') await app.settle();
  }

  private async follow(): Promise<void> {
    const now = new Set((await this.upstream()).map((row) => row.split(' ')[0] ?? ''));
    for (const name of [...this.since.keys()]) if (!now.has(name)) this.since.delete(name);
    for (const name of now) if (!this.since.has(name)) this.since.set(name, this.world.app.clock.now());
  }

  private async assertNothingHidden(): Promise<void> {
    for (const { time, summary_id, state, confirmed_at } of await this.world.missing()) {
      const since = this.since.get(summary_id || String(time));
      if (since === undefined || (state !== 'gone' && state !== 'superseded')) continue;
      if ((confirmed_at ?? 0) > since) throw new Error(`${state}, although upstream has it: ${iso(time)}`);
    }
  }
}

function assertDied(error: unknown): void {
  if (!(error instanceof Error && error.message === DIED)) throw error;
}

/** No transaction about pulls and missing records commits after so many; all do where the number is negative. */
async function live(app: TestApp, steps: number): Promise<void> {
  await app.store.lane.run((tx) => tx.execute('UPDATE lives SET left_over = ?', [steps]));
}

const mortals = [
  ['UPDATE', 'sync_tasks'],
  ['INSERT', 'missing_records'],
] as const;

const sqliteTriggers = mortals.flatMap(([event, table]) => [
  `CREATE TRIGGER ${table}_die BEFORE ${event} ON ${table} WHEN (SELECT left_over FROM lives) = 0
   BEGIN SELECT RAISE(ABORT, '${DIED}'); END`,
  `CREATE TRIGGER ${table}_live AFTER ${event} ON ${table} BEGIN UPDATE lives SET left_over = left_over - 1; END`,
]);

const postgresTriggers = [
  `CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF (SELECT left_over FROM lives) = 0 THEN RAISE EXCEPTION '${DIED}'; END IF; RETURN NEW; END $$`,
  `CREATE FUNCTION live() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     UPDATE lives SET left_over = left_over - 1; RETURN NEW; END $$`,
  ...mortals.flatMap(([event, table]) => [
    `CREATE TRIGGER ${table}_die BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION die()`,
    `CREATE TRIGGER ${table}_live AFTER ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION live()`,
  ]),
];

async function mortal(app: TestApp): Promise<void> {
  const triggers = app.database.config.kind === 'sqlite' ? sqliteTriggers : postgresTriggers;
  await app.store.lane.run(async (tx) => {
    await tx.execute('CREATE TABLE lives (left_over integer NOT NULL)');
    await tx.execute('INSERT INTO lives VALUES (-1)');
    for (const sql of triggers) await tx.execute(sql);
  });
}

it('ends equal to upstream, and hides nothing that upstream has', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const world = await GoneWorld.create();
      try {
        await world.app.sandbox.control.configure({ page_size: 2 });
        await mortal(world.app);
        await world.put([...Array(hours).keys()]);
        const run = new Run(world);
        for (const one of steps) await run.take(one);
        await run.quiet();
        expect(await run.stored()).toEqual(await run.upstream());
      } finally {
        await world.close();
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
