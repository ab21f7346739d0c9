import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { AppError } from '../../platform/platform/errors.js';

/*
 * SQLite keeps writing to the file it opened, even after that file was removed, moved or replaced. What it acknowledges
 * then is lost with the process. So the lane checks the files before it confirms a commit.
 *
 *   there --(a path names no file or another one, or the start of the log is gone)--> lost
 *   there --(header or size changed without a checkpoint)--> in doubt --(for 10 s)--> lost
 *         <--(a checkpoint was made)--
 *
 * Overwriting the file keeps its inode but changes its header, which contains a change counter; a truncated file has
 * another size. Only checkpoints write to the file. A checkpoint of another program is noticed only once it has ended,
 * so a change is in doubt at first. During the first second of doubt, commits are still confirmed. Commits to a
 * truncated log leave zeros before them, which makes it unreadable. Lost is final: the process must end.
 */

/** Change of the files under the open database. */
export type FileFault = 'file_removed' | 'file_replaced' | 'file_overwritten';

export interface LostFile {
  readonly fault: FileFault;
  /** The path that no longer names the open file. */
  readonly path: string;
}

/** Checkpoints, the only writes to the file. */
export interface FileWriters {
  /** True while a checkpoint of this process is running. */
  readonly atWork: boolean;
  /** Increases with every checkpoint of any process until the log restarts. */
  count(): string;
}

/** SQLite's header of the file, or its encrypted beginning. */
const HEADER_BYTES = 100;
/** After this time in doubt, commits are refused. */
const DOUBT_REFUSED_MS = 1_000;
const DOUBT_LOST_MS = 10_000;
/** The first part of the log's header, with a counter of restarts and a random number for each. */
const LOG_HEADER_BYTES = 24;
/** First bytes of a log (SQLite's file format, section 4.1); the last bit is the byte order of checksums. */
const LOG_MAGIC = 0x377f0682;
/** Suffixes of the files of an open database. */
export const companions = ['', '-wal', '-shm', '.owner'];

export class SqliteFileWatch {
  /** Set once, permanently. */
  lost: LostFile | null = null;
  private readonly watched: readonly { readonly path: string; readonly id: string }[];
  /** Kept open until the database is closed: closing any descriptor of the file releases SQLite's locks. */
  private readonly descriptor: number;
  private readonly log: number | null;
  /** Header and size of the file. */
  private state: string;
  /** Checkpoint count when the state was last seen unchanged. */
  private count: string;
  private doubtedSince: number | null = null;

  constructor(
    private readonly path: string,
    private readonly writers: FileWriters,
    private readonly onLost: (lost: LostFile) => void,
  ) {
    this.watched = companions
      .map((suffix) => ({ path: `${path}${suffix}`, id: idOf(`${path}${suffix}`) }))
      .filter((each): each is { path: string; id: string } => each.id !== null);
    this.descriptor = openSync(path, 'r');
    this.log = this.watched.some((each) => each.path === `${path}-wal`) ? openSync(`${path}-wal`, 'r') : null;
    this.state = this.stateOfFile();
    this.count = this.checkpoints(this.logHeader());
  }

  /** Throws `storage_unavailable` if the paths no longer name the open files. */
  assertThere(): void {
    this.lost ??= this.moved() ?? this.changed();
    if (this.lost !== null || this.isRefused()) {
      throw new AppError('storage_unavailable', 'The database file no longer exists.', { retryAfterSeconds: 5 });
    }
  }

  close(): void {
    closeSync(this.descriptor);
    if (this.log !== null) closeSync(this.log);
  }

  private moved(): LostFile | null {
    for (const { path, id } of this.watched) {
      const now = idOf(path);
      if (now !== id) return this.lose({ fault: now === null ? 'file_removed' : 'file_replaced', path });
    }
    return null;
  }

  private changed(): LostFile | null {
    const header = this.logHeader();
    return this.cutLog(header) ?? this.overwritten(header);
  }

  private cutLog(header: Buffer): LostFile | null {
    const begins = header.readUInt32BE() >>> 1 === LOG_MAGIC >>> 1;
    if (begins || this.log === null || fstatSync(this.log).size === 0) return null;
    return this.lose({ fault: 'file_overwritten', path: `${this.path}-wal` });
  }

  private overwritten(header: Buffer): LostFile | null {
    const state = this.stateOfFile();
    const count = this.checkpoints(header);
    if (state === this.state || this.writers.atWork || count !== this.count) {
      this.state = state;
      this.count = count;
      this.doubtedSince = null;
      return null;
    }
    this.doubtedSince ??= performance.now();
    if (performance.now() - this.doubtedSince < DOUBT_LOST_MS) return null;
    return this.lose({ fault: 'file_overwritten', path: this.path });
  }

  private stateOfFile(): string {
    return `${read(this.descriptor, HEADER_BYTES).toString('hex')}:${fstatSync(this.descriptor).size}`;
  }

  private lose(lost: LostFile): LostFile {
    this.onLost(lost);
    return lost;
  }

  private isRefused(): boolean {
    return this.doubtedSince !== null && performance.now() - this.doubtedSince >= DOUBT_REFUSED_MS;
  }

  /** Changes if a checkpoint has ended since; a restarted log counts from zero. */
  private checkpoints(header: Buffer): string {
    return `${header.toString('hex', 12)}:${this.writers.count()}`;
  }

  /** Zeros if the log is missing or empty. */
  private logHeader(): Buffer {
    return this.log === null ? Buffer.alloc(LOG_HEADER_BYTES) : read(this.log, LOG_HEADER_BYTES);
  }
}

function read(descriptor: number, bytes: number): Buffer {
  const header = Buffer.alloc(bytes);
  readSync(descriptor, header, 0, bytes, 0);
  return header;
}

/** Identifies the file at a path; null if there is none. */
function idOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}
