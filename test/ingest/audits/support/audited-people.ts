import { HOUR } from '../../../support/environment.js';
import { TestApp } from '../../../support/test-app.js';

export const DAY = 24 * HOUR;
export const provider = 'apple_health_kit';

export interface Audit {
  readonly audit_id: number;
  readonly account_id: string;
  readonly state: string;
  readonly days_total: number;
  readonly days_compared: number;
  readonly proven: number;
  readonly repairing: number;
  readonly calls: number;
}

export interface Proof {
  readonly resource: string;
  readonly day: string;
  readonly state: string;
  readonly proven_at: string | null;
}

/** People with six days of data of some resources, and audits of them. */
export class AuditedPeople {
  private constructor(
    readonly app: TestApp,
    readonly resources: readonly string[],
    /** Upstream's ids. */
    readonly users: ReadonlyMap<string, string>,
  ) {}

  static async create(
    people: readonly string[],
    resources: readonly string[],
    more: Record<string, string> = {},
  ): Promise<AuditedPeople> {
    const env = { SYNC_RESOURCES: resources.join(), SYNC_BACKFILL_DAYS: '8', ...more };
    const app = await TestApp.create({ sandbox: { seed: 'audited people' }, env });
    const users = new Map<string, string>();
    for (const person of people) {
      const { user_id } = (await app.as<{ user_id: string }>(person, 'POST', '/me/sign-in-token', {})).body;
      users.set(person, user_id);
      await app.sandbox.control.connect({ user_id, provider, resources: [...resources] });
      for (const resource of resources) {
        await app.sandbox.control.generate({ user_id, provider, resource, days: 6, per_day: 3, notify: true });
      }
    }
    await app.settle();
    await app.advance(3_600, 2);
    return new AuditedPeople(app, resources, users);
  }

  dateAt(daysAgo: number): string {
    return new Date(this.app.clock.now() - daysAgo * DAY).toISOString().slice(0, 10);
  }

  async request(account_id: string, options: object = {}): Promise<number> {
    const days = { first_day: this.dateAt(6), last_day: this.dateAt(1) };
    return (await this.app.admin<Audit>('POST', '/audits', { account_id, ...days, ...options })).body.audit_id;
  }

  async read(id: number): Promise<Audit> {
    return (await this.app.admin<Audit>('GET', `/audits/${id}`)).body;
  }

  /** Newest first. */
  async list(): Promise<Audit[]> {
    return (await this.app.admin<{ data: Audit[] }>('GET', '/audits?limit=200')).body.data;
  }

  /** Requests an audit and waits for its end. */
  async audit(account_id: string, options: object = {}): Promise<Audit> {
    const id = await this.request(account_id, options);
    for (let minute = 0; minute < 30; minute++) {
      await this.app.advance(60);
      const now = await this.read(id);
      if (now.state === 'done') return now;
    }
    throw new Error('The audit does not end.');
  }

  async proofs(account_id: string): Promise<Proof[]> {
    return (await this.app.admin<{ data: Proof[] }>('GET', `/accounts/${account_id}/proofs?limit=500`)).body.data;
  }

  async provenResources(account_id: string): Promise<string[]> {
    const proven = (await this.proofs(account_id)).filter(({ state }) => state === 'proven');
    return [...new Set(proven.map(({ resource }) => resource))];
  }

  execute(sql: string, values: (string | number)[] = []): Promise<number> {
    return this.app.store.lane.run((tx) => tx.execute(sql, values));
  }

  /** Time of the first sample of a resource that is so many days old, in SQL. */
  firstTime(resource: string, daysAgo: number): string {
    return `(SELECT MIN(p.time) FROM samples p JOIN series s ON s.id = p.series_id WHERE s.resource = '${resource}'
      AND p.time > ${this.app.clock.now() - daysAgo * DAY})`;
  }
}
