import { setTimeout as pause } from 'node:timers/promises';
import type { DemoAccount } from './story.js';
import { resources, type World } from './world.js';

/*
 * Events after the history is stored: an example of everything that the console shows. Then data arrives until
 * the demo ends.
 */

/** Number of the person with a year of data. */
const PORTRAYED = 6;
const DAY_MS = 86_400_000;

/** For the story, the service pulls more resources than the demo compares, and a year back. */
export const storyEnvironment = {
  SYNC_RESOURCES: [...resources, 'activity', 'steps', 'heartrate'].join(','),
  SYNC_BACKFILL_DAYS: '365',
  SYNC_INTERVAL_SECONDS: '120',
};

/** Runs each action separately, so that a failure does not affect the others. */
export async function fleetStory(world: World, people: readonly DemoAccount[]): Promise<void> {
  const person = (index: number): DemoAccount => {
    const found = people[index];
    if (!found) throw new Error(`person ${index} did not sign up`);
    return found;
  };
  await yearOf(world, person(PORTRAYED));
  await nightAndNap(world, person(4));
  await twoWatches(world, person(2));
  await successor(world, person(1));
  await world.control.breakConnection({ ...sourceOf(person(10)), error_type: 'token_refresh_failed' });
  await orders(world, people);
  await poisonedMessage(world, person(11));
}

const sourceOf = ({ user_id, provider }: DemoAccount): { user_id: string; provider: string } => ({ user_id, provider });

/** Start and end of periods with data, in days before today; the source has no other data. */
const year: Readonly<Record<string, Readonly<Record<string, readonly (readonly [begin: number, end: number])[]>>>> = {
  oura: {
    sleep: [
      [358, 301],
      [298, 240],
      [237, 119],
      [117, 60],
      [57, 0],
    ],
    activity: [
      [358, 262],
      [255, 119],
      [117, 0],
    ],
    heartrate: [
      [357, 201],
      [199, 61],
      [57, 0],
    ],
  },
  withings: {
    blood_pressure: Array.from({ length: 51 }, (_, week) => [week * 7 + 3, week * 7 + 2] as const).reverse(),
  },
  fitbit: {
    sleep: [
      [230, 190],
      [184, 56],
    ],
    activity: [[230, 56]],
  },
};

/** A year of several sources: complete, with gaps, weekly, ended, and refused by the provider. */
async function yearOf({ control }: World, { user_id }: DemoAccount): Promise<void> {
  const now = Date.now();
  for (const [provider, resources] of Object.entries(year)) {
    for (const [resource, stretches] of Object.entries(resources)) {
      for (const [begin, end] of stretches) {
        const until = new Date(now - end * DAY_MS).toISOString();
        await control.generate({ user_id, provider, resource, days: begin - end, per_day: 1, end: until });
      }
    }
    await control.connect({
      user_id,
      provider,
      resources: [...Object.keys(resources), ...(provider === 'fitbit' ? ['steps'] : [])],
      pulls: { steps: { outcome: 'failure', error: 'the provider returned 403' } },
    });
  }
}

/** A night and a nap on each of the last days, so two records of the same calendar date. */
async function nightAndNap({ control }: World, person: DemoAccount): Promise<void> {
  await control.generate({ ...sourceOf(person), resource: 'sleep', days: 5, per_day: 2, notify: true });
}

/** Two watches count the same steps. */
async function twoWatches({ control }: World, { user_id }: DemoAccount): Promise<void> {
  for (const [provider, per_day] of [
    ['garmin', 8],
    ['oura', 6],
  ] as const) {
    if (provider === 'oura') await control.connect({ user_id, provider, resources: ['steps', 'activity'] });
    for (const resource of ['steps', 'activity']) {
      const times = resource === 'steps' ? per_day : 1;
      await control.generate({ user_id, provider, resource, days: 14, per_day: times, notify: true });
    }
  }
}

/** A person with a retired provider connects its successor; the others have not yet. */
async function successor({ control }: World, { user_id }: DemoAccount): Promise<void> {
  await control.connect({ user_id, provider: 'google_health', history: { days: 20, per_day: 2 } });
}

/** A redraw of an uninformed patient, a replaced order, a critical result, and a result that waits for a decision. */
async function orders({ control }: World, people: readonly DemoAccount[]): Promise<void> {
  const [lost, replaced, critical, first, second] = await Promise.all(
    [3, 7, 8, 9, 13].map(async (index) => {
      const { order } = await control.createOrder({ user_id: people[index]?.user_id ?? '' });
      return order.id;
    }),
  );
  if (!lost || !replaced || !critical || !first || !second) throw new Error('an order was not placed');
  await control.walkOrder(lost, { to: 'requisition_created' });
  await control.redraw(lost, {});
  await control.recreate(replaced);
  await control.walkOrder(critical);
  await control.critical(critical);
  for (const order of [first, second]) await control.walkOrder(order, { to: 'requisition_created' });
  await control.createUnmatchedResult({ order_ids: [first, second] });
}

/** A message that no attempt can store. */
async function poisonedMessage({ control }: World, { user_id }: DemoAccount): Promise<void> {
  await control.send({ event_type: 'daily.data.sleep.created', user_id, data: { source: 7, id: null } });
}

/** Upstream fails for a minute: the service waits, an alarm is raised and cleared, and missed data is pulled. */
export async function outage(
  world: World,
  people: readonly DemoAccount[],
  seconds: number,
  ended: AbortSignal,
): Promise<void> {
  const from = new Date().toISOString();
  await world.control.configureWebhooks({ paused: true });
  await world.control.fault({ kind: 'status', status: 503, path: '/' });
  // The next calls make the service notice it.
  const calls = people
    .slice(0, 5)
    .map(({ account_id }) => world.admin().post(`/admin/v1/accounts/${account_id}/sync`, {}));
  await Promise.all(calls);
  await pause(seconds * 1000, undefined, { signal: ended }).catch(() => undefined);
  if (ended.aborted) return;
  await world.control.clearFaults('status');
  await world.control.configureWebhooks({ paused: false });
  await world.admin().post('/admin/v1/sync/recover', { from, to: new Date().toISOString() });
}

/** One device uploads every few seconds until the demo ends. */
export async function liveFleet(world: World, people: readonly DemoAccount[], ended: AbortSignal): Promise<void> {
  for (let round = 0; !ended.aborted; round++) {
    const person = people[(round * 7) % people.length];
    if (person) await upload(world, person, round);
    await pause(3_000, undefined, { signal: ended }).catch(() => undefined);
  }
}

async function upload({ control }: World, person: DemoAccount, round: number): Promise<void> {
  const start = new Date(Date.now() - 600_000).toISOString();
  await control.put({
    ...sourceOf(person),
    resource: 'mindfulness_minutes',
    points: [{ start, value: 3 + (round % 9) }],
  });
  if (round % 5 === 4) await control.edit({ user_id: person.user_id, resource: 'sleep', notify: true });
}
