import { type Figure, figureOf } from '../figures.js';
import { interleaved, type Variant, valuesOf } from '../rounds.js';
import { GoodMessages } from './good-messages.js';
import type { Plan } from './plan.js';

const unknownUsersCount = 10_000;
const trickle = 10;
const firstUnknown = 1_000_000;
const mostRounds = 3;

const alone = 'known users alone';
const beside = 'beside 10,000 unknown users';

/**
 * How long messages of known users take while thousands of unknown users wait for upstream, which hangs, and more of
 * them come all the time.
 */
export async function unknownUsers({ scale, step, ...plan }: Plan): Promise<Figure[]> {
  const rounds = Math.min(plan.rounds, mostRounds);
  const seconds = Math.max(2, Math.round(10 * scale));
  const stage = new Stage(await GoodMessages.start(seconds), seconds, Math.round(unknownUsersCount * scale));
  try {
    const series = await interleaved(rounds, stage.variants(), step);
    const unit = 'ms';
    const baseline = { name: alone, values: valuesOf(series, alone, 'done') };
    return [
      figureOf({ name: 'received to done p99, alone', unit, values: baseline.values }),
      figureOf({
        ...{ name: 'received to done p99, unknown users', unit, values: valuesOf(series, beside, 'done'), baseline },
        goal: { of: 'ratio', atMost: 1.5 },
        note: 'Upstream takes every call and answers none.',
      }),
    ];
  } finally {
    await stage.end();
  }
}

class Stage {
  private sent = 0;

  constructor(
    private readonly good: GoodMessages,
    private readonly seconds: number,
    private readonly count: number,
  ) {}

  variants(): Variant<string>[] {
    return [
      { name: alone, run: () => this.good.measure() },
      { name: beside, run: () => this.besideUnknown() },
    ];
  }

  end(): Promise<void> {
    return this.good.end();
  }

  private async besideUnknown(): Promise<Record<string, number>> {
    const { load, process } = this.good;
    await load.ask('burst', { ...this.target(), deliveries: this.unknown(this.count) });
    await process.untilNoMessage("status = 'received'", 600);
    const more = this.unknown(this.seconds * trickle);
    const [measured] = await Promise.all([
      this.good.measure(),
      load.ask('paced', { ...this.target(), deliveries: more, rate: trickle }),
    ]);
    return measured;
  }

  private target(): { port: number; connections: number } {
    return { port: this.good.process.port, connections: 4 };
  }

  /** One message each of users who are nobody's account. */
  private unknown(count: number): { path: string; label: string; accounts: number; first: number; count: number } {
    const deliveries = { path: '/webhooks', label: 'unknown', firstAccount: firstUnknown, accounts: 1e9 };
    const first = this.sent;
    this.sent += count;
    return { ...deliveries, first, count };
  }
}
