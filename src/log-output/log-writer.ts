import { fstatSync, write, writeSync } from 'node:fs';
import { stdTimeFunctions } from 'pino';

/*
 * Lines of the log on their way out.
 *
 *   write -> queue, up to so many bytes -> one chunk at a time -> output
 *              full: the line is lost and counted
 *              output fails (disk full, reader gone): the chunk is lost and counted, the next try is a second later
 *
 * Once lines go out again after some were lost, a line says how many. A crash loses what is queued but for what the
 * bounded flush at the end of the process still writes.
 */

/** Writes bytes; calls back with the error or how many went. Must not block. */
export type Output = (chunk: Buffer, done: (error: Error | null, written: number) => void) => void;

export interface LogWriterOptions {
  readonly output: Output;
  readonly maxBytes?: number;
  readonly retryMs?: number;
}

const MAX_BYTES = 4 * 1_048_576;
const CHUNK_BYTES = 65_536;
const RETRY_MS = 1_000;
/** An output that would have to wait is asked again so soon. */
const BUSY_MS = 50;

/** Takes lines at once and for ever: never throws, never waits, never holds more than it may. */
export class LogWriter {
  private readonly queue: Buffer[] = [];
  private queuedBytes = 0;
  private chunk: Buffer = Buffer.alloc(0);
  private chunkLines = 0;
  private isBusy = false;
  private isLineBroken = false;
  private unsaid = 0;
  private readonly listeners: ((lines: number) => void)[] = [];
  private readonly output: Output;
  private readonly maxBytes: number;
  private readonly retryMs: number;

  constructor({ output, maxBytes = MAX_BYTES, retryMs = RETRY_MS }: LogWriterOptions) {
    this.output = output;
    this.maxBytes = maxBytes;
    this.retryMs = retryMs;
  }

  /** Told how many lines were lost, each time. */
  onLost(listener: (lines: number) => void): void {
    this.listeners.push(listener);
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.queuedBytes + bytes.length > this.maxBytes) return this.lost(1);
    this.queue.push(bytes);
    this.queuedBytes += bytes.length;
    if (!this.isBusy) this.next();
  }

  /** Writes what is queued, by a call that blocks for no longer than `ms` in all; what is left then is lost. */
  flushNow(ms: number, writeNow: (chunk: Buffer) => number): void {
    const deadline = performance.now() + ms;
    while (this.queue.length > 0 && performance.now() < deadline) {
      const line = this.queue[0] as Buffer;
      const written = writeNow(line);
      if (written < 0) return;
      if (written === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      else if (written < line.length) this.queue[0] = line.subarray(written);
      else this.queue.shift();
    }
  }

  private next(): void {
    this.isBusy = true;
    const lines = this.takeLines();
    this.chunkLines = lines.length;
    if (lines.length === 0) {
      this.isBusy = false;
      return;
    }
    // What was cut off half-way ends here, so that the first whole line after it can be read.
    if (this.isLineBroken) lines.unshift(Buffer.from('\n'));
    if (this.unsaid > 0) lines.push(lostLine(this.unsaid));
    this.chunk = lines.length === 1 ? (lines[0] as Buffer) : Buffer.concat(lines);
    this.send(0);
  }

  private takeLines(): Buffer[] {
    const lines: Buffer[] = [];
    for (let bytes = 0, line = this.queue[0]; line !== undefined; line = this.queue[0]) {
      if (lines.length > 0 && bytes + line.length > CHUNK_BYTES) break;
      bytes += line.length;
      lines.push(line);
      this.queue.shift();
    }
    return lines;
  }

  private send(from: number): void {
    const said = this.unsaid;
    this.output(this.chunk.subarray(from), (error, written) => {
      if (error && isBusy(error)) return this.again(() => this.send(from), BUSY_MS);
      if (error) return this.failed(from);
      if (from + written < this.chunk.length) return this.send(from + written);
      this.isLineBroken = false;
      this.unsaid -= said;
      this.done();
      this.next();
    });
  }

  private failed(from: number): void {
    this.isLineBroken ||= from > 0;
    this.lost(this.chunkLines);
    this.done();
    this.again(() => this.next(), this.retryMs);
  }

  private done(): void {
    this.chunk = Buffer.alloc(0);
    this.queuedBytes = this.queue.reduce((sum, { length }) => sum + length, 0);
  }

  private again(then: () => void, ms: number): void {
    setTimeout(then, ms).unref();
  }

  private lost(lines: number): void {
    this.unsaid += lines;
    for (const listener of this.listeners) listener(lines);
  }
}

function isBusy({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EAGAIN' || code === 'EBUSY';
}

function lostLine(count: number): Buffer {
  return Buffer.from(`{"level":"warn"${stdTimeFunctions.isoTime()},"event":"app.log_lines_lost","count":${count}}\n`);
}

/** A file, a device: written to beside the event loop, by the thread pool. */
export function descriptorOutput(descriptor: number): Output {
  return (chunk, done) => write(descriptor, chunk, 0, chunk.length, null, done);
}

/** A pipe or socket, whose reader may stop reading: through the event loop, so that no thread waits for it. */
function streamOutput(stream: NodeJS.WriteStream): Output {
  stream.on('error', () => undefined);
  return (chunk, done) => void stream.write(chunk, (error) => done(error ?? null, chunk.length));
}

/** Bytes written at once; 0 when it would have to wait, -1 when it cannot be written to. */
function writtenNow(descriptor: number, chunk: Buffer): number {
  try {
    return writeSync(descriptor, chunk);
  } catch (error) {
    return isBusy(error as NodeJS.ErrnoException) ? 0 : -1;
  }
}

/** A process that ends writes what is left for so long. */
const END_MS = 500;
const STANDARD_OUTPUT = 1;
let ofProcess: LogWriter | undefined;

/** The one writer of standard output in this process. */
export function standardOutput(): LogWriter {
  if (ofProcess) return ofProcess;
  const writer = new LogWriter({ output: isRead() ? streamOutput(process.stdout) : descriptorOutput(STANDARD_OUTPUT) });
  process.on('exit', () => writer.flushNow(END_MS, (chunk) => writtenNow(STANDARD_OUTPUT, chunk)));
  ofProcess = writer;
  return writer;
}

function isRead(): boolean {
  try {
    const found = fstatSync(STANDARD_OUTPUT);
    return found.isFIFO() || found.isSocket();
  } catch {
    return false;
  }
}
