import { type ChildProcess, type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

// Threads also load this, but have no channel.
const endWithParent = `if (process.channel) {
  process.once('disconnect', () => process.exit(1));
  process.channel.unref();
}`;

/**
 * Node options for a child with a channel to its parent: it ends when the parent does, even if the parent is killed.
 */
export const endingWithParent: readonly string[] = ['--import', `data:text/javascript,${endWithParent}`];

/** Starts Node in a process that ends with this one. It has no input; `outputs` sets where its output goes. */
export function spawnNode(
  args: readonly string[],
  options: Pick<SpawnOptions, 'env' | 'cwd'>,
  outputs: 'pipe' | 'ignore' = 'pipe',
): ChildProcess {
  const stdio: SpawnOptions['stdio'] = ['ignore', outputs, outputs, 'ipc'];
  return spawn(process.execPath, [...endingWithParent, ...args], { ...options, stdio });
}

/** Starts a built program such as `src/main.js`. Its default working directory has no `.env`. */
export function spawnProgram(
  program: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  cwd = String(process.env['PULSEKEEP_TEST_BUILD']),
): ChildProcessByStdio<null, Readable, Readable> {
  const path = join(String(process.env['PULSEKEEP_TEST_BUILD']), program);
  const options = { env: { PATH: process.env['PATH'], ...env }, cwd };
  return spawnNode([path, ...args], options) as ChildProcessByStdio<null, Readable, Readable>;
}

/** Runs a program until it exits; returns its exit code. */
export async function runProgram(program: string, env: Readonly<Record<string, string>>): Promise<number | null> {
  return (await programRun(program, env)).code;
}

/** Runs a program until it exits; returns its exit code and both outputs. */
export function programRun(
  program: string,
  env: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<{ code: number | null; output: string }> {
  const child = spawnProgram(program, env, [], cwd);
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void chunks.push(String(chunk)));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: chunks.join('') })));
}

/** Pulsekeep in a separate process that can be killed. */
export class ChildPulsekeep {
  /** Its exit code, once it has ended and all of its output was read. */
  private readonly closed: Promise<number | null>;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** Output of both streams so far. */
    readonly output: readonly string[],
  ) {
    this.closed = new Promise((resolve) => child.once('close', resolve));
  }

  /** Rejects with the exit code and output if it exits instead of listening. */
  static start(env: Readonly<Record<string, string>>, cwd?: string): Promise<ChildPulsekeep> {
    const child = spawnProgram('src/main.js', env, [], cwd);
    const output: string[] = [];
    return new Promise((resolve, reject) => {
      child.once('close', (code) => reject(new Error(`ended with ${code}: ${output.join('\n')}`)));
      createInterface({ input: child.stderr }).on('line', (line) => void output.push(line));
      createInterface({ input: child.stdout }).on('line', (line) => {
        output.push(line);
        const { event, url } = JSON.parse(line) as { event?: string; url?: string };
        if (event === 'listening' && url) resolve(new ChildPulsekeep(child, url, output));
      });
    });
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Kills it without a chance to react. */
  kill(): Promise<number | null> {
    return this.end('SIGKILL');
  }

  /** Asks it to end; returns the exit code. */
  stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** Suspends the process until it is resumed; its connections stay open. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  goOn(): void {
    this.child.kill('SIGCONT');
  }

  /** Sends a signal that does not end it. */
  tell(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends a signal that ends it; returns the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.closed;
  }
}
