import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BareCommands } from '../baselines/bare.process.js';
import type { OrdinaryCommands } from '../baselines/ordinary.process.js';
import type { Figure } from '../figures.js';
import { pointsPerMessage } from '../load/deliveries.js';
import type { LoadCommands, LoadResult } from '../load/load.process.js';
import { Child, cores } from '../process/child.js';
import { interleaved, type Variant } from '../rounds.js';
import { acceptFigures, sides } from './accept.figures.js';
import type { Plan } from './plan.js';
import { deadPort, environment, PulsekeepProcess, preparedDatabase } from './pulsekeep.js';
import type { PulsekeepCommands } from './pulsekeep.process.js';

const connections = 64;
const accounts = 500;

/** Signed messages from 64 connections until all are accepted, and until all are applied. */
export async function accept(plan: Plan): Promise<Figure[]> {
  const stage = new Stage();
  try {
    const variants = await stage.variants(plan.scale);
    const series = await interleaved(plan.rounds, variants, plan.step);
    stage.check();
    return acceptFigures(series);
  } finally {
    await stage.end();
  }
}

interface HasCpu {
  /** Milliseconds of processor time used. */
  cpu(): number;
}

/** Every process of the comparison; idle while it is not its turn. */
class Stage {
  private readonly children: { end(): Promise<void> }[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'pulsekeep-bench-'));
  private readonly sent = new Map<string, number>();
  private load: Child<LoadCommands> | null = null;
  private whole: PulsekeepProcess | null = null;

  async variants(scale: number): Promise<Variant<string>[]> {
    this.load = this.kept(await Child.start<LoadCommands>('load/load.process.js', cores.driver));
    const count = (full: number): number => Math.round(full * scale);
    const bare = this.kept(await Child.start<BareCommands>('baselines/bare.process.js', cores.measured));
    const accepting = await this.accepting();
    return [
      this.burst(
        sides.bare,
        bare,
        await bare.ask('listen', { database: join(this.folder, 'bare.sqlite') }),
        count(12_000),
      ),
      this.burst(sides.accept, accepting.child, accepting.at, count(12_000)),
      await this.pulsekeep(count(12_000)),
      await this.ordinary(sides.ordinaryAccept, count(1_000), false),
      await this.ordinary(sides.ordinaryWhole, count(300), true),
    ];
  }

  /** Everything the real process acknowledged is done, and every sample is there. */
  check(): void {
    const sent = this.sent.get(sides.whole) ?? 0;
    const { done } = this.process().row<{ done: number }>(
      `SELECT count(*) AS done FROM messages WHERE status = 'done'`,
    );
    const { stored } = this.process().row<{ stored: number }>('SELECT count(*) AS stored FROM samples');
    if (done !== sent || stored !== sent * pointsPerMessage) {
      throw new Error(`Of ${sent} messages ${done} are done, with ${stored} samples.`);
    }
  }

  async end(): Promise<void> {
    for (const child of this.children.reverse()) await child.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private burst(name: string, measured: HasCpu, { port }: { port: number }, count: number): Variant<string> {
    const run = async (): Promise<Record<string, number>> => {
      const before = measured.cpu();
      const result = await this.send(name, port, count);
      return { ...rates(result), cpu: ((measured.cpu() - before) * 1_000) / count };
    };
    return { name, run };
  }

  private async pulsekeep(count: number): Promise<Variant<string>> {
    this.whole = this.kept(await PulsekeepProcess.start(accounts, deadPort));
    const run = async (): Promise<Record<string, number>> => {
      const process = this.process();
      const before = process.cpu();
      const result = await this.send(sides.whole, process.port, count);
      await process.untilAllProcessed(120);
      const { end } = process.row<{ end: number }>('SELECT max(finished_at) AS end FROM messages');
      const cpu = ((process.cpu() - before) * 1_000) / count;
      return { ...rates(result), applied: (result.accepted * 1000) / (end - result.startedAt), cpu };
    };
    return { name: sides.whole, run };
  }

  private async accepting(): Promise<{ child: HasCpu; at: { port: number } }> {
    const child = this.kept(await Child.start<PulsekeepCommands>('scenarios/pulsekeep.process.js', cores.measured));
    const { folder, path } = await preparedDatabase(accounts);
    this.children.unshift({ end: async () => rmSync(folder, { recursive: true, force: true }) });
    return { child, at: await child.ask('listen', environment(path, deadPort)) };
  }

  private async ordinary(name: string, count: number, applies: boolean): Promise<Variant<string>> {
    const child = this.kept(await Child.start<OrdinaryCommands>('baselines/ordinary.process.js', cores.measured));
    const at = await child.ask('listen', { path: join(this.folder, `ordinary-${applies}.sqlite`), applies });
    return this.burst(name, child, at, count);
  }

  private async send(name: string, port: number, count: number): Promise<LoadResult> {
    const first = this.sent.get(name) ?? 0;
    this.sent.set(name, first + count);
    const deliveries = { path: '/webhooks', label: 'bench', accounts, first, count };
    if (!this.load) throw new Error('Nobody sends.');
    return this.load.ask('burst', { port, connections, deliveries });
  }

  private process(): PulsekeepProcess {
    if (!this.whole) throw new Error('Pulsekeep does not run.');
    return this.whole;
  }

  private kept<C extends { end(): Promise<void> }>(child: C): C {
    this.children.push(child);
    return child;
  }
}

/** Per second; refused is a share. */
function rates({ accepted, refused, seconds, p50, p99 }: LoadResult): Record<string, number> {
  return { accepted: accepted / seconds, refused: refused / (accepted + refused), p50, p99 };
}
