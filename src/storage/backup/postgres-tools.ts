import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { BackupError, ownerOnly } from './manifest.js';

/** URL parameters that libpq knows too; all others are for node-postgres or the hosting provider. */
const libpqKnows =
  /^(host|hostaddr|port|dbname|user|passfile|options|application_name|connect_timeout|client_encoding|keepalives\w*|tcp_user_timeout|sslmode|sslcert|sslkey|sslrootcert|sslcrl|sslcrldir|sslsni|ssl_\w+_protocol_version|gssencmode|krbsrvname|target_session_attrs|channel_binding|service)$/;

/**
 * `DATABASE_URL` in libpq's form. The password goes to a separate file, because everyone on the machine can read the
 * arguments of a process.
 */
export function libpqAddress(url: string, passfile: string): string {
  const address = new URL(url);
  const { searchParams } = address;
  const password = searchParams.get('password') ?? decodeURIComponent(address.password);
  address.password = '';
  const ssl = searchParams.get('ssl');
  if (ssl !== null && !searchParams.has('sslmode')) searchParams.set('sslmode', plainly(ssl) ? 'disable' : 'require');
  // Encrypts without checking the server's identity.
  if (searchParams.get('sslmode') === 'no-verify') searchParams.set('sslmode', 'require');
  for (const name of [...searchParams.keys()]) if (!libpqKnows.test(name)) searchParams.delete(name);
  if (password !== '') {
    writeFileSync(passfile, `*:*:*:*:${password.replace(/[\\:]/g, '\\$&')}\n`, { mode: ownerOnly });
    searchParams.set('passfile', passfile);
  }
  // libpq does not read a plus as a space.
  address.search = address.search.replaceAll('+', '%20');
  return address.href;
}

const plainly = (ssl: string): boolean => ['false', '0'].includes(ssl);

interface ToolOptions {
  readonly url?: string;
  readonly signal?: AbortSignal;
  /** For pg_restore: lines of the archive's table of contents to restore, in this order; default: all. */
  readonly only?: readonly string[];
}

/**
 * Runs one of PostgreSQL's tools until it exits, and returns its output. Throws {@link BackupError} with the first line
 * of its error output.
 */
export async function runTool(
  tool: 'pg_dump' | 'pg_restore',
  options: readonly string[],
  { url, signal, only }: ToolOptions = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pulsekeep-'));
  try {
    const address = url === undefined ? [] : [`--dbname=${libpqAddress(url, join(folder, 'passfile'))}`];
    const list = join(folder, 'list');
    if (only) writeFileSync(list, only.join('\n'));
    const all = [...options, ...(only ? [`--use-list=${list}`] : []), ...address];
    return await end(tool, spawn(tool, all, { ...piped, ...(signal && { signal }) }), signal);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const piped = { stdio: ['ignore', 'pipe', 'pipe'] } as const satisfies SpawnOptions;

async function end(
  tool: string,
  child: ChildProcessByStdio<null, Readable, Readable>,
  signal: AbortSignal | undefined,
): Promise<string> {
  const [printed, complaint] = [text(child.stdout), text(child.stderr)];
  const [code] = (await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? `${tool} is not installed here.` : `${tool} could not be started.`;
    throw new BackupError([signal?.aborted ? 'Stopped; no backup was made.' : why], { cause: error });
  })) as [number | null];
  if (code === 0) return printed;
  throw new BackupError([`${tool} did not succeed: ${firstError(await complaint) || `it ended with ${code}`}`]);
}

/** Later lines, and the quoted end of this one, may contain values of rows. */
function firstError(complaint: string): string {
  const lines = complaint.split('\n').map((line) => line.trim());
  const line = lines.find((each) => /error|fatal/i.test(each)) ?? lines.find((each) => each !== '') ?? '';
  return line.replace(/: "[^"]*"?$/, '').slice(0, 300);
}
