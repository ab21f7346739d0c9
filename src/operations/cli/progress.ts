import { setTimeout as pause } from 'node:timers/promises';
import { Presets, SingleBar } from 'cli-progress';
import {
  FIRST_PROGRESS_PAUSE_MS,
  MAX_FAILED_POLLS,
  MAX_PROGRESS_PAUSE_MS,
  PROGRESS_LINE_MS,
} from '../alarms/tuning.js';
import { CliFailure, type CliWorld, Interrupted } from './world.js';

export interface Progress {
  readonly label: string;
  /** 0 to 1; null if the total is unknown. */
  readonly share: number | null;
  /** E.g. `12 of 40 pulls, 310 records`. */
  readonly counts: string;
  /** RFC 3339. */
  readonly estimatedEnd: string | null;
}

export interface Display {
  show(progress: Progress): void;
  /** Shows the latest progress and restores the terminal. */
  end(): void;
}

/** Shows a bar on a terminal, else plain lines; on standard error, so that results can be piped. */
export function displayOf(world: Pick<CliWorld, 'err' | 'clock'>): Display {
  return world.err.isTTY === true ? new BarDisplay(world.err) : new LineDisplay(world);
}

/** Shows the progress of work in this process; `signal` is aborted on Ctrl-C. */
export async function displayed<T>(
  world: CliWorld,
  work: (display: Display, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const display = displayOf(world);
  const interrupt = new AbortController();
  const release = world.onInterrupt(() => interrupt.abort());
  try {
    return await work(display, interrupt.signal);
  } finally {
    display.end();
    release();
  }
}

class BarDisplay implements Display {
  private bar: SingleBar | null = null;

  constructor(private readonly stream: NodeJS.WritableStream) {}

  show({ label, share, counts, estimatedEnd }: Progress): void {
    const end = estimatedEnd === null ? '' : ` | ends about ${estimatedEnd}`;
    this.bar ??= this.begin();
    this.bar.update(Math.floor((share ?? 0) * 100), { label, counts, end });
  }

  end(): void {
    this.bar?.stop();
    this.bar = null;
  }

  private begin(): SingleBar {
    const bar = new SingleBar(
      { format: '{label} [{bar}] {percentage}% | {counts}{end}', stream: this.stream, hideCursor: true, barsize: 24 },
      Presets.shades_classic,
    );
    bar.start(100, 0, { label: '', counts: '', end: '' });
    return bar;
  }
}

class LineDisplay implements Display {
  private said = '';
  private saidAt = Number.NEGATIVE_INFINITY;
  private label = '';
  private latest = '';

  constructor(private readonly world: Pick<CliWorld, 'err' | 'clock'>) {}

  show(progress: Progress): void {
    const isNew = progress.label !== this.label;
    this.label = progress.label;
    this.latest = lineOf(progress);
    if (isNew || this.world.clock.now() - this.saidAt >= PROGRESS_LINE_MS) this.say();
  }

  end(): void {
    this.say();
    this.saidAt = Number.NEGATIVE_INFINITY;
  }

  private say(): void {
    if (this.latest === this.said) return;
    this.said = this.latest;
    this.saidAt = this.world.clock.now();
    this.world.err.write(`${this.latest}\n`);
  }
}

function lineOf({ label, share, counts, estimatedEnd }: Progress): string {
  const parts = [share === null ? null : `${Math.floor(share * 100)} %`, counts];
  const end = estimatedEnd === null ? null : `ends about ${estimatedEnd}`;
  return `${label}: ${[...parts, end].filter((part) => part !== null).join(', ')}`;
}

const passing = new Set([
  'unreachable',
  'not_this_service',
  'shutting_down',
  'storage_unavailable',
  'busy',
  'internal',
]);

interface Watching {
  readonly display: Display;
  readonly signal: AbortSignal;
}

interface Followed<T> {
  readonly poll: () => Promise<T>;
  readonly progress: (state: T) => Progress;
  readonly ended: (state: T) => boolean;
}

/** Polls until the work has ended, shows its progress, and returns the final state. */
export async function follow<T>(session: Watching, { poll, progress, ended }: Followed<T>): Promise<T> {
  const { display, signal } = session;
  let waitMs = FIRST_PROGRESS_PAUSE_MS;
  try {
    for (;;) {
      const state = await persistently(poll, session);
      display.show(progress(state));
      if (ended(state)) return state;
      await wait(waitMs, signal);
      waitMs = Math.min(waitMs * 1.3, MAX_PROGRESS_PAUSE_MS);
    }
  } finally {
    display.end();
  }
}

async function persistently<T>(poll: () => Promise<T>, { display, signal }: Watching): Promise<T> {
  for (let failed = 1; ; failed++) {
    try {
      return await poll();
    } catch (error) {
      if (!(error instanceof CliFailure) || !passing.has(error.code) || failed === MAX_FAILED_POLLS) throw error;
      display.show({ label: 'waiting', share: null, counts: waitingFor(error), estimatedEnd: null });
      await wait(MAX_PROGRESS_PAUSE_MS, signal);
    }
  }
}

function waitingFor({ code, message }: CliFailure): string {
  return `${message} Retrying (${code}).`;
}

/** Throws Interrupted on Ctrl-C. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {
    throw new Interrupted();
  });
}

/** Estimated from the average pace so far; null below one percent. */
export function estimatedEnd(share: number, startedAt: number, now: number): string | null {
  if (share < 0.01 || share >= 1 || now <= startedAt) return null;
  return new Date(now + ((now - startedAt) / share) * (1 - share)).toISOString();
}
