import { Presets, SingleBar } from 'cli-progress';
import type { CliWorld } from './world.js';

/** How far a piece of work is. */
export interface Progress {
  readonly label: string;
  /** 0 to 1; null while nobody knows how much there is. */
  readonly share: number | null;
  /** Counts in words: `12 of 40 pulls, 310 records`. */
  readonly counts: string;
  /** RFC 3339. */
  readonly estimatedEnd: string | null;
}

/** Shows where work stands while somebody waits for it. */
export interface Display {
  show(standing: Progress): void;
  /** Shows the last standing and leaves the terminal as it was. */
  end(): void;
}

/** A line at most so often where nobody watches a bar. */
const LINE_INTERVAL_MS = 3_000;

/** A bar on a terminal, plain lines elsewhere; on standard error, so that answers can be piped on. */
export function displayOf(world: Pick<CliWorld, 'err' | 'clock'>): Display {
  return world.err.isTTY === true ? new BarDisplay(world.err) : new LineDisplay(world);
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
  private latest = '';

  constructor(private readonly world: Pick<CliWorld, 'err' | 'clock'>) {}

  show(standing: Progress): void {
    this.latest = lineOf(standing);
    if (this.world.clock.now() - this.saidAt >= LINE_INTERVAL_MS) this.say();
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
