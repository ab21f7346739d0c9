// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { proofFrom, verifyProof, verifyReport } from '../../../src/operations/audit-reports/report-file.js';
import { VerifyingKey } from '../../../src/platform/config/signing-keys.js';
import { childEnvironment } from '../../support/child-env.js';
import { ChildPulsekeep } from '../../support/child-pulsekeep.js';
import { accessToken, DAY, HOUR, nowhere, SECOND, webhookSecret } from '../../support/environment.js';
import { FakeClock } from '../../support/fake-clock.js';
import { TestApp } from '../../support/test-app.js';
import { type TestDatabase, testDatabase } from '../../support/test-store.js';
import { until } from '../../support/until.js';

/*
 * The proof of everything (docs/reliability.md#the-proof): people whose data comes by a bad road, audits that prove
 * every day, a report about it, and faults planted in the rows by hand, each of which the next audits find, name and
 * repair. `npm run prove` takes PROVE_PEOPLE, PROVE_DAYS and PROVE_KILLS from the environment.
 */
const people = Array.from({ length: Number(process.env['PROVE_PEOPLE'] ?? 6) }, (_, index) => `person ${index}`);
const days = Number(process.env['PROVE_DAYS'] ?? 10);
const kills = Number(process.env['PROVE_KILLS'] ?? 2);
const resources = ['sleep', 'steps', 'glucose', 'insulin_injection', 'blood_pressure'];
const providers = ['apple_health_kit', 'health_connect', 'oura', 'garmin', 'freestyle_libre'] as const;
const samples = resources.slice(1);
/** Days that come from the source of a person at the end; those before them may come from another one. */
const lately = Math.max(8, Math.ceil(days / 2));
/** Of the same sources: people five apart do the same. */
const isLike = (index: number, kind: number): boolean => index % providers.length === kind;
const changesProvider = (index: number): boolean => isLike(index, 1);
const changesZone = (index: number): boolean => isLike(index, 2);
const isoOf = (ms: number): string => new Date(ms).toISOString();

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

/** Prints figures of a run by hand. */
function tell(figures: object): void {
  if (process.env['PROVE_PEOPLE']) process.stdout.write(`${JSON.stringify(figures)}\n`);
}

/** Of a hook or test: they start programs, and move the clock by days. */
const longest = Math.max(240_000, people.length * days * 2_000);

/** `PERSON RESOURCE DAY` of each day that a planted fault touches. */
type Touched = string;

describe('the proof of everything', () => {
  const keys = generateKeyPairSync('ed25519');
  const signing = keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const env = {
    SYNC_RESOURCES: resources.join(),
    SYNC_BACKFILL_DAYS: String(days + 2),
    DELETION_CONFIRM_HOURS: '1',
    AUDIT_REPORT_KEYS: signing,
  };
  const users = new Map<string, string>();
  let sandbox: Sandbox;
  let database: TestDatabase;
  let child: ChildPulsekeep | null = null;
  let app: TestApp;

  beforeAll(async () => {
    sandbox = await startSandbox({ timeScale: 0, startAt: Date.now(), webhookSecret, seed: 'prove' });
    database = await testDatabase();
    const { control } = sandbox;
    await control.configure({ pull_start_seconds: 1, pull_duration_seconds: 1 });
    await control.fault({ kind: 'lose', rate: 0.05, seed: 'lose' });
    await control.fault({ kind: 'duplicate', rate: 0.3, seed: 'duplicate' });
    await control.fault({ kind: 'shuffle', seed: 'shuffle' });
    await comeThroughKills();
  }, longest);

  beforeAll(async () => {
    const { control } = sandbox;
    const clock = new FakeClock(Date.parse((await control.setTime(isoOf(Date.now() + 60 * SECOND))).now));
    app = await TestApp.create({ env, database, upstream: sandbox, clock });
    await app.settle();
    await changeUpstream();
    await app.advance(3_600, 2);
    await comeThroughOutages();
    await control.clearFaults();
    await app.advance(24 * 3_600, 6);
  }, longest);

  afterAll(async () => {
    await child?.kill();
    await app.close();
    await sandbox.close();
    await database.drop();
  });

  const isoAt = (daysAgo: number): string => isoOf(app.clock.now() - daysAgo * DAY);
  const dateAt = (daysAgo: number): string => isoAt(daysAgo).slice(0, 10);

  /** Everybody's first data comes while the service is killed in the middle of it, and started again. */
  async function comeThroughKills(): Promise<void> {
    const { control } = sandbox;
    for (let kill = 0; kill < kills; kill++) {
      child = await ChildPulsekeep.start(childEnvironment(database, sandbox.url, env));
      await control.configureWebhooks({ url: `${child.url}/webhooks` });
      for (const [index, person] of people.entries()) if (index % kills === kill) await measure(child, person, index);
      const { answered } = await control.state();
      let isOver = false;
      const delivering = control.setTime(isoOf(Date.now() + 5 * SECOND)).finally(() => (isOver = true));
      await until(async () => isOver || (await control.state()).answered > answered + 5 * (kill % 7));
      await child.kill();
      await delivering;
    }
  }

  async function measure({ url }: ChildPulsekeep, person: string, index: number): Promise<void> {
    const { control } = sandbox;
    const call = async (method: string, path: string, body: object): Promise<{ user_id: string }> => {
      const headers = {
        authorization: `Bearer ${await accessToken(person, Date.now())}`,
        'content-type': 'application/json',
      };
      const response = await fetch(`${url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
      expect(response.status).toBeLessThan(300);
      return (await response.json()) as { user_id: string };
    };
    const { user_id } = await call('POST', '/me/sign-in-token', {});
    users.set(person, user_id);
    const end = Date.now();
    const comeFrom = async (provider: string, count: number, until: number): Promise<void> => {
      await control.connect({ user_id, provider, resources });
      for (const resource of resources) {
        const what = { user_id, provider, resource, days: count, per_day: 6, end: isoOf(until) };
        await control.generate({ ...what, notify: true });
      }
    };
    const [provider = '', next = ''] = [providers[index % providers.length], providers[(index + 1) % providers.length]];
    if (changesProvider(index)) {
      await comeFrom(provider, days - lately, end - lately * DAY);
      await call('DELETE', `/me/sources/${provider}`, {});
      await comeFrom(next, lately, end);
    } else {
      await comeFrom(provider, days, end);
    }
    if (!changesZone(index)) return;
    await call('PATCH', '/me', { time_zone: 'Asia/Tokyo' });
    const points = [2.3, 3.3, 3.9].map((ago) => ({
      start: isoOf(end - ago * DAY),
      timezone_offset: 32_400,
      value: 5 + ago,
    }));
    await control.put({ user_id, provider, resource: 'glucose', points });
  }

  /** Edited, deleted and moved upstream, some of it without a message. */
  async function changeUpstream(): Promise<void> {
    const { control } = app.sandbox;
    for (const [index, user_id] of [...users.values()].entries()) {
      for (const resource of samples) {
        await control.edit({ user_id, resource, count: 3, notify: resource !== 'glucose' });
      }
      await control.remove({ user_id, resource: 'glucose', start: isoAt(5), end: isoAt(4.5) });
      const moved = { user_id, resource: 'steps', start: isoAt(3), end: isoAt(2.75), seconds: 600 };
      await control.shift({ ...moved, notify: index % 2 === 0 });
    }
  }

  /** First upstream is away, then this service; data goes on changing. */
  async function comeThroughOutages(): Promise<void> {
    const { control } = app.sandbox;
    await control.fault({ kind: 'status', path: '/v2', status: 503, seconds: (6 * HOUR) / SECOND });
    await changeUpstream();
    await app.advance(6 * 3_600, 4);
    const { url } = app;
    await control.configureWebhooks({ url: nowhere });
    await changeUpstream();
    await app.wait(6 * 3_600);
    await control.configureWebhooks({ url: `${url}/webhooks` });
    await app.settle();
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

  /** The first sample of a day, or the last one. */
  async function sampleOf(person: string, resource: string, daysAgo: number, order: 'ASC' | 'DESC' = 'ASC') {
    const start = Date.parse(dateAt(daysAgo));
    const [found] = await rows<{ series_id: number; time: number; sibling: number }>(
      `SELECT p.series_id, p.time, p.sibling FROM samples p JOIN series s ON s.id = p.series_id
       JOIN connections c ON c.account_id = s.account_id AND c.provider = s.provider AND c.status = 'connected'
       JOIN accounts a ON a.id = s.account_id WHERE a.account_id = ? AND s.resource = ? AND p.time >= ? AND p.time < ?
       ORDER BY p.time ${order}, p.sibling LIMIT 1`,
      [person, resource, start, start + DAY],
    );
    if (!found) throw new Error(`${person} has no ${resource} then.`);
    const where = 'series_id = ? AND time = ? AND sibling = ?';
    return { ...found, where, values: [found.series_id, found.time, found.sibling] };
  }

  const newest = async (table: string): Promise<number> =>
    (await rows<{ id: number }>(`SELECT MAX(id) AS id FROM ${table}`, []))[0]?.id ?? 0;

  async function nightOf(person: string, daysAgo: number) {
    const start = Date.parse(dateAt(daysAgo));
    const [found] = await rows<{ account_id: number; summary_id: string }>(
      `SELECT s.account_id, s.summary_id FROM summaries s JOIN accounts a ON a.id = s.account_id
       WHERE a.account_id = ? AND s.resource = 'sleep' AND s.time >= ? AND s.time < ? ORDER BY s.time LIMIT 1`,
      [person, start, start + DAY],
    );
    return found && { where: 'account_id = ? AND summary_id = ?', values: [found.account_id, found.summary_id] };
  }

  /**
   * People with the same source who connected it before a person did, in that order. A row that was seen before its
   * source was connected is not judged, so that nobody gets one of somebody who connected later.
   */
  function connectedBefore(index: number): string[] {
    const round = (at: number): number => (at % kills) * people.length + at;
    const same = [...people.keys()].filter((at) => isLike(at, index % providers.length) && round(at) < round(index));
    return same.sort((a, b) => round(a) - round(b)).flatMap((at) => people[at] ?? []);
  }

  /** Nobody who got a night gives one away, or it might be the same. */
  let mayGiveNight = false;

  /** Rows of every table of health data changed, removed, added and moved by hand; each returns the days it touches. */
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
      if (!night || !mayGiveNight) return [];
      const to = '(SELECT id FROM accounts WHERE account_id = ?)';
      await execute(`UPDATE summaries SET account_id = ${to} WHERE ${night.where}`, [other, ...night.values]);
      return [`${person} sleep ${dateAt(ago)}`, `${other} sleep ${dateAt(ago)}`];
    },
    async (person, _, ago) => {
      const night = await nightOf(person, ago);
      if (!night) return [];
      await execute(`DELETE FROM summaries WHERE ${night.where}`, night.values);
      return [`${person} sleep ${dateAt(ago)}`];
    },
    // To another account.
    async (person, other, ago, resource) => {
      if (person === other) return [];
      const { where, values } = await sampleOf(person, resource, ago, 'DESC');
      const { series_id } = await sampleOf(other, resource, ago);
      await execute(`UPDATE samples SET series_id = ?, time = time + 13 WHERE ${where}`, [series_id, ...values]);
      return [`${person} ${resource} ${dateAt(ago)}`, `${other} ${resource} ${dateAt(ago)}`];
    },
    // To a series of another type of source.
    async (person, _, ago, resource) => {
      const { where, values, series_id } = await sampleOf(person, resource, ago);
      const copied = 'sub_series, floating_time, created_at, measure, is_mixed';
      await execute(
        `INSERT INTO series (account_id, resource, provider, source_type, ${copied})
         SELECT account_id, resource, provider, 'planted', ${copied} FROM series WHERE id = ?`,
        [series_id],
      );
      await execute(`UPDATE samples SET series_id = ? WHERE ${where}`, [await newest('series'), ...values]);
      return [`${person} ${resource} ${dateAt(ago)}`];
    },
    // To a group with other attributes.
    async (person, _, ago, resource) => {
      const { where, values } = await sampleOf(person, resource, ago);
      const of = `(SELECT group_id FROM samples WHERE ${where})`;
      await execute(`INSERT INTO sample_attributes (content) VALUES ('{"planted":"${person} ${resource}"}')`, []);
      await execute(
        `INSERT INTO sample_groups (observation_id, attributes_id)
         SELECT observation_id, ${await newest('sample_attributes')} FROM sample_groups WHERE id = ${of}`,
        values,
      );
      await execute(`UPDATE samples SET group_id = ${await newest('sample_groups')} WHERE ${where}`, values);
      return [`${person} ${resource} ${dateAt(ago)}`];
    },
    // Hidden as gone.
    async (person, _, ago, resource) => {
      const { where, values } = await sampleOf(person, resource, ago);
      await execute(
        `INSERT INTO missing_records (account_id, resource, time, series_id, summary_id, provider, end_time, state,
           seen_by, looks, gone_at, records)
         SELECT s.account_id, s.resource, p.time, s.id, '', s.provider, p.time, 'gone', g.observation_id, 0, 1, '[]'
         FROM samples p JOIN series s ON s.id = p.series_id JOIN sample_groups g ON g.id = p.group_id
         WHERE p.series_id = ? AND p.time = ? AND p.sibling = ?`,
        values,
      );
      await execute(`DELETE FROM samples WHERE ${where}`, values);
      return [`${person} ${resource} ${dateAt(ago)}`];
    },
  ];

  async function everyDayIsProven(): Promise<void> {
    const audits = await audited();
    const all = (await Promise.all(people.map(proofsOf))).flat();
    expect(all.filter(({ state }) => state !== 'proven')).toEqual([]);
    for (const { days_total, proven } of audits) expect(proven).toBe(days_total);
    expect(all.length).toBeGreaterThan(people.length * resources.length * (days - 5));
    expect(all.map(({ cause }) => cause)).not.toContain('mapping');
    expect(all.map(({ cause }) => cause)).not.toContain('lost');
    const { messages, answered } = await sandbox.control.state();
    const repaired = all.filter(({ cause }) => cause !== null).length;
    const calls = audits.reduce((sum, audit) => sum + audit.calls, 0);
    tell({ messages, answered, account_days: all.length, repaired, calls });
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
    let planted = 0;
    for (const [index, person] of people.entries()) {
      const before = connectedBefore(index);
      const other = before.at(-1) ?? person;
      mayGiveNight = before.length % 2 === 1;
      for (const [kind, plant] of faults.entries()) {
        // Each on a day of its own, and of another table.
        const resource = samples[(index + kind) % samples.length] ?? 'steps';
        // So old that the next day, to which a record may be moved, was proven, too, even if a day ended meanwhile.
        const touches = await plant(person, other, 5 + (kind % 3), resource);
        touched.push(...touches);
        planted += touches.length > 0 ? 1 : 0;
      }
    }
    // Nobody but two people with the same source can exchange rows.
    expect(planted).toBeGreaterThanOrEqual(people.length * (faults.length - 2));
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
    expect(touched.filter((day) => !found.includes(day))).toEqual([]);
    tell({ planted, days_touched: new Set(touched).size, days_repaired: found.length });
  }

  it(
    'proves every day, signs a report about it, and finds, names and repairs faults planted by hand',
    async () => {
      await everyDayIsProven();
      await theReportVerifies();
      await plantedFaultsAreFound();
    },
    longest,
  );
});
