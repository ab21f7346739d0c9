import { PullRequests } from '../../../../src/ingest/pulls/pull-requests.service.js';
import { type Environment, HOUR, START } from '../../../support/environment.js';
import { TestApp, type TestAppOptions } from '../../../support/test-app.js';

export const resource = 'mindfulness_minutes';
export const day = 24 * HOUR;
export const iso = (ms: number): string => new Date(ms).toISOString();

/** The start of the data of these tests: a point each hour, of ten minutes. */
export const first = START - 3 * day;
export const at = (hours: number): number => first + hours * HOUR;

interface Row {
  readonly time: string;
  readonly value?: number;
}

export interface MissingRow {
  readonly time: number;
  /** Empty for samples. */
  readonly summary_id: string;
  readonly state: string;
  readonly provider: string;
  readonly seen_by: number;
  readonly missed_by: number | null;
  readonly confirmed_by: number | null;
  readonly missed_at: number | null;
  readonly confirmed_at: number | null;
  readonly look_due_at: number | null;
  readonly records: string | null;
}

/** A person with a source whose data upstream changes silently. */
export class GoneWorld {
  private constructor(
    readonly app: TestApp,
    readonly userId: string,
    readonly account: number,
    private readonly env: Environment,
  ) {}

  static async create(options: TestAppOptions = {}): Promise<GoneWorld> {
    const env = { SYNC_RESOURCES: `sleep,${resource}`, SYNC_BACKFILL_DAYS: '10', ...options.env };
    const app = await TestApp.create({ sandbox: { seed: 'gone' }, ...options, env });
    const login = await app.as<{ user_id: string }>('person', 'POST', '/me/sign-in-token', {});
    const userId = login.body.user_id;
    await app.sandbox.control.connect({ user_id: userId, provider: 'oura' });
    await app.settle();
    await app.advance(3_600);
    const [row] = await app.store.reader.rows<{ id: number }>('SELECT id FROM accounts');
    return new GoneWorld(app, userId, row?.id ?? 0, env);
  }

  /** New points of so many hours after the first, announced by events unless `notify` is false. */
  async put(hours: readonly number[], notify = true): Promise<void> {
    const points = hours.map((hour) => ({ start: iso(at(hour)), end: iso(at(hour) + HOUR / 6), value: hour + 1 }));
    await this.app.sandbox.control.put({ user_id: this.userId, provider: 'oura', resource, points, notify });
    await this.app.settle();
    await this.wait(1);
  }

  /** Upstream deletes the points of some hours. */
  async remove(hours: readonly number[]): Promise<void> {
    for (const hour of hours) {
      const range = { start: iso(at(hour)), end: iso(at(hour + 1)) };
      await this.app.sandbox.control.remove({ user_id: this.userId, resource, ...range });
    }
  }

  /** Pulls a window, from an hour before the first point to now unless another is given. */
  async look(given: { provider?: string; start?: number; end?: number; resource?: string } = {}): Promise<void> {
    const window = { start: first - HOUR, end: this.app.clock.now() };
    const request = { account: this.account, provider: 'oura', resource, origin: 'operator', ...window } as const;
    await this.app.store.lane.run((tx) => this.app.get(PullRequests).request(tx, { ...request, ...given }));
    await this.app.settle();
    await this.wait(1);
  }

  /** Moves both clocks without any work here. */
  wait(seconds: number): Promise<void> {
    return this.app.wait(seconds);
  }

  /** Hours of the points that readers are shown. */
  async hours(): Promise<number[]> {
    const { body } = await this.app.as<{ data: Row[] }>('person', 'GET', `/me/records/${resource}?limit=500`);
    return body.data.map(({ time }) => (Date.parse(time) - first) / HOUR);
  }

  missing(): Promise<MissingRow[]> {
    return this.app.store.reader.rows('SELECT * FROM missing_records ORDER BY time, summary_id');
  }

  /** Hours and states of the rows about missing records. */
  async states(): Promise<string[]> {
    return (await this.missing()).map(({ time, state }) => `${(time - first) / HOUR} ${state}`);
  }

  /** The same database and upstream, served with another DELETIONS. */
  async with(DELETIONS: string): Promise<GoneWorld> {
    const env = { ...this.env, DELETIONS };
    return new GoneWorld(await this.app.another({ env }), this.userId, this.account, env);
  }

  close(): Promise<void> {
    return this.app.close();
  }
}
