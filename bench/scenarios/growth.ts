import { setTimeout } from 'node:timers/promises';
import { DAY_MS, dateOf } from '../../src/platform/platform/time.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { Bursts, rateOf } from '../load/bursts.js';
import { accountsOfLoad, addDueRows, fillFleet, middleOf } from '../process/fleet-store.js';
import { maintained } from '../process/maintenance.js';
import { PostgresDatabase } from '../process/postgres-database.js';
import { ask, deadPort, operatorKey, PulsekeepProcess, startAll, startApi } from '../process/pulsekeep.js';
import { type Keep, staged } from '../process/stage.js';
import { median } from '../rounds.js';

/** Requests of which each figure is the median; one more precedes them. */
const requests = 5;
/** Messages sent to each store. */
const messages = 4_000;
/** Time in which old rows of each table are deleted. */
const retentionSeconds = 10;

interface Asked {
  readonly path: string;
  readonly body?: object;
}

/** Questions of operators about all accounts, and about one among many; `middle` is the number of an account. */
function askedOf(accounts: number): Readonly<Record<string, Asked>> {
  const middle = middleOf(accounts);
  const one = `/admin/v1/accounts/bench-${middle}`;
  const read = `/v1/accounts/bench-${middle}`;
  const day = dateOf(Date.now() - 5 * DAY_MS);
  const outage = { from: new Date(Date.now() - 2 * DAY_MS).toISOString(), to: new Date().toISOString() };
  const uuid = `10000000-0000-4000-8000-${String(1_000_000_000_000 + middle).slice(1)}`;
  const found = (q: string): Asked => ({ path: `/admin/v1/search?q=${encodeURIComponent(q)}` });
  return {
    'search: the beginning of an account id': found('bench-1'),
    'search: an account id': found(`bench-${middle}`),
    'search: the end of an account id': found(String(accounts - 1)),
    'search: what no account has': found('nobody'),
    'search: two letters that no account has': found('qz'),
    'search: an upstream user': found(uuid),
    'search: a log_ref': found(`ref${middle}`),
    'search: a message': found(`msg_${middle}`),
    'accounts: a page': { path: '/admin/v1/accounts?limit=100' },
    'accounts: q that none has': { path: '/admin/v1/accounts?limit=100&q=nobody' },
    'accounts: user_gone': { path: '/admin/v1/accounts?limit=100&status=user_gone' },
    'accounts: blocked': { path: '/admin/v1/accounts?limit=100&status=blocked' },
    'accounts: active of a provider': { path: '/admin/v1/accounts?limit=100&status=active&provider=fitbit' },
    'accounts: a provider that none has': { path: '/admin/v1/accounts?limit=100&provider=garmin' },
    overview: { path: '/admin/v1/overview' },
    metrics: { path: '/metrics' },
    'replay by type, dry run': {
      path: '/admin/v1/messages/replay',
      body: { event_type: 'daily.data.steps.created', dry_run: true },
    },
    'replay by status, dry run': { path: '/admin/v1/messages/replay', body: { status: 'done', dry_run: true } },
    'replay of two days, dry run': { path: '/admin/v1/messages/replay', body: { ...outage, dry_run: true } },
    'recovery, estimate': { path: '/admin/v1/sync/recover', body: { ...outage, dry_run: true } },
    'access log by resource': { path: '/admin/v1/access-log?limit=100&resource=sleep' },
    'access log by a resource rarely read': { path: '/admin/v1/access-log?limit=100&resource=glucose' },
    'access log by a resource never read': { path: '/admin/v1/access-log?limit=100&resource=meal' },
    'access log by window': {
      path: `/admin/v1/access-log?limit=100&window_start=${outage.from}&window_end=${outage.to}`,
    },
    'changes: a page': { path: '/v1/changes?limit=500' },
    explanations: { path: `${one}/explanations?day=${day}` },
    coverage: { path: `${one}/coverage` },
    timeline: { path: `${one}/timeline` },
    today: { path: `${read}/today` },
    'daily of a year': { path: `${read}/daily?resources=steps&first_day=${dateOf(Date.now() - 365 * DAY_MS)}` },
    'records: a page': { path: `${read}/records/steps?limit=500` },
  };
}

/** Reads whose cost must not grow with the number of accounts and samples, at each of some sizes. */
export function growth(plan: Plan): Promise<Figure[]> {
  const bytes = `SELECT SUM(pgsize) AS value FROM dbstat WHERE name = 'samples' AND aggregate = TRUE`;
  return measured(plan, 'SQLite', async (keep, accounts) => {
    const fill = (path: string): Promise<void> => fillFleet(path, accounts, plan.samples);
    const pulsekeep = keep(await PulsekeepProcess.start(0, deadPort, fill));
    const value: Value = async (sql) => pulsekeep.row<{ value: number }>(sql).value;
    return { port: pulsekeep.port, stored: () => storing(plan, pulsekeep.port, value, bytes) };
  });
}

/**
 * The same on the PostgreSQL of TEST_DATABASE_URL, with an erasure, the rate of retention, and starts with due rows.
 */
export async function growthPostgres(plan: Plan): Promise<Figure[]> {
  const bytes = `SELECT CAST(pg_total_relation_size('samples') AS double precision) AS value`;
  const databases = new Map<number, string>();
  return staged(async (keep) => {
    const read = await measured(plan, 'PostgreSQL', async (keepHere, accounts) => {
      const database = keep(await PostgresDatabase.make(0));
      const { url } = database;
      databases.set(accounts, url);
      await fillFleet(url, accounts, plan.samples);
      const { port } = keepHere(await startApi(url));
      const value: Value = (sql) => database.value(sql);
      const stored = (): Promise<Stored> =>
        staged(async (keepAll) => storing(plan, keepAll(await startAll(url)).port, value, bytes));
      return { port, stored };
    });
    const others: Figure[] = [];
    for (const [accounts, url] of databases) others.push(...(await maintenance(plan, accounts, url)));
    return [...read, ...others];
  });
}

/** The one `value` of a statement. */
type Value = (sql: string) => Promise<number>;

interface Stored {
  /** Bytes of a sample with its key. */
  readonly bytes: number;
  /** Messages of 19 samples each that are applied in a second. */
  readonly applied: number;
}

/** Measures the table of samples, then sends messages until all are applied. */
async function storing({ scale }: Plan, port: number, value: Value, bytes: string): Promise<Stored> {
  const size = (await value(bytes)) / (await value('SELECT CAST(COUNT(*) AS double precision) AS value FROM samples'));
  return staged(async (keep) => {
    const bursts = keep(await Bursts.start(accountsOfLoad));
    const count = Math.round(messages * scale);
    const sent = await bursts.send('applied', port, count);
    rateOf(sent);
    const due = 'SELECT CAST(COUNT(*) AS double precision) AS value FROM messages WHERE due_at IS NOT NULL';
    while ((await value(due)) > 0) await setTimeout(25);
    const end = await value('SELECT CAST(MAX(finished_at) AS double precision) AS value FROM messages');
    return { bytes: size, applied: (count * 1_000) / (end - sent.startedAt) };
  });
}

async function maintenance({ scale, step }: Plan, accounts: number, url: string): Promise<Figure[]> {
  const named = (name: string, unit: string, value: number): Figure =>
    figureOf({ name: `PostgreSQL, ${name}, ${accounts} accounts`, unit, values: [value] });
  step(`erasure and retention of ${accounts} accounts`);
  const person = `bench-${middleOf(accounts)}`;
  const { erasureMs, deleted } = await maintained(url, person, retentionSeconds * scale);
  step(`start with ${accounts} due pulls`);
  const before = await startOf(url);
  await addDueRows(url, accounts);
  const due = await startOf(url);
  return [
    named('erasure', 'ms', erasureMs),
    ...Object.entries(deleted).map(([table, rate]) => named(`retention of ${table}`, 'rows/s', rate)),
    named('start to ready', 'ms', before),
    named('start to ready with a due pull of each', 'ms', due),
  ];
}

/** Milliseconds from the start of a process with all workers until it is ready. */
async function startOf(url: string): Promise<number> {
  const begun = performance.now();
  const started = await startAll(url);
  try {
    await ask(started.port, '/readyz');
    return performance.now() - begun;
  } finally {
    await started.end();
  }
}

interface Measurable {
  readonly port: number;
  readonly stored: () => Promise<Stored>;
}

type Start = (keep: Keep, accounts: number) => Promise<Measurable>;

async function measured({ sizes, step }: Plan, database: string, start: Start): Promise<Figure[]> {
  const times = new Map<string, number[]>();
  const stores: Stored[] = [];
  for (const accounts of sizes) {
    step(`${accounts} accounts on ${database}`);
    await staged(async (keep) => {
      const { port, stored } = await start(keep, accounts);
      for (const [name, asked] of Object.entries(askedOf(accounts))) {
        times.set(name, [...(times.get(name) ?? []), await medianOf(port, asked)]);
      }
      stores.push(await stored());
    });
  }
  const ofStores = (name: string, unit: string, of: (stored: Stored) => number): Figure[] =>
    figuresOf(`${database}, ${name}`, sizes, stores.map(of), unit);
  return [
    ...[...times].flatMap(([name, all]) => figuresOf(`${database}, ${name}`, sizes, all, 'ms')),
    ...ofStores('a sample with its key', 'bytes', ({ bytes }) => bytes),
    ...ofStores('accept + apply', 'messages/s', ({ applied }) => applied),
  ];
}

/** One for each size, as a multiple of the size before. */
function figuresOf(name: string, sizes: readonly number[], all: readonly number[], unit: string): Figure[] {
  return all.map((value, index) => {
    const before = all[index - 1];
    const baseline = before === undefined ? {} : { baseline: { name: `${sizes[index - 1]}`, values: [before] } };
    return figureOf({ name: `${name}, ${sizes[index]} accounts`, unit, values: [value], ...baseline });
  });
}

async function medianOf(port: number, { path, body }: Asked): Promise<number> {
  const times: number[] = [];
  for (let request = 0; request <= requests; request++) {
    const begun = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${operatorKey}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} returned ${answer.status}: ${text.slice(0, 200)}`);
    if (request > 0) times.push(performance.now() - begun);
  }
  return median(times);
}
