// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import type { OpenAPIObject } from '@nestjs/swagger';
import { getMetadataArgsStorage } from 'typeorm';
import { entities } from '../../../src/app/rooms.js';
import { PersonalDataMap } from '../../../src/privacy/erasure/personal-data-map.js';
import { PersonalRowsRepository } from '../../../src/privacy/erasure/personal-rows.repository.js';
import { shapeOf } from '../../../src/storage/database/columns.js';
import type { SqlInput } from '../../../src/storage/database/dialect.js';
import type { Tx } from '../../../src/storage/database/tx.js';
import type { LeasedRow } from '../../../src/storage/work/lease.js';
import { LeasedRows } from '../../../src/storage/work/leased-rows.js';
import { Story } from '../../faults/canary/support/story.js';
import { routesOf } from '../../security/support/attacks.js';
import { adminKeys } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { testStore } from '../../support/test-store.js';

interface Filter {
  readonly name: string;
  readonly schema?: { readonly enum?: readonly string[]; readonly type?: string; readonly format?: string };
  readonly example?: string | number | boolean;
}

const describeOnSqlite = process.env['TEST_DATABASE_URL'] ? describe.skip : describe;

// PostgreSQL chooses its plans by what is stored, which is next to nothing here.
describeOnSqlite('statements of the read side', () => {
  const story = new Story();
  const asked = new Map<string, readonly SqlInput[]>();
  const plans = new Map<string, readonly string[]>();

  beforeAll(async () => {
    await story.begin();
    const { reader } = story.app.store;
    for (const name of ['rows', 'few'] as const) {
      const read = reader[name].bind(reader);
      jest.spyOn(reader, name).mockImplementation((sql: string, parameters: readonly SqlInput[] = []) => {
        asked.set(sql, parameters);
        return read(sql, parameters);
      });
    }
    await story.signsUp();
    await story.measures();
    await story.app.advance(7_200, 4);
    expect(await story.orders()).toBe(201);
    await story.resultsCome();
    const document = (await story.app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    for (const { method, path, operation } of routesOf(document).filter(({ method: verb }) => verb === 'GET')) {
      const ids: Record<string, string> = {
        account_id: story.account,
        resource: 'heartrate',
        order_id: story.orderId,
        id: '1',
      };
      const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'x'));
      const filters = (operation.parameters ?? []).filter((each) => each.in === 'query');
      for (const query of ['', ...filters.map(queryOf)]) {
        await story.app.call(method, `${place}${query}`, `Bearer ${adminKeys.operator}`);
      }
    }
    for (const [path, body] of forecasts) expect(await story.operator('POST', path, body)).toBe(200);
    const key = `Bearer ${adminKeys.operator}`;
    const detail = await story.app.call('GET', `/admin/v1/accounts/${encodeURIComponent(story.account)}`, key);
    const logRef = String(detail.body['log_ref']);
    for (const q of [story.account.slice(1, -1), story.userId.slice(0, 8), logRef, shortened(story.orderId)]) {
      for (const path of ['/accounts', '/search']) {
        expect(await story.operator('GET', `${path}?q=${encodeURIComponent(q)}`)).toBe(200);
      }
    }
    jest.restoreAllMocks();
    for (const [sql, parameters] of asked) {
      const steps = await reader.few<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
      plans.set(
        sql,
        steps.map(({ detail }) => detail),
      );
    }
  });

  afterAll(() => story.close());

  it('read through an index, or are listed as reading a table in order', () => {
    const found: string[] = [];
    expect(plans.size).toBeGreaterThan(200);
    for (const [sql, plan] of plans) {
      const isSorted = plan.some((step) => step.includes('TEMP B-TREE FOR ORDER BY'));
      for (const table of scannedTables(sql, plan)) {
        const endsWithPage = inOrder.has(table) && /\bLIMIT\b/.test(sql) && !isSorted;
        if (!endsWithPage && !small.has(table) && !whole.has(table)) found.push(`${table}: ${sql.slice(0, 200)}`);
      }
    }
    expect(found).toEqual([]);
  });

  it('list the summaries of years without reading them completely', () => {
    const readsAll = /USING INDEX \w*summaries\w* \(account_id=\?\)/;
    const found = [...plans].filter(
      ([sql, plan]) => !/\bLIMIT\b/.test(sql) && plan.some((step) => readsAll.test(step)),
    );
    expect(found).toEqual([]);
  });
});

describeOnSqlite('an erasure', () => {
  it('finds the rows of its person by an index of each table', async () => {
    const app = await TestApp.create({});
    const { reader } = app.store;
    const plans = new Map<string, readonly string[]>();
    const explain = async (sql: string, parameters: readonly SqlInput[] = []): Promise<number> => {
      const steps = await reader.few<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
      plans.set(
        sql,
        steps.map(({ detail }) => detail),
      );
      return 0;
    };
    const rows = app.get(PersonalRowsRepository);
    for (const personal of app.get(PersonalDataMap).tables) {
      await rows.deleteSome({ execute: explain } as Tx, personal, 1, 100);
    }
    await app.close();
    expect(plans.size).toBeGreaterThan(30);
    const found = [...plans].flatMap(([sql, plan]) => {
      return scannedTables(sql, plan).flatMap((table) => (whole.has(table) ? [] : `${table}: ${sql}`));
    });
    expect(found).toEqual([]);
  });
});

describeOnSqlite('a start that ends the leases of a process before', () => {
  it('reads of each queue only what is due, by its index', async () => {
    const store = await testStore();
    const isQueue = (entity: (typeof entities)[number]): boolean => {
      const names = shapeOf(entity).columns.map(({ name }) => String(name));
      return names.includes('due_at') && names.includes('lease_until');
    };
    const queues = entities.filter(isQueue);
    const plans = new Map<string, string>();
    for (const entity of queues) {
      const rows = new LeasedRows(entity as new () => LeasedRow);
      const explain = async (sql: string, parameters: readonly SqlInput[] = []): Promise<number> => {
        const steps = await store.reader.few<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
        plans.set(rows.table, steps.map(({ detail }) => detail).join());
        return 0;
      };
      await rows.releaseDead({ execute: explain } as Tx, 0);
    }
    await store.close();
    expect(plans.size).toBeGreaterThan(8);
    const others = [...plans].filter(([, plan]) => !/USING (COVERING )?INDEX \w+_due/.test(plan));
    expect(others.filter(([table]) => !small.has(table))).toEqual([]);
  });
});

/**
 * Tables of a few rows, whatever is stored: of processes, alarms, migrations, outages, providers and persons that were
 * erased, and of entries of the access log that wait a second for the chain.
 */
const small = new Set([
  'access_log_pending',
  'access_log_writers',
  'alarms',
  'change_consumers',
  'change_feed',
  'console_sessions',
  'erasure_fences',
  'message_replays',
  'migrations',
  'processes',
  'provider_deliveries',
  'recoveries',
  'subscriptions',
  'walks',
]);

/** Lists of everybody, newest first or by key: read from one end until the page is full. */
const inOrder = new Set([
  'access_log',
  'audits',
  'changes',
  'erasures',
  'held_deletions',
  'historical_pulls',
  'link_attempts',
  'messages',
  'order_transactions',
  'orders',
  'owner_lookups',
  'parsing_jobs',
  'pending_changes',
  'sync_tasks',
  'unmatched_results',
  'workout_series_fetches',
]);

/**
 * Read whole, by a thread: at most a row for each account, source or critical result, for the overview and exports. An
 * erasure reads those of imports.
 */
const whole = new Set([
  'account_import_differences',
  'account_import_seen_users',
  'accounts',
  'connections',
  'critical_results',
  'subscription_lanes',
]);

/** Stored tables that a plan reads from end to end; what is read of a part of the statement itself does not count. */
function scannedTables(sql: string, plan: readonly string[]): string[] {
  const aliases = new Map<string, string>();
  for (const [, table = '', alias = ''] of sql.matchAll(/\b(?:FROM|JOIN)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/g)) {
    aliases.set(table, table).set(alias, table);
  }
  const scanned = plan.flatMap((step) => /^SCAN (\w+)/.exec(step)?.[1] ?? []);
  return scanned.flatMap((name) => aliases.get(name) ?? []).filter((table) => tables.has(table));
}

const tables = new Set(getMetadataArgsStorage().tables.map(({ name }) => name ?? '')).add('migrations');

/** What operators ask for by POST without changing anything. */
const forecasts: readonly (readonly [string, object])[] = [
  ['/messages/replay', { dry_run: true, event_type: 'daily.data.sleep.created' }],
  ['/messages/replay', { dry_run: true, status: 'dead' }],
  ['/sync/recover', { dry_run: true, from: '2026-11-18T06:00:00Z', to: '2026-11-19T18:00:00Z' }],
];

/** An id as the console shows it. */
function shortened(id: string): string {
  return `${id.slice(0, 11)}…${id.slice(-6)}`;
}

/** A filter with a value that it takes. */
function queryOf({ name, schema = {}, example }: Filter): string {
  const byForm: Record<string, unknown> = { date: '2026-11-20', 'date-time': '2026-11-20T00:00:00Z' };
  const value = example ?? schema.enum?.[0] ?? (schema.type === 'integer' ? 1 : (byForm[schema.format ?? ''] ?? 'x'));
  return `?${name}=${encodeURIComponent(value as string)}`;
}
