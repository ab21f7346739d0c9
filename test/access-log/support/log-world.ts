import { AccessLogRepository } from '../../../src/access-log/access-log.repository.js';
import { type Access, AccessLog } from '../../../src/access-log/access-log.service.js';
import { AccessLogTelemetry } from '../../../src/access-log/access-log.telemetry.js';
import { ChainRetention } from '../../../src/access-log/chain-retention.js';
import { ChainVerifier } from '../../../src/access-log/chain-verifier.js';
import { openStore, openWriter, type Store } from '../../../src/database/store.js';
import { entities } from '../../../src/entities.js';
import { Log } from '../../../src/platform/log.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { NetworkGate } from '../../../src/platform/network-gate.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';

export const startOfLog = Date.parse('2026-11-20T12:00:00.000Z');

export function access(overrides: Partial<Access> = {}): Access {
  return {
    actor: 'support',
    role: 'reader',
    action: 'GET /admin/v1/messages/:message_id',
    account_ref: null,
    target: 'message:msg_1',
    address: '10.0.0.7',
    request_id: 'request-1',
    status: 200,
    ...overrides,
  };
}

/** The parts of the access log over a store, as one process has them. */
export interface LogProcess {
  readonly log: AccessLog;
  readonly upkeep: ChainRetention;
  readonly metrics: Metrics;
  readonly lines: string[];
}

export function logProcess(store: Store, clock: FakeClock): LogProcess {
  const lines: string[] = [];
  const metrics = new Metrics();
  const out = new Log({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } });
  const events = new AccessLogTelemetry(out, metrics);
  const repository = new AccessLogRepository(store.reader);
  const log = new AccessLog(store.lane, repository, clock, events, new ChainVerifier(repository));
  return { log, upkeep: new ChainRetention(store.lane, repository, clock, events), metrics, lines };
}

/** An access log on a store of its own. */
export class LogWorld {
  private constructor(
    readonly store: TestStore,
    readonly clock: FakeClock,
    readonly process: LogProcess,
  ) {}

  static async create(): Promise<LogWorld> {
    const store = await testStore();
    const clock = new FakeClock(startOfLog);
    return new LogWorld(store, clock, logProcess(store, clock));
  }

  /** Records so many, one after another. */
  async fill(count: number): Promise<void> {
    for (let index = 1; index <= count; index++) {
      await this.process.log.record(access({ request_id: `request-${index}` }));
    }
  }

  execute(sql: string, values: (string | number | null)[] = []): Promise<number> {
    return this.store.lane.run((tx) => tx.execute(sql, values));
  }

  /** What somebody does first who owns the database and wants to change the log. */
  async unguard(): Promise<void> {
    const on = (table: string): string => (this.store.dialect === 'postgres' ? ` ON ${table}` : '');
    await this.execute(`DROP TRIGGER access_log_unchanged${on('access_log')}`);
    await this.execute(`DROP TRIGGER access_log_kept${on('access_log')}`);
    await this.execute(`DROP TRIGGER access_log_chain_kept${on('access_log_chain')}`);
  }

  /** Another process on the same database; on SQLite there is only one. */
  async another(): Promise<{ process: LogProcess; close: () => Promise<void> }> {
    const writer = await openWriter(this.store.config, entities);
    const store = await openStore(writer, this.store.config, entities, new NetworkGate());
    return { process: logProcess(store, this.clock), close: () => store.close() };
  }

  seqs(): Promise<{ seq: number }[]> {
    return this.store.reader.rows('SELECT seq FROM access_log ORDER BY seq');
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
