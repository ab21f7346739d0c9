import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RoleConfig, WebhookConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import type { FieldError } from '../../platform/platform/errors.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { type FileFault } from '../../storage/database/file-watch.js';
import { SchemaService } from '../../storage/schema/schema.service.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { READINESS_CACHED_MS, READINESS_TIMEOUT_MS } from '../alarms/tuning.js';

/** `stopping` is reported first, so that load balancers stop routing here before the drain begins. */
export type ReadinessPart = 'stopping' | 'database' | 'migrations' | 'workers';

/** One sentence per failing part; empty if ready. */
export type Failing = (FieldError & { field: ReadinessPart })[];

export const brokerStates = ['consuming', 'not_consuming'] as const;
export type BrokerState = (typeof brokerStates)[number];

const fileFaults: Readonly<Record<FileFault, string>> = {
  file_removed: 'a file of the database was removed or moved while it was open',
  file_replaced: 'a file of the database was replaced while it was open',
  file_overwritten: 'the database file was overwritten while it was open',
};

interface StoreState {
  /** Monotonic time. */
  readonly askedAt: number;
  /** Refused writes before the question: another one since makes the answer void. */
  readonly refusals: number;
  readonly failing: Promise<Failing>;
}

/** Checks whether this process can work. Calls within one second share one check of the store. */
@Injectable()
export class ReadinessService {
  private last: StoreState | null = null;
  private readonly writable = new Question(async () => {
    await this.schema.probeWrite(this.clock.now());
    return true;
  });
  private readonly migrated = new Question(() => this.schema.isMigrated());

  constructor(
    private readonly schema: SchemaService,
    private readonly workers: WorkerRegistry,
    private readonly role: RoleConfig,
    private readonly clock: Clock,
    private readonly webhook: WebhookConfig,
    private readonly thisProcess: ThisProcess,
  ) {}

  async failing(): Promise<Failing> {
    const store = await this.storeFailing();
    return [...this.stopping(), ...store, ...this.idleWorkers()];
  }

  /**
   * Whether this process consumes messages of the broker; undefined if it is not to. Not a part of readiness: requests
   * are served and nothing is lost without it.
   */
  broker(): BrokerState | undefined {
    if (!this.webhook.amqpServer || this.role.role === 'api') return undefined;
    return 'broker_not_consuming' in this.thisProcess.signs(this.clock.now()) ? 'not_consuming' : 'consuming';
  }

  private stopping(): Failing {
    return this.workers.stopping ? [{ field: 'stopping', message: 'the process is shutting down' }] : [];
  }

  private idleWorkers(): Failing {
    if (this.role.role === 'api' || this.workers.stopping) return [];
    const [late, stuck] = [this.workers.late(), this.workers.stuck()];
    const messages = [
      ...(late.length > 0 ? [`not ticking: ${late.join(', ')}`] : []),
      ...(stuck.length > 0 ? [`stuck: ${stuck.join(', ')}`] : []),
    ];
    return messages.map((message) => ({ field: 'workers', message }));
  }

  private storeFailing(): Promise<Failing> {
    const now = this.clock.monotonic();
    const { refusals } = this.schema;
    if (!this.last || now - this.last.askedAt >= READINESS_CACHED_MS || this.last.refusals !== refusals) {
      this.last = { askedAt: now, refusals, failing: this.askStore() };
    }
    return this.last.failing;
  }

  private async askStore(): Promise<Failing> {
    const [writable, migrated] = await Promise.all([this.writable.answer(), this.migrated.answer()]);
    const failing: Failing = [];
    const fault = this.schema.fileFault();
    if (fault !== null) return [{ field: 'database', message: fileFaults[fault] }];
    if (this.schema.hiddenBecause !== null) {
      return [{ field: 'database', message: 'rows of its tables may be hidden from its role' }];
    }
    if (migrated === null) failing.push({ field: 'database', message: 'the database cannot be reached' });
    else if (writable === null) failing.push({ field: 'database', message: 'the database refuses writes' });
    if (migrated === false) failing.push({ field: 'migrations', message: 'the schema does not match this version' });
    return failing;
  }
}

/** A check of the store. Callers share a pending check, so that it holds at most one connection. */
class Question {
  private asked: Promise<boolean> | null = null;

  constructor(private readonly ask: () => Promise<boolean>) {}

  /** Null on a timeout or an error; the failing operation logs the cause. */
  async answer(): Promise<boolean | null> {
    this.asked ??= this.ask().finally(() => (this.asked = null));
    const timeout = new AbortController();
    try {
      return await Promise.race([this.asked, delay(READINESS_TIMEOUT_MS, null, { signal: timeout.signal })]);
    } catch {
      return null;
    } finally {
      timeout.abort();
    }
  }
}
