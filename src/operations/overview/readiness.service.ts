import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RoleConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import type { FieldError } from '../../platform/platform/errors.js';
import { SchemaService } from '../../storage/schema/schema.service.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';

/** `stopping` comes first, so that whoever sends requests here turns away before the drain begins. */
const readinessParts = ['stopping', 'database', 'migrations', 'workers'] as const;
export type ReadinessPart = (typeof readinessParts)[number];

/** What fails, in one sentence; empty means ready. */
export type Failing = (FieldError & { field: ReadinessPart })[];

/** However often somebody asks, the disk is written to once in this time. */
const FRESH_MS = 1_000;
/** A store that takes longer is of no use to anybody who waits for an answer. */
const TIMEOUT_MS = 2_000;

interface StoreState {
  /** By the monotonic clock. */
  readonly askedAt: number;
  readonly failing: Promise<Failing>;
}

/** Whether this process can do its work now. Callers within one second share one check of the store. */
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
  ) {}

  async failing(): Promise<Failing> {
    const store = await this.storeFailing();
    return [...this.stopping(), ...store, ...this.idleWorkers()];
  }

  private stopping(): Failing {
    return this.workers.stopping ? [{ field: 'stopping', message: 'the process is shutting down' }] : [];
  }

  private idleWorkers(): Failing {
    if (this.role.role === 'api' || this.workers.stopping) return [];
    const [late, stuck] = [this.workers.late(), this.workers.stuck()];
    const messages = [
      ...(late.length > 0 ? [`not ticking: ${late.join(', ')}`] : []),
      ...(stuck.length > 0 ? [`stuck in a round: ${stuck.join(', ')}`] : []),
    ];
    return messages.map((message) => ({ field: 'workers', message }));
  }

  private storeFailing(): Promise<Failing> {
    const now = this.clock.monotonic();
    if (!this.last || now - this.last.askedAt >= FRESH_MS) this.last = { askedAt: now, failing: this.askStore() };
    return this.last.failing;
  }

  private async askStore(): Promise<Failing> {
    const [writable, migrated] = await Promise.all([this.writable.answer(), this.migrated.answer()]);
    const failing: Failing = [];
    if (migrated === null) failing.push({ field: 'database', message: 'the database cannot be reached' });
    else if (writable === null) failing.push({ field: 'database', message: 'the database takes no writes' });
    if (migrated === false) failing.push({ field: 'migrations', message: 'the schema is not the one of this program' });
    return failing;
  }
}

/** A question to the store. It is not asked again while it is unanswered, so that it holds one connection at most. */
class Question {
  private asked: Promise<boolean> | null = null;

  constructor(private readonly ask: () => Promise<boolean>) {}

  /**
   * Null when the answer does not come in time or is an error: the probe says what fails, the log of whoever met it
   * why.
   */
  async answer(): Promise<boolean | null> {
    this.asked ??= this.ask().finally(() => (this.asked = null));
    const timeout = new AbortController();
    try {
      return await Promise.race([this.asked, delay(TIMEOUT_MS, null, { signal: timeout.signal })]);
    } catch {
      return null;
    } finally {
      timeout.abort();
    }
  }
}
