import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A program of ours, running. */
export interface Running {
  readonly url: string;
  /** Sends SIGTERM and answers the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts a built program, sends its output to a log file, and resolves once it says it is listening. Rejects when it
 * ends before that.
 */
export function startProgram(script: string, env: Record<string, string>, logFile: string): Promise<Running> {
  const child = spawn(process.execPath, ['--enable-source-maps', script], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logFile);
  child.stderr.pipe(log, { end: false });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}; see ${logFile}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.write(`${line}\n`);
      const url = listeningAddress(line);
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
