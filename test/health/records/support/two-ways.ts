import type { Json } from '../../../../sandbox/control-client.js';
import { findSeries, SERIES_NAMES, SUMMARY_NAMES } from '../../../../sandbox/facts/catalogue.js';
import { catalogue } from '../../../../src/health/catalogue/catalogue.js';
import { PullRequests } from '../../../../src/ingest/pulls/pull-requests.service.js';
import { newAccountId } from '../../../support/environment.js';
import { TestApp } from '../../../support/test-app.js';
import type { Stored } from './same-form.js';

const provider = 'apple_health_kit';
const generated = [...SERIES_NAMES, ...SUMMARY_NAMES];
const hypnogram = 'hypnogram';
/** Requests of an operator by account and window. */
export const pulledByPage = catalogue.filter(({ pulled }) => pulled);

type ByResource<T> = ReadonlyMap<string, readonly T[]>;

/** Data at one instant: of each application, and of upstream. */
export interface Stand {
  readonly heard: ByResource<Stored>;
  readonly pulled: ByResource<Stored>;
  readonly truth: ByResource<Json>;
}

export interface SentEvent {
  readonly event_type: string;
  readonly data: Json & { readonly data?: readonly Json[] };
}

/**
 * Two applications and one user of one upstream: `hearer` has its webhooks and never pulls, `puller` pulls and is sent
 * nothing. Each holds what came by its own way alone.
 */
export class TwoWays {
  readonly account = newAccountId('two-ways');
  private constructor(
    readonly hearer: TestApp,
    readonly puller: TestApp,
  ) {}

  static async create(): Promise<TwoWays> {
    const puller = await TestApp.create({ sandbox: { seed: 'two-ways' } });
    const hearer = await TestApp.create({ upstream: puller.sandbox, clock: puller.clock });
    return new TwoWays(hearer, puller);
  }

  async close(): Promise<void> {
    await this.hearer.close();
    await this.puller.close();
  }

  /** Adds new upstream data of every resource; returns the upstream user. */
  async news(): Promise<string> {
    const { control } = this.puller.sandbox;
    const made = await this.puller.admin<{ user_id: string }>('POST', '/accounts', { account_id: this.account });
    const { user_id } = made.body;
    await control.connect({ user_id, provider, resources: generated });
    await this.wait(120);
    for (const resource of generated) {
      // Enough that points of one resource have more than one type, whatever upstream picks.
      const per_day = (findSeries(resource)?.types.length ?? 0) > 0 ? 15 : 5;
      await control.generate({ user_id, provider, resource, days: 2, per_day, notify: true });
    }
    await control.announceStream({ user_id });
    return user_id;
  }

  /** Upstream changes some of what it has of every resource. */
  async changes(user_id: string): Promise<void> {
    const { control } = this.puller.sandbox;
    // From here on points come as sparse as published examples show them.
    await control.configure({ sparse_points: true });
    for (const resource of generated) await control.edit({ user_id, resource, count: 3 });
    await control.announceStream({ user_id, points: 7 });
  }

  /** Lets each application do what it may, and looks at both. */
  async stand(userId: string): Promise<Stand> {
    await this.hear();
    await this.pull();
    const [heard, pulled] = [await this.recordsOf(this.hearer), await this.recordsOf(this.puller)];
    const truth = new Map<string, Json[]>();
    for (const { name } of catalogue) {
      truth.set(name, (await this.puller.sandbox.control.truth<Json>(userId, name)).rows);
    }
    await this.wait(1);
    return { heard, pulled, truth };
  }

  /** Delivers what was sent and works on it, but on no pull. */
  async hear(): Promise<void> {
    await this.hearer.sandbox.control.advance(0);
    await this.work(this.hearer, 'inbox');
    await this.work(this.hearer, 'owner-lookups');
    await this.work(this.hearer, 'inbox');
    await this.work(this.hearer, 'workout-series');
  }

  /** The health-data events sent so far, by resource of the catalogue. */
  async sent(): Promise<ByResource<SentEvent>> {
    const found = new Map<string, SentEvent[]>();
    const { messages } = await this.puller.sandbox.control.messages();
    for (const { id } of messages.filter(({ event_type }) => event_type.startsWith('daily.data.'))) {
      const event = JSON.parse((await this.puller.sandbox.control.message(id)).body) as SentEvent;
      const name = catalogue.find(({ eventName }) => eventName === event.event_type.split('.')[2])?.name ?? '';
      found.set(name, [...(found.get(name) ?? []), event]);
    }
    return found;
  }

  /** As an operator asks for it; the one that is not pulled any more is asked for underneath. */
  private async pull(): Promise<void> {
    const wish = { resources: pulledByPage.map(({ name }) => name), start: '2026-10-01' };
    await this.puller.admin('POST', `/accounts/${this.account}/sync`, wish);
    const { lane, reader } = this.puller.store;
    const row = await reader.row<{ id: number }>('SELECT id FROM accounts WHERE account_id = ?', [this.account]);
    const window = { start: Date.parse('2026-10-01'), end: this.puller.clock.now() };
    const asked = { account: row?.id ?? 0, provider: '', resource: hypnogram, origin: 'operator', ...window } as const;
    await lane.run((tx) => this.puller.get(PullRequests).request(tx, asked));
    await this.work(this.puller, 'pull');
  }

  private async work({ pulsekeep }: TestApp, name: string): Promise<void> {
    const loop = pulsekeep.workers.all().find((each) => each.name === name);
    if (!loop) throw new Error('there is no such worker');
    await loop.runUntilIdle();
  }

  private async recordsOf(app: TestApp): Promise<ByResource<Stored>> {
    const found = new Map<string, Stored[]>();
    for (const { name } of catalogue) {
      const path = `/accounts/${this.account}/records/${name}?limit=500`;
      found.set(name, (await app.admin<{ data: Stored[] }>('GET', path)).body.data);
    }
    return found;
  }

  private async wait(seconds: number): Promise<void> {
    this.puller.clock.advance(seconds * 1_000);
    await this.puller.sandbox.control.advance(seconds);
  }
}
