import { createApp } from '../../src/app/app.js';
import { pulledResources } from '../../src/health/catalogue/catalogue.js';
import { OldBodies } from '../../src/ingest/inbox/old-bodies.service.js';
import { RetentionConfig } from '../../src/platform/config/config.js';
import { readConfig } from '../../src/platform/config/environment.js';
import { SystemClock } from '../../src/platform/platform/clock.js';
import { Metrics } from '../../src/platform/platform/metrics.js';
import { DAY_MS } from '../../src/platform/platform/time.js';
import { ErasureService } from '../../src/privacy/erasure/erasure.service.js';
import { ErasureWorker } from '../../src/privacy/erasure/erasure.worker.js';
import { OldChanges } from '../../src/storage/change-log/old-changes.service.js';
import { Declarations } from '../../src/storage/declarations/declarations.js';
import { CleanerWorker, type Cleaning } from '../../src/storage/work/cleaner.worker.js';
import { OldRowsCleanings } from '../../src/storage/work/old-rows.cleanings.js';
import { OldRowsRepository } from '../../src/storage/work/old-rows.repository.js';
import { OldRows } from '../../src/storage/work/old-rows.service.js';
import { deadPort, environment } from './pulsekeep.js';

/* What the service does to old rows and erased people, in this process and without its timers. */

/** Everything is old by it. */
class LaterClock extends SystemClock {
  override now(): number {
    return super.now() + 800 * DAY_MS;
  }
}

const cleaned = ['message_bodies', 'messages', 'changes', 'pushes'] as const;
export type Cleaned = (typeof cleaned)[number];

export interface Maintenance {
  /** Milliseconds until nothing of the person is stored but the request. */
  readonly erasureMs: number;
  /** Rows a second that retention deletes while it has nothing else to do. */
  readonly deleted: Readonly<Record<Cleaned, number>>;
}

/** Erases an account of a filled PostgreSQL, then deletes old rows of each table for some seconds. */
export async function maintained(database: string, account: string, seconds: number): Promise<Maintenance> {
  const config = readConfig({ ...environment(database, deadPort), LOG_LEVEL: 'error' }, pulledResources);
  const clock = new LaterClock();
  const pulsekeep = await createApp(config, { clock });
  try {
    const find = <T>(type: abstract new (...given: never[]) => T): T => pulsekeep.app.get(type, { strict: false });
    const begun = performance.now();
    await find(ErasureService).request(account, 'bench');
    await find(ErasureWorker).deleteHere();
    const erasureMs = performance.now() - begun;
    const { lane, reader } = pulsekeep.store;
    const declarations = find(Declarations);
    const ended: Cleaning[] = [];
    const list = { add: (cleaning) => void ended.push(cleaning) } satisfies Pick<CleanerWorker, 'add'>;
    const repository = new OldRowsRepository(reader);
    const retention = find(RetentionConfig);
    const oldRows = new OldRows(retention, repository, lane, clock, new Metrics());
    new OldRowsCleanings(declarations, list as CleanerWorker, oldRows);
    const named = (table: Cleaned): Cleaning | undefined =>
      ended[declarations.ended.findIndex((rows) => rows.table === table)];
    const cleanings = {
      message_bodies: find(OldBodies),
      messages: named('messages'),
      changes: find(OldChanges),
      pushes: named('pushes'),
    };
    const deleted: Record<Cleaned, number> = { message_bodies: 0, messages: 0, changes: 0, pushes: 0 };
    for (const table of cleaned) {
      const count = async (): Promise<number> =>
        (await reader.row<{ rows: number }>(`SELECT COUNT(*) AS rows FROM ${table}`))?.rows ?? 0;
      deleted[table] = await rateOf(cleanings[table], count, seconds);
    }
    return { erasureMs, deleted };
  } finally {
    await pulsekeep.stop(0, 0);
  }
}

async function rateOf(cleaning: Cleaning | undefined, count: () => Promise<number>, seconds: number): Promise<number> {
  if (!cleaning) throw new Error('No cleaning deletes from this table.');
  const before = await count();
  const begun = performance.now();
  const passed = (): number => (performance.now() - begun) / 1_000;
  while (passed() < seconds && (await cleaning.slice(cleaning.maxRows)) !== 'end');
  const took = passed();
  return (before - (await count())) / took;
}
