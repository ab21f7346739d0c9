import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../harness/processes.js';
import type { ProcessFault } from './process-faults.js';
import type { Tally } from './tally.js';

/** Time limit for a process to listen if the database is reachable. */
const RESTART_PAUSE_MS = 300;

/** One Pulsekeep process, restarted on its port after every kill. */
export class Member {
  readonly url: string;
  readonly logFile: string;
  private child: ChildProcess | undefined;
  private listens = false;
  private frozen = false;
  private ending = false;
  private alive: Promise<void> = Promise.resolve();

  constructor(
    readonly name: string,
    port: number,
    private readonly env: Readonly<Record<string, string>>,
    folder: string,
    private readonly seen: Tally,
  ) {
    this.logFile = join(folder, `${name}.log`);
    this.url = `http://127.0.0.1:${port}`;
    this.env = { ...env, PORT: String(port) };
  }

  /** Of the process that runs now. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  get isListening(): boolean {
    return this.listens && !this.frozen;
  }

  /** Keeps it running until `stop`; resolves when it listens for the first time. */
  async start(): Promise<void> {
    let first: () => void = () => undefined;
    const listening = new Promise<void>((resolve) => (first = resolve));
    this.alive = this.keepAlive(first);
    await listening;
  }

  /** Kills it immediately; it restarts automatically. */
  kill(): boolean {
    return this.child?.kill('SIGKILL') ?? false;
  }

  /** Applies a fault to the current process; returns the number of strikes. */
  async disturb({ strike }: ProcessFault, ms: number): Promise<number> {
    return this.pid === undefined ? 0 : strike(this.pid, pause(ms));
  }

  async freeze(ms: number): Promise<void> {
    const child = this.child;
    if (!child?.kill('SIGSTOP')) return;
    this.frozen = true;
    await pause(ms);
    this.frozen = false;
    child.kill('SIGCONT');
  }

  /** Stops it, like an operator; true if it exited with 0 within `ms`. */
  async stop(ms: number): Promise<boolean> {
    this.ending = true;
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return true;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), ms);
    await gone;
    clearTimeout(late);
    await this.alive;
    return child.exitCode === 0;
  }

  private async keepAlive(first: () => void): Promise<void> {
    while (!this.ending) {
      const child = await this.run(first);
      if (this.ending) return;
      if (child?.signalCode === 'SIGKILL') this.seen.add('killed');
      else this.seen.add(this.listens ? `ended by itself with ${child?.exitCode}` : 'did not start');
      this.listens = false;
      await pause(RESTART_PAUSE_MS);
    }
  }

  /** One life of the process. */
  private async run(first: () => void): Promise<ChildProcess | undefined> {
    let started: ChildProcess | undefined;
    const onSpawn = (child: ChildProcess): void => void (this.child = started = child);
    try {
      const { child } = await startProgram('src/main.js', this.env, this.logFile, { onSpawn });
      this.listens = true;
      this.seen.add('started');
      first();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    } catch {
      // The process ended before it listened.
    }
    return started;
  }
}
