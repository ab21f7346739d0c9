import type { Worker } from 'node:worker_threads';
import type { Environment } from './config/sources.js';
import type { Figures, Metrics } from './platform/metrics.js';
import { startThread } from './threads/start-thread.js';
import type { CallBudget } from './upstream-budget/budget.js';
import { type BorrowerMessage, BudgetLender, type LenderMessage } from './upstream-budget/lent-budget.js';
import type { Standing, WorkerRegistry } from './work/worker-registry.js';
import { WriteTurns } from './write-turns/write-turns.js';

/*
 * On a SQLite file background work has a thread of its own, so that no delivery waits behind a page that is read or
 * behind the garbage it leaves (docs/decisions/0027-background-thread.md). What `worker` is to `api` on PostgreSQL, the
 * thread is to the thread that serves HTTP, with three things shared at once: turns to write, the budget of calls to
 * upstream, and an exposition of metrics.
 *
 *   (none)  --open, once HTTP is served--> loading --says how its loops stand--> working --stop--> drained --> ended
 *   any     --it ends by itself, or hangs--> the process ends as after a crash
 */

/** What the thread is told. It reads no environment and no files of secrets: some can be read but once. */
export type ToThread =
  | LenderMessage
  | { readonly kind: 'open'; readonly environment: Environment }
  | { readonly kind: 'wake'; readonly loop: string }
  | { readonly kind: 'figures'; readonly n: number }
  | { readonly kind: 'secrets'; readonly environment: Environment }
  | { readonly kind: 'stop'; readonly withinMs: number };

/** What the thread says. */
export type FromThread =
  | BorrowerMessage
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'standing'; readonly standing: Standing }
  | { readonly kind: 'figures'; readonly n: number; readonly figures: Figures }
  | { readonly kind: 'stopped' };

/** Deliveries come one by one; the thread is told of those of such a while at once. */
const WAKE_AFTER_MS = 10;
/** It says every second how its loops stand; without a word for so many seconds of this thread it hangs. */
const SILENT_SECONDS = 60;
/** Metrics with what the thread said last are better than none. */
const FIGURES_MS = 2_000;

/** Of new objects; two halves of 16 MB, as `npm start` gives the thread that serves HTTP, and what is copied. */
const limits = { maxYoungGenerationSizeMb: 48 };

/** What the thread is connected with once the application is there. */
interface Surroundings {
  readonly workers: Pick<WorkerRegistry, 'leaveToThread'>;
  readonly metrics: Pick<Metrics, 'alsoShow' | 'showStoreWhen'>;
  readonly budget: CallBudget;
}

/** The thread of background work, as the thread that serves HTTP sees it. */
export class BackgroundThread {
  /** Of the thread that serves HTTP. */
  readonly turns: WriteTurns;
  private readonly memory = WriteTurns.memory();
  private thread: Worker | null = null;
  private readonly waking = new Set<string>();
  private isWorking = false;
  private readonly asked = new Map<number, (figures: Figures | null) => void>();
  private last = 0;
  private lender: BudgetLender | null = null;
  private heard: (standing: Standing) => void = () => undefined;
  private silentSeconds = 0;
  private stopping = false;
  private ended = false;
  private end: Promise<void> = Promise.resolve();

  /** `environment`: with secrets as values. `writeLine`: where the log of the thread goes. */
  constructor(
    private environment: Environment,
    private readonly writeLine: (line: string) => void,
  ) {
    this.turns = new WriteTurns(this.memory, 'serving');
  }

  /** The file is migrated: the thread is begun, opens it and works. */
  open({ workers, metrics, budget }: Surroundings): void {
    if (this.stopping) return;
    const url = new URL('./background.thread.js', import.meta.url);
    const thread = startThread(url, { workerData: this.memory, resourceLimits: limits });
    thread.on('message', (message: FromThread) => this.receive(message));
    this.end = new Promise((resolve) => {
      thread.once('exit', () => {
        if (this.ended) return resolve();
        throw new Error('The thread of background work has ended.');
      });
    });
    this.thread = thread;
    this.lender = new BudgetLender(budget, (message) => this.send(message));
    this.heard = workers.leaveToThread((loop) => this.wake(loop));
    metrics.alsoShow(() => this.figures());
    // The store is shown by one of the two.
    metrics.showStoreWhen(() => true);
    this.send({ kind: 'open', environment: this.environment });
    setInterval(() => this.watch(), 1_000).unref();
  }

  /** Secrets were read again from their files. */
  takeOver(environment: Environment): void {
    this.environment = environment;
    this.send({ kind: 'secrets', environment });
  }

  /** Lets work in hand end within `withinMs`, then ends the thread. */
  async stop(withinMs: number): Promise<void> {
    this.stopping = true;
    this.send({ kind: 'stop', withinMs });
    await this.end;
  }

  private receive(message: FromThread): void {
    switch (message.kind) {
      case 'line':
        return this.writeLine(message.line);
      case 'standing':
        this.silentSeconds = 0;
        this.isWorking = true;
        return this.heard(message.standing);
      case 'figures':
        return this.asked.get(message.n)?.(message.figures);
      case 'stopped':
        this.ended = true;
        this.isWorking = false;
        for (const answer of this.asked.values()) answer(null);
        return void this.thread?.terminate();
      case 'turn-asked':
      case 'turn-over':
        return this.lender?.receive(message);
    }
  }

  /** A whole process that was stopped for a while has counted nothing meanwhile. */
  private watch(): void {
    this.silentSeconds += 1;
    if (this.silentSeconds > SILENT_SECONDS && !this.stopping) {
      throw new Error('The thread of background work does nothing any more.');
    }
  }

  private wake(loop: string): void {
    if (this.waking.has(loop)) return;
    this.waking.add(loop);
    setTimeout(() => {
      this.waking.delete(loop);
      this.send({ kind: 'wake', loop });
    }, WAKE_AFTER_MS).unref();
  }

  /** Null where the thread does not work yet, or no more. Rejects where it does not answer. */
  private async figures(): Promise<Figures | null> {
    if (!this.isWorking) return null;
    const n = ++this.last;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Figures | null>((resolve, reject) => {
        this.asked.set(n, resolve);
        timer = setTimeout(() => reject(new Error('The thread of background work does not answer.')), FIGURES_MS);
        this.send({ kind: 'figures', n });
      });
    } finally {
      clearTimeout(timer);
      this.asked.delete(n);
    }
  }

  private send(message: ToThread): void {
    this.thread?.postMessage(message);
  }
}
