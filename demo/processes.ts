import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of ours, running. */
export interface Running {
  readonly url: string;
  /** Sends SIGTERM and answers the exit code. */
  stop(): Promise<number | null>;
}

/** How a program is started anew whenever its files change. */
export interface Watch {
  /** Called when it listens again. */
  readonly onRestart: () => void;
}

/** The file of a program that was built together with this one: `src/main.js`. */
function built(program: string): string {
  return fileURLToPath(new URL(`../${program}`, import.meta.url));
}

/**
 * Starts a built program, sends its output to a log file, and resolves once it says it is listening. Rejects when it
 * ends before that. With `watch` what goes wrong is shown on standard error as well.
 */
export function startProgram(
  program: string,
  env: Record<string, string>,
  logFile: string,
  watch?: Watch,
): Promise<Running> {
  const options = ['--enable-source-maps', ...(watch ? ['--watch', '--watch-preserve-output'] : [])];
  const child = spawn(process.execPath, [...options, built(program)], {
    env: { PATH: process.env['PATH'], ...env },
    // Not where somebody may keep an .env of their own.
    cwd: dirname(logFile),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logFile);
  child.stderr.pipe(log, { end: false });
  if (watch) child.stderr.pipe(process.stderr, { end: false });
  let starts = 0;
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}; see ${logFile}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.write(`${line}\n`);
      const url = listeningAddress(line);
      if (url && starts++ > 0) watch?.onRestart();
      if (url) resolve({ url, stop: () => stop(child) });
    });
  });
}

function listeningAddress(line: string): string | null {
  if (!line.includes('"listening"')) return null;
  const { url } = JSON.parse(line) as { url?: string };
  return url ?? null;
}

function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.kill('SIGTERM');
  });
}
