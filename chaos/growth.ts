import { readdirSync, readFileSync, statSync } from 'node:fs';

const EVERY_MS = 30_000;
/** Shortest life of a process (ten minutes) in which growth can be judged. */
const FEWEST_SAMPLES = 20;
/** Maximum ratio of the last quarter to the second one, when caches are already full. */
const MAX_MEMORY = 1.25;
const MAX_HANDLES = 1.1;
const MIB = 1024 * 1024;

/** Resources of one process at an instant. */
export interface Held {
  readonly memory: number;
  readonly handles: number;
}

/** Progress of the run and its logs at an instant. */
interface Written {
  readonly logBytes: number;
  readonly deliveries: number;
}

interface Watched {
  readonly name: string;
  readonly pid: number | undefined;
  readonly logFile: string;
}

/** Samples memory, handles and log of every process from outside while it runs. */
export class Growth {
  private readonly lives = new Map<string, Map<number, Held[]>>();
  private written: Written | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly watched: readonly Watched[],
    private readonly deliveries: () => Promise<number>,
  ) {}

  begin(): void {
    this.timer = setInterval(() => void this.sample(), EVERY_MS);
  }

  end(): void {
    clearInterval(this.timer);
  }

  private async sample(): Promise<void> {
    for (const { name, pid } of this.watched) {
      const held = pid === undefined ? null : heldBy(pid);
      if (held === null || pid === undefined) continue;
      const lives = this.lives.get(name) ?? new Map<number, Held[]>();
      this.lives.set(name, lives.set(pid, [...(lives.get(pid) ?? []), held]));
    }
    const deliveries = await this.deliveries().catch(() => null);
    if (deliveries !== null) this.written = { logBytes: this.logBytes(), deliveries };
  }

  private logBytes(): number {
    return this.watched.reduce(
      (sum, { logFile }) => sum + (statSync(logFile, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  /** Resources of each process in its longest life, and the growth of the logs. */
  text(): string {
    const held = [...this.lives].map(([name, lives]) => `${name} ${heldText(longest(lives))}`);
    const last = this.written;
    if (last === null) return 'not looked at';
    const perDelivery = (last.logBytes / Math.max(1, last.deliveries)).toFixed(0);
    return [...held, `log ${mib(last.logBytes)}, ${perDelivery} bytes a delivery`].join('; ');
  }

  /**
   * Resources that grew in a life that is long enough to judge. Growth of the log is only reported, because pulls write
   * to it as well.
   */
  violations(): string[] {
    return [...this.lives].flatMap(([name, lives]) => grown(longest(lives)).map((what) => `${name}: ${what}`));
  }
}

/** Names the resources that use more in the last quarter of a life than in the second. */
export function grown(life: readonly Held[]): string[] {
  if (life.length < FEWEST_SAMPLES) return [];
  const of = (part: readonly Held[], what: keyof Held): number => median(part.map((held) => held[what]));
  const [, second, , last] = quarters(life);
  const found: string[] = [];
  if (of(last, 'memory') > of(second, 'memory') * MAX_MEMORY) found.push('memory grows');
  if (of(last, 'handles') > of(second, 'handles') * MAX_HANDLES + 2) found.push('handles grow');
  return found;
}

function heldText(life: readonly Held[]): string {
  const [, second, , last] = quarters(life);
  const memory = (part: readonly Held[]): string => mib(median(part.map((held) => held.memory)));
  const handles = (part: readonly Held[]): number => median(part.map((held) => held.handles));
  const minutes = ((life.length * EVERY_MS) / 60_000).toFixed(0);
  if (life.length < 4) return `never lived for two minutes: ${memory(life)}, ${handles(life)} handles`;
  return `for ${minutes} min: memory ${memory(second)} then ${memory(last)}, handles ${handles(second)} then ${handles(last)}`;
}

function longest(lives: ReadonlyMap<number, Held[]>): readonly Held[] {
  return [...lives.values()].reduce((most, life) => (life.length > most.length ? life : most), []);
}

function quarters<T>(all: readonly T[]): [T[], T[], T[], T[]] {
  const part = (index: number): T[] =>
    all.slice(Math.floor((all.length * index) / 4), Math.floor((all.length * (index + 1)) / 4));
  return [part(0), part(1), part(2), part(3)];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function mib(bytes: number): string {
  return `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`;
}

/** As reported by Linux for a process; null if it reports nothing. */
function heldBy(pid: number): Held | null {
  try {
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return resident === undefined
      ? null
      : { memory: Number(resident) * 1024, handles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return null;
  }
}
