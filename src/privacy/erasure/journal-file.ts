import { constants, existsSync, readFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { describeError } from '../../platform/platform/errors.js';
import { makePrivateFile, syncFolderOf } from '../../platform/platform/private-file.js';

/*
 * The erasure journal: a file outside the database, which a restore does not change. Each line is JSON:
 *
 *   {"database":ID}                                          a database starts to record its erasures here
 *   {"database":ID,"erasure":ID,"at":MS,"names":[{"digest","key_id"}],"users":["digest"]}
 *
 * `names` are the fences of the person's ids (HMAC), `users` the tombstones of the upstream users and their orders
 * (SHA-256 of random ids). The file does not contain the key of the fences, so names cannot be tested with the file
 * alone. The key is the first of ERASURE_FENCE_SECRETS, or the database's own key, which is created before the first
 * request is served and never changes, so that every backup contains it. Lines of other databases are ignored, because
 * the file may be older than the database.
 *
 * A line is appended with one write and synced. A crash may leave an incomplete line. Its erasure was never confirmed,
 * so the line is ignored and the erasure is recorded again. A writer that finds an incomplete line ends it first. If
 * another writer does the same or is still writing that line, an empty line remains, which is ignored.
 */

export interface JournalEntry {
  readonly database: string;
  readonly erasure: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly names: readonly { readonly digest: string; readonly key_id: string }[];
  readonly users: readonly string[];
}

/** The journal is missing, damaged, or belongs to another database. The message contains no id of a person. */
export class JournalUnusable extends Error {
  override readonly name = 'JournalUnusable';
}

/**
 * Erasures of one database, oldest first. Throws {@link JournalUnusable} if the file is missing, unreadable, damaged,
 * or does not contain the database.
 */
export function readJournal(path: string, database: string): JournalEntry[] {
  if (!existsSync(path)) {
    throw unusable(path, `does not exist. Restore the file, or set ERASURE_JOURNAL_PATH to its location. ${without}`);
  }
  const lines = linesOf(path).filter((line) => line.database === database);
  const entries = lines.filter((line): line is JournalEntry => 'erasure' in line);
  // Two attempts to record an erasure may both have written it.
  if (lines.length > 0) return [...new Map(entries.map((entry) => [entry.erasure, entry])).values()];
  throw unusable(path, `belongs to another database, or is an older copy. Restore the right file. ${without}`);
}

const without = 'Only if it is lost: `pulsekeep restore --without-erasures` proceeds without it.';

type Line = JournalEntry | { readonly database: string };

/** Matches a line that was cut off right after one of its names. */
const afterName = /"key_id":"[^"]*"\}$/;

function linesOf(path: string): Line[] {
  const whole = textOf(path)
    .split('\n')
    .filter((line) => line.endsWith('}') && !afterName.test(line));
  return whole.map((line) => {
    try {
      return JSON.parse(line) as Line;
    } catch (cause) {
      throw unusable(path, 'is damaged. Restore an intact copy.', cause);
    }
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unusable(path, `cannot be read (${codeOf(cause)}).`, cause);
  }
}

/** True if the journal contains erasures of any database. Throws {@link JournalUnusable}. */
export function hasErasures(path: string): boolean {
  return existsSync(path) && linesOf(path).some((line) => 'erasure' in line);
}

/** Creates the file if necessary; durable on return. Throws {@link JournalUnusable}. */
export async function beginJournal(path: string, database: string): Promise<void> {
  try {
    makePrivateFile(path);
    await syncFolderOf(path);
    await append(path, { database });
  } catch (cause) {
    throw unusable(path, `cannot be written (${codeOf(cause)}).`, cause);
  }
}

/** Appends erasures of one database. */
export class JournalWriter {
  /** Inode of the file that was verified to belong to the database. */
  private inode: number | null = null;

  constructor(
    private readonly path: string,
    private readonly database: string,
  ) {}

  /** Durable on return. Rejects if the file is missing or was replaced by another. */
  async add(entry: Omit<JournalEntry, 'database'>): Promise<void> {
    const { ino } = await stat(this.path);
    if (ino !== this.inode) readJournal(this.path, this.database);
    this.inode = ino;
    await append(this.path, { database: this.database, ...entry });
  }
}

async function append(path: string, line: Line): Promise<void> {
  // No O_CREAT: a missing file must not be replaced by an empty one.
  const file = await open(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const { size } = await file.stat();
    const last = Buffer.from('\n');
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const bytes = Buffer.from(`${last.toString() === '\n' ? '' : '\n'}${JSON.stringify(line)}\n`);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten !== bytes.length) throw new Error('the line was cut off');
    await file.sync();
  } finally {
    await file.close();
  }
}

function unusable(path: string, why: string, cause?: unknown): JournalUnusable {
  return new JournalUnusable(`ERASURE_JOURNAL_PATH: the erasure journal ${path} ${why}`, { cause });
}

function codeOf(error: unknown): string {
  const { code, error: name } = describeError(error);
  return code ?? name;
}
