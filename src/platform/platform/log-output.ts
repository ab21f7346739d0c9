import { fstatSync, write, writeSync } from 'node:fs';
import { stdTimeFunctions } from 'pino';

/** Memory for waiting lines; a line that does not fit is lost. */
const MAX_BYTES = 4 * 1_048_576;
/** Maximum bytes of one write, so that a slow reader gets them in pieces. */
const CHUNK_BYTES = 65_536;
/** Pause before the next attempt while a reader accepts nothing. */
const RETRY_MS = 10;
/** Time that an ending process waits for a slow reader. */
const END_MS = 500;
const STANDARD_OUTPUT = 1;

/**
 * Writes log lines without blocking the event loop. While the output accepts none (its reader has stopped, the disk is
 * full), lines wait in memory, and the next line tries again. Lines that do not fit are counted, and a later line
 * reports how many were lost. Never throws and never waits. Not `sonic-boom`, because its `flushSync` never returns on
 * a full disk (docs/decisions/0031-given-up.md).
 */
export class LogOutput {
  private readonly listeners: ((lines: number) => void)[] = [];
  private waiting: string[] = [];
  private bytes = 0;
  /** Bytes to write next. */
  private chunk = Buffer.alloc(0);
  private isWriting = false;
  private retry: NodeJS.Timeout | undefined;
  private lost = 0;

  constructor(
    private readonly descriptor: number,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /** `listener` gets the number of lost lines. */
  onLost(listener: (lines: number) => void): void {
    this.listeners.push(listener);
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.bytes + bytes > this.maxBytes) return this.drop();
    this.waiting.push(line);
    this.bytes += bytes;
    if (this.retry === undefined) this.writeNext();
  }

  /** Called at process exit: writes the waiting lines, for at most half a second. */
  writeRest(): void {
    const endsAt = performance.now() + END_MS;
    // An asynchronous write of this chunk is already running and will still finish.
    if (this.isWriting) this.chunk = Buffer.alloc(0);
    while (this.takeNext() && performance.now() < endsAt) {
      try {
        this.taken(writeSync(this.descriptor, this.chunk));
      } catch (error) {
        if (!isBusy(error)) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      }
    }
  }

  /** Makes a chunk of the waiting lines unless there is one. False if nothing is waiting. */
  private takeNext(): boolean {
    if (this.chunk.length > 0) return true;
    let lines = 0;
    for (let length = 0; lines < this.waiting.length && length < CHUNK_BYTES; lines++) {
      length += this.waiting[lines]?.length ?? 0;
    }
    this.chunk = Buffer.from(this.waiting.splice(0, lines).join(''));
    return this.chunk.length > 0;
  }

  private taken(bytes: number): void {
    this.chunk = this.chunk.subarray(bytes);
    this.bytes -= bytes;
  }

  private writeNext(): void {
    if (this.isWriting) return;
    if (!this.takeNext()) return this.reportLost();
    const { chunk } = this;
    this.isWriting = true;
    write(this.descriptor, chunk, (error, bytes) => {
      this.isWriting = false;
      if (error === null && this.chunk === chunk) this.taken(bytes);
      if (error === null) this.writeNext();
      else if (isBusy(error)) this.retryLater();
    });
  }

  private retryLater(): void {
    this.retry ??= setTimeout(() => {
      this.retry = undefined;
      this.writeNext();
    }, RETRY_MS);
  }

  private drop(): void {
    this.lost += 1;
    for (const listener of this.listeners) listener(1);
  }

  private reportLost(): void {
    if (this.lost === 0) return;
    const event = `"event":"app.log_lines_lost","count":${this.lost}`;
    this.lost = 0;
    this.write(`{"level":"warn"${stdTimeFunctions.isoTime()},${event}}\n`);
  }
}

/** A pipe with a slow reader: the same bytes can be written later. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

let ofProcess: LogOutput | undefined;

/** The log output of this process. */
export function standardOutput(): LogOutput {
  if (ofProcess) return ofProcess;
  // Node makes a pipe non-blocking when it opens its stream; otherwise a write could block forever.
  if (isPipe(STANDARD_OUTPUT)) process.stdout.on('error', () => undefined);
  const output = new LogOutput(STANDARD_OUTPUT);
  process.on('exit', () => output.writeRest());
  ofProcess = output;
  return output;
}

function isPipe(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFIFO() || found.isSocket();
  } catch {
    return false;
  }
}
