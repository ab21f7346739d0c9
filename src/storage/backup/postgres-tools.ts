import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ownerOnly } from './files.js';
import { BackupError } from './manifest.js';

type Tool = 'pg_dump' | 'pg_restore';

export interface ToolOptions {
  readonly signal?: AbortSignal;
  /** Takes what the tool prints; nothing is kept of it otherwise. */
  readonly read?: (output: NodeJS.ReadableStream) => Promise<void>;
}

/**
 * Runs one of PostgreSQL's own tools to its end. What it says on standard error may name values of rows, so of that
 * nothing is repeated. Throws {@link BackupError}.
 */
export async function runTool(
  tool: Tool,
  options: readonly string[],
  { signal, read }: ToolOptions = {},
): Promise<void> {
  const child = spawn(tool, options, { stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) });
  const ended = endOf(child).catch((error: unknown) => {
    throw new BackupError([reasonOf(tool, error, signal)], { cause: error });
  });
  const said = text(child.stderr);
  const reading = read ? read(child.stdout) : Promise.resolve(void child.stdout.resume());
  const [code] = await Promise.all([ended, reading.catch(() => undefined)]);
  if (code === 0) return reading;
  const isOtherVersion = /server version mismatch|unsupported version/.test(await said);
  const why = isOtherVersion ? 'it is of an older version than the server or the file' : `it ended with ${code}`;
  throw new BackupError([`${tool} did not succeed: ${why}.`]);
}

async function endOf(child: ChildProcess): Promise<number | string> {
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return code ?? signal ?? 'no code';
}

function reasonOf(tool: Tool, error: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted) return 'Stopped; no backup was made.';
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' ? `${tool} is not installed here.` : `${tool} could not be started.`;
}

/**
 * Hands the address of a database to a tool without its password, which anybody on the machine could read in the list
 * of processes: that stands in a file for the time of the work.
 */
export async function withAddress<T>(url: string, work: (address: string) => Promise<T>): Promise<T> {
  const address = new URL(url);
  if (address.password === '') return work(address.href);
  const folder = mkdtempSync(join(tmpdir(), 'pulsekeep-'));
  try {
    const password = decodeURIComponent(address.password).replace(/[\\:]/g, '\\$&');
    writeFileSync(join(folder, 'passfile'), `*:*:*:*:${password}\n`, { mode: ownerOnly });
    address.password = '';
    address.searchParams.set('passfile', join(folder, 'passfile'));
    return await work(address.href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
