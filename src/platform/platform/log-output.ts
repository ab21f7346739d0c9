import { fstatSync } from 'node:fs';
import { stdTimeFunctions } from 'pino';
import sonicBoom from 'sonic-boom';

/** Lines that wait take at most so much memory; a line that does not fit is lost. */
const MAX_BYTES = 4 * 1_048_576;
/** Time that an ending process waits for a slow reader. */
const END_MS = 500;
const STANDARD_OUTPUT = 1;

/**
 * Writes lines of the log beside the event loop. While the output takes none (its reader has stopped, the disk is full)
 * they wait in memory; the next line tries again. Lines that do not fit are counted, and once the others are written a
 * line says how many were lost. Never throws and never waits.
 */
export class LogOutput {
  private readonly stream;
  private readonly listeners: ((lines: number) => void)[] = [];
  private lost = 0;
  private isFailing = false;
  private endsAt = Number.POSITIVE_INFINITY;

  constructor(descriptor: number, maxBytes = MAX_BYTES) {
    const retryEAGAIN = (): boolean => performance.now() < this.endsAt;
    this.stream = new sonicBoom.SonicBoom({ fd: descriptor, sync: false, maxLength: maxBytes, retryEAGAIN });
    this.stream.on('drop', () => this.drop());
    this.stream.on('error', () => (this.isFailing = true));
    this.stream.on('write', () => (this.isFailing = false));
    this.stream.on('drain', () => this.reportLost());
  }

  /** Called with the number of lost lines. */
  onLost(listener: (lines: number) => void): void {
    this.listeners.push(listener);
  }

  write(line: string): void {
    this.stream.write(line);
  }

  /** For a process that ends: writes what waits, for half a second at most. */
  writeRest(): void {
    // On a full disk the library would retry without end.
    if (this.isFailing) return;
    this.endsAt = performance.now() + END_MS;
    try {
      this.stream.flushSync();
    } catch {
      // The reader is too slow.
    }
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

let ofProcess: LogOutput | undefined;

/** The one output of the log in this process. */
export function standardOutput(): LogOutput {
  if (ofProcess) return ofProcess;
  if (isPipe(STANDARD_OUTPUT)) stopBlocking();
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

/** Node makes a pipe non-blocking when it opens its stream; otherwise a write could block without end. */
function stopBlocking(): void {
  process.stdout.on('error', () => undefined);
}
