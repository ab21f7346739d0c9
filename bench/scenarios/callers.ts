import { type Figure, figureOf } from '../figures.js';
import type { CallerCommands } from '../load/callers.process.js';
import type { LoadCommands } from '../load/load.process.js';
import type { UpstreamCommands } from '../load/upstream.process.js';
import { Child, cores } from '../process/child.js';
import { interleaved, median, type Variant, valuesOf } from '../rounds.js';
import type { Plan } from './plan.js';
import { PulsekeepProcess } from './pulsekeep.js';

const callers = 1_000;
const accounts = 400;
const rates = { deliveries: 100, signIns: 20 };
const connections = 16;
const mostRounds = 3;
/** Before what others wait is measured, whoever asks too much has used up the quotas. */
const settledSeconds = 2;

const idle = 'others alone';
const beside = 'beside 1,000 callers';

/**
 * What others wait, for the 204 of a delivery and for a sign-in, while 1,000 connections of one account ask for
 * everything without end; and how much the access log grows by them. The quotas are those of `.env.example`.
 */
export async function callersOfOneAccount({ scale, step, ...plan }: Plan): Promise<Figure[]> {
  const seconds = Math.max(3, Math.round(20 * scale));
  const stage = await Stage.open(seconds);
  try {
    const series = await interleaved(Math.min(plan.rounds, mostRounds), stage.variants(), step);
    const of = (name: string, key: string): readonly number[] => valuesOf(series, name, key);
    const unit = 'ms';
    const compared = (name: string, key: string): Figure[] => [
      figureOf({ name: `${name} p99, idle`, unit, values: of(idle, key) }),
      figureOf({
        name: `${name} p99, 1,000 callers`,
        unit,
        values: of(beside, key),
        baseline: { name: `${name} p99, idle`, values: of(idle, key) },
        goal: { of: 'ratio', atMost: 3 },
      }),
    ];
    const count = (key: string): string => Math.round(median(of(beside, key))).toLocaleString('en-US');
    const note = `Of ${count('asked')} requests in ${seconds + settledSeconds} s ${count('refused')} were refused.`;
    return [
      ...compared('webhook', 'delivery'),
      ...compared('sign-in', 'signIn'),
      figureOf({ name: 'access log rows by 1,000 callers', unit: 'rows', values: of(beside, 'rows'), note }),
    ];
  } finally {
    await stage.end();
  }
}

class Stage {
  private sent = 0;

  private constructor(
    private readonly seconds: number,
    private readonly process: PulsekeepProcess,
    private readonly load: Child<LoadCommands>,
    private readonly apps: Child<CallerCommands>,
    private readonly insistent: Child<CallerCommands>,
    private readonly upstream: Child<UpstreamCommands>,
  ) {}

  static async open(seconds: number): Promise<Stage> {
    const upstream = await Child.start<UpstreamCommands>('load/upstream.process.js', cores.driver);
    const { port } = await upstream.ask('listen');
    const load = await Child.start<LoadCommands>('load/load.process.js', cores.driver);
    const apps = await Child.start<CallerCommands>('load/callers.process.js', cores.driver);
    const insistent = await Child.start<CallerCommands>('load/callers.process.js', cores.driver);
    return new Stage(seconds, await PulsekeepProcess.start(accounts, port), load, apps, insistent, upstream);
  }

  variants(): Variant<string>[] {
    return [
      { name: idle, run: () => this.others() },
      { name: beside, run: () => this.besideCallers() },
    ];
  }

  async end(): Promise<void> {
    await this.process.end();
    for (const child of [this.load, this.apps, this.insistent, this.upstream]) await child.end();
  }

  private async besideCallers(): Promise<Record<string, number>> {
    const before = this.rows();
    const target = { port: this.process.port, connections: callers, account: 0 };
    const insisting = this.insistent.ask('insist', { ...target, seconds: this.seconds + settledSeconds });
    await new Promise((resolve) => setTimeout(resolve, settledSeconds * 1_000));
    const measured = await this.others();
    const statuses = await insisting;
    const asked = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    return { ...measured, asked, refused: statuses['429'] ?? 0, rows: this.rows() - before };
  }

  private async others(): Promise<Record<string, number>> {
    const target = { port: this.process.port, connections };
    const count = this.seconds * rates.deliveries;
    const deliveries = { path: '/webhooks', label: 'others', accounts, first: this.sent, count };
    this.sent += count;
    const ofOthers = { first: 1, count: accounts - 1 };
    const [delivered, signedIn] = await Promise.all([
      this.load.ask('paced', { ...target, deliveries, rate: rates.deliveries }),
      this.apps.ask('signIn', { ...target, accounts: ofOthers, rate: rates.signIns, seconds: this.seconds }),
    ]);
    if (delivered.refused + signedIn.refused > 0) {
      throw new Error(`${delivered.refused} deliveries and ${signedIn.refused} sign-ins of others were refused.`);
    }
    return { delivery: delivered.p99, signIn: signedIn.p99 };
  }

  /** Entries about the one account. */
  private rows(): number {
    return this.process.row<{ rows: number }>('SELECT count(*) AS rows FROM access_log WHERE account_ref = 1').rows;
  }
}
