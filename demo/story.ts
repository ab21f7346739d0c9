import type { HistoryOptions } from '../sandbox/users/user.js';
import type { World } from './world.js';
import { accounts, historyDays, providers, resources } from './world.js';

export interface DemoAccount {
  readonly account_id: string;
  readonly user_id: string;
  readonly provider: string;
}

/** Twenty users open the app for the first time: sign-in token, link token, connected source, reported outcome. */
export async function signUp(world: World): Promise<DemoAccount[]> {
  return Promise.all(Array.from({ length: accounts }, (_, index) => signUpOne(world, index)));
}

/** Account of person number `index`, from 0. */
export const accountName = (index: number): string => `demo-user-${String(index + 1).padStart(2, '0')}`;

export interface FirstConnection {
  readonly resources: readonly string[];
  /** Samples a day of each series. */
  readonly per_day: number;
  /** Include today's data so far. */
  readonly so_far: boolean;
  /** Offset of the person's clock from UTC in seconds. */
  readonly utc_offset?: number;
}

/** Resources that apps commonly show. */
export const usualResources = [
  'sleep',
  'sleep_cycle',
  'activity',
  'workouts',
  'steps',
  'heartrate',
  'blood_pressure',
  'mindfulness_minutes',
];

/** Signs up one of these users; number 0 has the account `demo-user-01`. */
export async function signUpOne(
  world: Pick<World, 'app' | 'control'>,
  index: number,
  first?: FirstConnection,
): Promise<DemoAccount> {
  const account_id = accountName(index);
  const provider = providers[index % providers.length] ?? providers[0];
  const app = await world.app(account_id);
  const login = await app.post<{ user_id: string }>('/v1/me/sign-in-token', { installation_id: `phone-${index}` });
  const link = await app.post<{ link_token: string; link_attempt_id: string }>('/v1/me/link-token', { provider });
  await world.control.link({
    link_token: link.data.link_token,
    provider,
    history: historyOf(first),
    ...(first && { resources: [...first.resources] }),
    pulls: { sleep: { retries: index % 5 === 0 && !first ? 1 : 0 } },
  });
  await app.post('/v1/me/link-outcomes', { link_attempt_id: link.data.link_attempt_id, outcome: 'success' });
  return { account_id, user_id: login.data.user_id, provider };
}

export function historyOf(first?: Omit<FirstConnection, 'resources'>): HistoryOptions {
  const { per_day = 4, so_far = false, utc_offset } = first ?? {};
  return { days: historyDays, per_day, so_far, ...(utc_offset === undefined ? {} : { utc_offset }) };
}

/** After the history: new data and late edits of old data, signed with the rotated secret. */
export async function liveOn(world: World, people: readonly DemoAccount[]): Promise<void> {
  await world.control.rotateSecret(world.nextWebhookSecret);
  for (const { user_id, provider } of people) {
    for (const resource of resources) {
      await world.control.generate({ user_id, provider, resource, days: 1, per_day: 4, notify: true });
      await world.control.edit({ user_id, resource, count: 2, notify: true });
    }
  }
}

export interface Redraw {
  readonly order_transaction_id: string;
  readonly initial: string;
  readonly redraw: string;
}

/** A lab loses a sample: the redraw arrives before the initial order announces it, and is then completed. */
export async function redraw(world: World, person: DemoAccount): Promise<Redraw> {
  const { order } = await world.control.createOrder({ user_id: person.user_id });
  await world.control.walkOrder(order.id, { to: 'requisition_created' });
  const { redraw: second } = await world.control.redraw(order.id, { redraw_first: true });
  await world.control.walkOrder(second.id);
  return { order_transaction_id: order.order_transaction.id, initial: order.id, redraw: second.id };
}
