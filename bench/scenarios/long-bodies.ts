import { type Figure, figureOf } from '../figures.js';
import type { LoadCommands } from '../load/load.process.js';
import { Child, cores } from '../process/child.js';
import { interleaved, median, type Variant, valuesOf } from '../rounds.js';
import { GoodMessages } from './good-messages.js';
import type { Plan } from './plan.js';

const bodies = 20;
/** About 4 MB. */
const pointsOfEach = 41_000;
/** They are of accounts that the others do not use. */
const firstAccount = 100;
const mostRounds = 3;

const alone = 'short alone';
const beside = 'beside 20 bodies of 4 MB';

/** How long short messages take, and how much memory is needed, while long ones come all at once. */
export async function longBodies({ scale, step, ...plan }: Plan): Promise<Figure[]> {
  const rounds = Math.min(plan.rounds, mostRounds);
  const good = await GoodMessages.start(Math.max(2, Math.round(10 * scale)));
  const stage = new Stage(good, await Child.start<LoadCommands>('load/load.process.js', cores.driver));
  try {
    const series = await interleaved(rounds, stage.variants(), step);
    const figures = (['answered', 'done'] as const).map((key) => {
      const baseline = { name: alone, values: valuesOf(series, alone, key) };
      const name = key === 'answered' ? 'sent to 204 p99, long bodies' : 'received to done p99, long bodies';
      return figureOf({ name, unit: 'ms', values: valuesOf(series, beside, key), baseline });
    });
    const memory = { name: 'peak memory, long bodies', unit: 'MiB', values: [stage.peak] };
    const baseline = { name: 'before any', values: [stage.idlePeak] };
    const note = `All ${bodies} bodies were stored and applied ${median(valuesOf(series, beside, 'all')).toFixed(1)} s after the first was sent.`;
    return [...figures, figureOf({ ...memory, baseline, note })];
  } finally {
    await stage.end();
  }
}

class Stage {
  peak = 0;
  readonly idlePeak: number;
  private sent = 0;

  constructor(
    private readonly good: GoodMessages,
    /** A process of its own, since making the bodies takes it a while. */
    private readonly load: Child<LoadCommands>,
  ) {
    this.idlePeak = good.process.peakMemory();
  }

  variants(): Variant<string>[] {
    return [
      { name: alone, run: () => this.good.measure() },
      { name: beside, run: () => this.besideLong() },
    ];
  }

  async end(): Promise<void> {
    await this.load.end();
    await this.good.end();
  }

  private async besideLong(): Promise<Record<string, number>> {
    const { process } = this.good;
    const deliveries = { path: '/webhooks', label: 'long', firstAccount, accounts: bodies, points: pointsOfEach };
    const long = {
      port: process.port,
      connections: bodies,
      deliveries: { ...deliveries, first: this.sent, count: bodies },
    };
    this.sent += bodies;
    const begun = Date.now();
    const [{ refused }, measured] = await Promise.all([this.load.ask('burst', long), this.good.measure()]);
    if (refused > 0) throw new Error(`${refused} long messages were refused.`);
    await process.untilNoMessage("size > 1000000 AND status <> 'done'", 300);
    const ended = process.row<{ at: number }>('SELECT max(finished_at) AS at FROM messages WHERE size > 1000000').at;
    this.peak = process.peakMemory();
    return { ...measured, all: (ended - begun) / 1000 };
  }
}
