import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nodeOptions } from '../../harness/processes.js';
import type { Answer, Commands } from './serve.js';

/**
 * The measured process runs on core 0, its driver and peers on core 1. With `BENCH_CORES=both`, the measured process
 * may use both, as in production.
 */
export const cores: Readonly<Record<'measured' | 'driver' | 'any', number | null>> = {
  measured: process.env['BENCH_CORES'] === 'both' ? null : 0,
  driver: 1,
  any: null,
};
type Core = number | null;

/** True if processes can be pinned to a core on this machine. */
export const pinned = spawnSync('taskset', ['-c', '1', 'true']).status === 0;

/** A compiled file, relative to the parent of this folder. */
export function benchFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

interface SpawnOptions {
  readonly core: Core;
  readonly env?: NodeJS.ProcessEnv;
  /** Handling of its output. */
  readonly stdout: 'pipe' | 'ignore';
  readonly ipc: boolean;
}

const alive = new Set<ChildProcess>();
process.on('exit', () => alive.forEach((child) => child.kill('SIGKILL')));

export function spawnNode(file: string, { core, env = {}, stdout, ipc }: SpawnOptions): ChildProcess {
  const options = [...nodeOptions, ...(process.env['BENCH_NODE_OPTIONS'] ?? '').split(' ').filter(Boolean)];
  const node = [process.execPath, ...options, file];
  const [command = '', ...rest] = pinned && core !== null ? ['taskset', '-c', String(core), ...node] : node;
  const stdio = ['ignore', stdout, 'inherit', ...(ipc ? ['ipc' as const] : [])] as ('ignore' | 'pipe' | 'ipc')[];
  const child = spawn(command, rest, { stdio, env: { PATH: process.env['PATH'], ...env } });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  return child;
}

/** Ends a child process and waits for it; kills it after five seconds. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  if (child.connected) child.disconnect();
  else child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await gone;
  clearTimeout(timer);
}

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** CPU time of a process with all its threads, in milliseconds; NaN if the system does not report it. */
export function cpuOf({ pid }: ChildProcess): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  const fields = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A process whose functions can be called; see serve.ts. */
export class Child<C extends Commands> {
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  private constructor(
    private readonly process: ChildProcess,
    private readonly file: string,
  ) {
    process.on('message', (message) => this.settle(message as Answer));
    process.once('exit', () => this.failAll());
  }

  /** Starts a compiled file of `bench/` and waits until it serves. */
  static async start<C extends Commands>(file: string, core: Core): Promise<Child<C>> {
    const child = new Child<C>(spawnNode(benchFile(file), { core, stdout: 'ignore', ipc: true }), file);
    await new Promise((resolve, reject) => child.waiting.set(0, { resolve, reject }));
    return child;
  }

  ask<K extends keyof C & string>(command: K, ...[input]: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>> {
    const id = ++this.lastId;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.process.send({ id, command, input });
    return answer as Promise<Awaited<ReturnType<C[K]>>>;
  }

  /** CPU time in milliseconds. */
  cpu(): number {
    return cpuOf(this.process);
  }

  end(): Promise<void> {
    return endChild(this.process);
  }

  private settle(answer: Answer): void {
    const entry = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ('error' in answer) entry?.reject(new Error(`${this.file}: ${answer.error}`));
    else entry?.resolve(answer.result);
  }

  private failAll(): void {
    for (const { reject } of this.waiting.values()) reject(new Error(`${this.file} ended unexpectedly.`));
    this.waiting.clear();
  }
}
