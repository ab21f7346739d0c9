/**
 * The sandbox clock and the tasks that wait for it.
 *
 * auto    now = real time + offset; a task is due `delay / scale` after it was scheduled and fires automatically.
 * manual  now does not move; tasks fire only inside `moveTo` or `runDue`, one by one in order of due time.
 *
 * Tasks are in memory: a restart of the sandbox loses them (state.ts says what it keeps), and tests start a new one.
 */
import { SECOND } from './times.js';

interface Task {
  dueAt: number;
  /** Order among tasks due at the same instant. */
  rank: number;
  seq: number;
  run: () => Promise<void> | void;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

function before(a: Task, b: Task): boolean {
  if (a.dueAt !== b.dueAt) return a.dueAt < b.dueAt;
  return a.rank !== b.rank ? a.rank < b.rank : a.seq < b.seq;
}

export class Timeline {
  readonly manual: boolean;
  /** Number of failed tasks, which are bugs of the sandbox; `/control/settle` reports them. */
  failedTasks = 0;
  private tasks: Task[] = [];
  private offset = 0;
  private frozenAt: number;
  private seq = 0;
  private inFlight = 0;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private moving: Promise<unknown> = Promise.resolve();

  constructor(
    readonly scale: number,
    startAt: number,
  ) {
    this.manual = scale === 0;
    this.frozenAt = startAt;
    if (!this.manual && startAt > 0) this.offset = startAt - Date.now();
  }

  /** Milliseconds since the epoch, sandbox time. */
  now(): number {
    return this.manual ? this.frozenAt : Date.now() + this.offset;
  }

  /** Calls `run` after `delaySeconds` of sandbox time. Among tasks due at the same instant, lower `rank` runs first. */
  after(delaySeconds: number, run: Task['run'], rank = 0): void {
    if (this.closed) return;
    const delay = this.manual ? delaySeconds * SECOND : (delaySeconds * SECOND) / this.scale;
    this.insert({ dueAt: this.now() + delay, rank, seq: this.seq++, run });
    this.arm();
  }

  /** Moves the clock forward and runs the tasks that become due, in order. Resolves with their number. */
  moveTo(target: number): Promise<number> {
    return this.exclusively(async () => {
      if (this.manual) return this.walkTo(target);
      this.offset += target - this.now();
      return this.runDueTogether();
    });
  }

  /** Runs the tasks that are due now. */
  runDue(): Promise<number> {
    return this.exclusively(() => (this.manual ? this.walkTo(this.now()) : this.runDueTogether()));
  }

  counts(): { in_flight: number; due: number; scheduled: number; next_due_at: number | null } {
    const now = this.now();
    return {
      in_flight: this.inFlight,
      due: this.dueBy(now),
      scheduled: this.tasks.length,
      next_due_at: this.tasks[0]?.dueAt ?? null,
    };
  }

  /** Number of tasks due up to an instant. */
  dueBy(instant: number): number {
    const index = this.tasks.findIndex((task) => task.dueAt > instant);
    return index === -1 ? this.tasks.length : index;
  }

  close(): void {
    this.closed = true;
    this.tasks = [];
    clearTimeout(this.timer);
  }

  private exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.moving.then(work);
    this.moving = result.catch(() => undefined);
    return result;
  }

  private insert(task: Task): void {
    let low = 0;
    let high = this.tasks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.tasks[middle];
      if (other !== undefined && before(other, task)) low = middle + 1;
      else high = middle;
    }
    this.tasks.splice(low, 0, task);
  }

  private takeDue(instant: number): Task | undefined {
    const first = this.tasks[0];
    if (first === undefined || first.dueAt > instant) return undefined;
    return this.tasks.shift();
  }

  private async walkTo(target: number): Promise<number> {
    let ran = 0;
    for (let task = this.takeDue(target); task !== undefined; task = this.takeDue(target)) {
      this.frozenAt = Math.max(this.frozenAt, task.dueAt);
      await this.execute(task);
      ran += 1;
    }
    this.frozenAt = Math.max(this.frozenAt, target);
    return ran;
  }

  private async runDueTogether(): Promise<number> {
    let ran = 0;
    for (;;) {
      const batch: Promise<void>[] = [];
      const now = this.now();
      for (let task = this.takeDue(now); task !== undefined; task = this.takeDue(now)) batch.push(this.execute(task));
      if (batch.length === 0) break;
      ran += batch.length;
      await Promise.all(batch);
    }
    this.arm();
    return ran;
  }

  private async execute(task: Task): Promise<void> {
    this.inFlight += 1;
    try {
      await task.run();
    } catch {
      this.failedTasks += 1;
    } finally {
      this.inFlight -= 1;
    }
  }

  private arm(): void {
    if (this.manual || this.closed) return;
    clearTimeout(this.timer);
    const first = this.tasks[0];
    if (first === undefined) return;
    const wait = Math.min(Math.max(first.dueAt - this.now(), 0), LONGEST_TIMER_MS);
    this.timer = setTimeout(() => this.fire(), wait);
  }

  private fire(): void {
    const now = this.now();
    for (let task = this.takeDue(now); task !== undefined; task = this.takeDue(now)) void this.execute(task);
    this.arm();
  }
}
