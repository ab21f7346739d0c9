import fc from 'fast-check';
import { HOUR } from '../../support/environment.js';
import { at, first, GoneWorld, iso, resource } from './support/gone-world.js';

/*
 * Whatever upstream inserts, changes, moves and deletes, and however messages, replays and pulls, whole and
 * interrupted, come between: after two quiet looks the store is equal to upstream, and nothing that upstream has, and
 * had when a look was made, is ever hidden.
 */

jest.setTimeout(240_000);

const RUNS = 12;
const hours = 5;
const hour = fc.nat(hours - 1);
const told = fc.boolean();
const step = fc.oneof(
  fc.record({ act: fc.constant('put' as const), hour, value: fc.integer({ min: 1, max: 9 }), told }),
  fc.record({ act: fc.constant('remove' as const), hour }),
  fc.record({ act: fc.constant('shift' as const), hour, seconds: fc.constantFrom(300, -300, 1_200, 3_600), told }),
  fc.record({ act: fc.constant('replay' as const), nth: fc.nat(20) }),
  fc.record({ act: fc.constant('look' as const), provider: fc.constantFrom('oura', '') }),
  fc.record({ act: fc.constant('interrupted' as const), kind: fc.constantFrom('status', 'expire_cursor', 'truncate') }),
  fc.record({ act: fc.constant('wait' as const), hours: fc.constantFrom(1, 7) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

class Run {
  /** Since when upstream has had each point that it has, by its start. */
  private readonly since = new Map<number, number>();

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
      await this.assertNothingHidden();
    }
  }

  async upstream(): Promise<string[]> {
    const { rows } = await this.world.app.sandbox.control.truth<{ start: string; value: number }>(
      this.world.userId,
      resource,
    );
    return rows.map(({ start, value }) => `${Date.parse(start)} ${value}`).sort();
  }

  async stored(): Promise<string[]> {
    const rows = await this.world.app.store.reader.rows<{ time: number; value: number }>('SELECT * FROM samples');
    return rows.map(({ time, value }) => `${time} ${value}`).sort();
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
    } else if (one.act === 'replay') {
      const { messages } = await control.messages({ event_type: `daily.data.${resource}` });
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
    const times = new Set((await this.upstream()).map((row) => Number(row.split(' ')[0])));
    for (const time of [...this.since.keys()]) if (!times.has(time)) this.since.delete(time);
    for (const time of times) if (!this.since.has(time)) this.since.set(time, this.world.app.clock.now());
  }

  private async assertNothingHidden(): Promise<void> {
    for (const { time, state, confirmed_at } of await this.world.missing()) {
      const since = this.since.get(time);
      if (since === undefined || (state !== 'gone' && state !== 'superseded')) continue;
      if ((confirmed_at ?? 0) > since) throw new Error(`${state}, although upstream has it: ${iso(time)}`);
    }
  }
}

it('ends equal to upstream, and hides nothing that upstream has', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const world = await GoneWorld.create();
      try {
        await world.app.sandbox.control.configure({ page_size: 2 });
        await world.put([...Array(hours).keys()]);
        const run = new Run(world);
        for (const one of steps) await run.take(one);
        await run.quiet();
        expect(await run.stored()).toEqual(await run.upstream());
      } finally {
        await world.close();
      }
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 180_000, endOnFailure: true },
  );
});
