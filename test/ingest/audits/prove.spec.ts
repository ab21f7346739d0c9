// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { proofFrom, verifyProof, verifyReport } from '../../../src/operations/audit-reports/report-file.js';
import { VerifyingKey } from '../../../src/platform/config/signing-keys.js';
import { DAY } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

/*
 * The proof of everything (docs/reliability.md#the-proof): people whose data comes by a bad road, audits that prove
 * every day, a report about it, and faults planted in the rows by hand, each of which the next audits find, name and
 * repair. `npm run prove` takes PROVE_PEOPLE and PROVE_DAYS from the environment.
 */
const people = Array.from({ length: Number(process.env['PROVE_PEOPLE'] ?? 4) }, (_, index) => `person ${index}`);
const days = Number(process.env['PROVE_DAYS'] ?? 10);
const resources = ['sleep', 'steps', 'glucose', 'insulin_injection', 'blood_pressure'];
const providers = ['apple_health_kit', 'health_connect'] as const;
const samples = resources.slice(1);

interface Audit {
  readonly audit_id: number;
  readonly state: string;
  readonly days_total: number;
  readonly days_compared: number;
  readonly proven: number;
  readonly calls: number;
}

interface Proof {
  readonly resource: string;
  readonly day: string;
  readonly state: string;
  readonly cause: string | null;
  readonly differences: { readonly missing: number; readonly extra: number; readonly different: number };
}

/** `PERSON RESOURCE DAY` of each day that a planted fault touches. */
type Touched = string;

describe('the proof of everything', () => {
  const keys = generateKeyPairSync('ed25519');
  const signing = keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const users = new Map<string, string>();
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create({
      sandbox: { seed: 'prove' },
      env: {
        SYNC_RESOURCES: resources.join(),
        SYNC_BACKFILL_DAYS: String(days + 2),
        DELETION_CONFIRM_HOURS: '1',
        AUDIT_REPORT_KEYS: signing,
      },
    });
    const { control } = app.sandbox;
    await control.fault({ kind: 'lose', rate: 0.05, seed: 'lose' });
    await control.fault({ kind: 'duplicate', rate: 0.3, seed: 'duplicate' });
    await control.fault({ kind: 'shuffle', seed: 'shuffle' });
    for (const [index, person] of people.entries()) await measure(person, providers[index % 2] ?? providers[0]);
    await app.settle();
    for (const user_id of users.values()) {
      for (const resource of samples)
        await control.edit({ user_id, resource, count: 3, notify: resource !== 'glucose' });
      await control.remove({ user_id, resource: 'glucose', start: isoAt(5), end: isoAt(4.5) });
    }
    await app.advance(3_600, 2);
    await control.clearFaults();
    await app.advance(7_200, 2);
  });

  afterAll(() => app.close());

  const isoAt = (daysAgo: number): string => new Date(app.clock.now() - daysAgo * DAY).toISOString();
  const dateAt = (daysAgo: number): string => isoAt(daysAgo).slice(0, 10);

  async function measure(person: string, provider: string): Promise<void> {
    const { body } = await app.as<{ user_id: string }>(person, 'POST', '/me/sign-in-token', {});
    const { user_id } = body;
    users.set(person, user_id);
    await app.sandbox.control.connect({ user_id, provider, resources });
    for (const resource of resources) {
      await app.sandbox.control.generate({ user_id, provider, resource, days, per_day: 6, notify: true });
    }
  }

  /** Audits everybody to the end. */
  async function audited(): Promise<Audit[]> {
    const range = { first_day: dateAt(days - 1), last_day: dateAt(1) };
    const begun = await Promise.all(
      people.map(async (account_id) => (await app.admin<Audit>('POST', '/audits', { account_id, ...range })).body),
    );
    for (let hour = 0; hour < 24; hour++) {
      await app.advance(1_800, 2);
      const now = await Promise.all(begun.map(({ audit_id }) => app.admin<Audit>('GET', `/audits/${audit_id}`)));
      if (now.every(({ body }) => body.state === 'done')) return now.map(({ body }) => body);
    }
    throw new Error('The audits do not end.');
  }

  const proofsOf = async (person: string): Promise<Proof[]> => {
    const path = `/accounts/${encodeURIComponent(person)}/proofs`;
    const proofs: Proof[] = [];
    for (let cursor = ''; ; ) {
      const query = `?limit=500${cursor && `&cursor=${cursor}`}`;
      const { body } = await app.admin<{ data: Proof[]; next_cursor: string | null }>('GET', `${path}${query}`);
      proofs.push(...body.data);
      if (body.next_cursor === null) return proofs;
      cursor = body.next_cursor;
    }
  };

  const rows = <T>(sql: string, values: (string | number)[]): Promise<T[]> => app.store.reader.rows<T>(sql, values);
  const execute = (sql: string, values: (string | number)[]): Promise<number> =>
    app.store.lane.run((tx) => tx.execute(sql, values));

  async function sampleOf(person: string, resource: string, daysAgo: number) {
    const start = Date.parse(dateAt(daysAgo));
    const [found] = await rows<{ series_id: number; time: number; sibling: number }>(
      `SELECT p.series_id, p.time, p.sibling FROM samples p JOIN series s ON s.id = p.series_id
       JOIN accounts a ON a.id = s.account_id WHERE a.account_id = ? AND s.resource = ? AND p.time >= ? AND p.time < ?
       ORDER BY p.time, p.sibling LIMIT 1`,
      [person, resource, start, start + DAY],
    );
    if (!found) throw new Error(`${person} has no ${resource} then.`);
    const where = 'series_id = ? AND time = ? AND sibling = ?';
    return { where, values: [found.series_id, found.time, found.sibling] };
  }

  async function nightOf(person: string, daysAgo: number) {
    const start = Date.parse(dateAt(daysAgo));
    const [found] = await rows<{ account_id: number; summary_id: string }>(
      `SELECT s.account_id, s.summary_id FROM summaries s JOIN accounts a ON a.id = s.account_id
       WHERE a.account_id = ? AND s.resource = 'sleep' AND s.time >= ? AND s.time < ? ORDER BY s.time LIMIT 1`,
      [person, start, start + DAY],
    );
    return found && { where: 'account_id = ? AND summary_id = ?', values: [found.account_id, found.summary_id] };
  }

  /** Rows changed, removed, added and moved by hand; each answers the days that it touches. */
  const faults: readonly ((person: string, other: string, ago: number, resource: string) => Promise<Touched[]>)[] = [
    async (person, _, ago, resource) => {
      const { where, values } = await sampleOf(person, resource, ago);
      const column = resource === 'blood_pressure' ? `text_value = '1'` : 'value = value + 1';
      await execute(`UPDATE samples SET ${column} WHERE ${where}`, values);
      return [`${person} ${resource} ${dateAt(ago)}`];
    },
    async (person, _, ago, resource) => {
      const { where, values } = await sampleOf(person, resource, ago);
      await execute(`DELETE FROM samples WHERE ${where}`, values);
      return [`${person} ${resource} ${dateAt(ago)}`];
    },
    async (person, _, ago, resource) => {
      const { where, values } = await sampleOf(person, resource, ago);
      const columns = 'series_id, time + 1, sibling, value, text_value, duration_ms, group_id';
      await execute(`INSERT INTO samples SELECT ${columns} FROM samples WHERE ${where}`, values);
      return [`${person} ${resource} ${dateAt(ago)}`];
    },
    async (person, _, ago, resource) => {
      const { where, values } = await sampleOf(person, resource, ago);
      await execute(`UPDATE samples SET time = time + ${DAY + 7} WHERE ${where}`, values);
      return [`${person} ${resource} ${dateAt(ago)}`, `${person} ${resource} ${dateAt(ago - 1)}`];
    },
    async (person, _, ago) => {
      const night = await nightOf(person, ago);
      if (!night) return [];
      await execute(
        `UPDATE summaries SET raw = REPLACE(raw, '"duration":', '"duration":1') WHERE ${night.where}`,
        night.values,
      );
      return [`${person} sleep ${dateAt(ago)}`];
    },
    async (person, other, ago) => {
      const night = await nightOf(person, ago);
      // Nobody who got one gives one away, or it might be the same.
      if (!night || people.indexOf(person) % 4 >= 2) return [];
      const to = '(SELECT id FROM accounts WHERE account_id = ?)';
      await execute(`UPDATE summaries SET account_id = ${to} WHERE ${night.where}`, [other, ...night.values]);
      return [`${person} sleep ${dateAt(ago)}`, `${other} sleep ${dateAt(ago)}`];
    },
  ];

  async function everyDayIsProven(): Promise<void> {
    for (const { days_total, proven } of await audited()) expect(proven).toBe(days_total);
    const all = (await Promise.all(people.map(proofsOf))).flat();
    expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['proven']));
    expect(all.length).toBeGreaterThan(people.length * resources.length * (days - 4));
    expect(all.map(({ cause }) => cause)).not.toContain('mapping');
    expect(all.map(({ cause }) => cause)).not.toContain('lost');
  }

  async function theReportVerifies(): Promise<void> {
    const key = new VerifyingKey(createPublicKey(signing));
    const path = `/audit-report?first_day=${dateAt(days)}&last_day=${dateAt(1)}`;
    const lines = (await app.admin<string>('GET', path)).body.trimEnd().split('\n');
    const count = (await Promise.all(people.map(proofsOf))).flat().length;
    expect(await verifyReport(lines, [key])).toMatchObject({ leaves: count, accounts: people.length });
    const proof = await proofFrom(lines, ({ day }) => day === dateAt(4));
    expect(proof?.days.length).toBeGreaterThanOrEqual(people.length);
    expect(proof && verifyProof(proof, [key])).toMatchObject({ leaves: count });
  }

  async function plantedFaultsAreFound(): Promise<void> {
    const touched: Touched[] = [];
    for (const [index, person] of people.entries()) {
      // Of the same source.
      const other = people[(index + 2) % people.length] ?? person;
      for (const [kind, plant] of faults.entries()) {
        // Each on a day of its own, and of another table.
        const resource = samples[(index + kind) % samples.length] ?? 'steps';
        touched.push(...(await plant(person, other, 4 + (kind % 3), resource)));
      }
    }
    expect(touched.length).toBeGreaterThan(people.length * 5);
    const audits = await audited();
    for (const { days_total, proven } of audits) expect(proven).toBe(days_total);
    const found: string[] = [];
    for (const person of people) {
      const own = (await proofsOf(person)).filter(({ cause }) => cause !== null);
      const others = own.filter(({ cause, state }) => cause !== 'lost' || state !== 'proven');
      expect(others).toEqual([]);
      for (const { differences } of own) {
        expect(differences.missing + differences.extra + differences.different).toBeGreaterThan(0);
      }
      found.push(...own.map(({ resource, day }) => `${person} ${resource} ${day}`));
    }
    expect([...new Set(found)].sort()).toEqual(expect.arrayContaining([...new Set(touched)].sort()));
  }

  it('proves every day, signs a report about it, and finds, names and repairs faults planted by hand', async () => {
    await everyDayIsProven();
    await theReportVerifies();
    await plantedFaultsAreFound();
  });
});
