import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A running program of this project. */
export interface Running {
  readonly url: string;
  readonly child: ChildProcess;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
}

/** Options for starting a program. */
export interface Start {
  /** Called with the process before it listens. */
  readonly onSpawn?: (child: ChildProcess) => void;
  /**
   * If given, the program restarts whenever its files change, and this is called when it listens again. Failures go to
   * standard error. There is no restart if the first start fails.
   */
  readonly onRestart?: () => void;
}

/** Node options of `npm start` and the image, so that a process uses less memory than with V8's defaults. */
export const nodeOptions: readonly string[] = [
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
  '--no-allocation-site-pretenuring',
];

/** File of a program that was built together with this one, such as `src/main.js`. */
function built(program: string): string {
  return fileURLToPath(new URL(`../${program}`, import.meta.url));
}

/**
 * Starts a built program, appends its output to a log file, and resolves once it reports that it listens. Rejects if
 * it ends before that.
 */
export function startProgram(
  program: string,
  env: Record<string, string>,
  logFile: string,
  { onSpawn, onRestart }: Start = {},
): Promise<Running> {
  const options = [...nodeOptions, ...(onRestart ? ['--watch', '--watch-preserve-output'] : [])];
  const child = spawn(process.execPath, [...options, built(program)], {
    env: { PATH: process.env['PATH'], ...env },
    // Not a directory where a developer may keep an .env.
    cwd: dirname(logFile),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThis(child);
  onSpawn?.(child);
  const log = createWriteStream(logFile, { flags: 'a' });
  child.stderr.pipe(log, { end: false });
  if (onRestart) child.stderr.pipe(process.stderr, { end: false });
  let starts = 0;
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${program} ended before it listened; see ${logFile}`)));
    child.once('close', () => log.end());
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.write(`${line}\n`);
      if (starts === 0 && watcherWaits.test(line)) void stop(child);
      const url = listeningAddress(line);
      if (url && starts++ > 0) onRestart?.();
      if (url) resolve({ url, child, stop: () => stop(child) });
    });
  });
}

/** Resolves when this program should end: on a signal, or when its output is no longer read. */
export function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    for (const output of [process.stdout, process.stderr]) output.on('error', () => resolve());
  });
}

/**
 * Ends a child with SIGTERM when this process is gone, even after SIGKILL, because the shell's input then ends. The
 * shell has its own process group, so that Ctrl-C does not end it first.
 */
export function endWithThis(child: ChildProcess): void {
  const shell = spawn('/bin/sh', ['-c', `read -r _; kill -TERM ${child.pid}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  child.once('exit', () => shell.kill('SIGKILL'));
}

/** Printed by `node --watch` instead of exiting; it then waits for changed files. */
const watcherWaits = /^\P{L}*Failed running /u;

function listeningAddress(line: string): string | null {
  if (!line.includes('"listening"')) return null;
  const { url } = JSON.parse(line) as { url?: string };
  return url ?? null;
}

async function stop(child: ChildProcess): Promise<number | null> {
  // False for a child that has ended.
  if (child.kill('SIGTERM')) await once(child, 'exit');
  return child.exitCode;
}
