import type { BareCommands } from '../baselines/bare.process.js';
import type { OrdinaryCommands } from '../baselines/ordinary.process.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { Bursts, noteOfRefused, ordinaryRate, rateOf } from '../load/bursts.js';
import type { AcceptingCommands } from '../process/accepting.process.js';
import { Child, cores } from '../process/child.js';
import { deadPort, environment, preparedDatabase, temporaryFolder } from '../process/pulsekeep.js';
import { staged } from '../process/stage.js';
import { interleaved, type Numbers, type Side } from '../rounds.js';

const accounts = 500;
const bare = 'bare Fastify + HMAC + group commit';
const ours = 'Pulsekeep, accepting';
const ordinary = 'Nest on Express + save()';

/** Sends signed messages of 2 kB until all are accepted; they are not applied. */
export function accept({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const bursts = keep(await Bursts.start(accounts));
    const files = keep(temporaryFolder());
    const count = (full: number): number => Math.round(full * scale);
    const fast = (name: string, child: Child<BareCommands> | Child<AcceptingCommands>, port: number): Side => ({
      name,
      run: async (): Promise<Numbers> => {
        const before = child.cpu();
        const result = await bursts.send(name, port, count(12_000));
        const cpu = ((child.cpu() - before) * 1_000) / count(12_000);
        return { rate: rateOf(result), p50: result.p50, p99: result.p99, cpu };
      },
    });
    const raw = keep(await Child.start<BareCommands>('baselines/bare.process.js', cores.measured));
    const rawAt = await raw.ask('listen', { database: files.path('bare.sqlite') });
    const accepting = keep(await Child.start<AcceptingCommands>('process/accepting.process.js', cores.measured));
    const acceptingAt = await accepting.ask(
      'listen',
      environment(keep(await preparedDatabase(accounts)).path, deadPort),
    );
    const usual = keep(await Child.start<OrdinaryCommands>('baselines/ordinary.process.js', cores.measured));
    const usualAt = await usual.ask('listen', { path: files.path('ordinary.sqlite'), applies: false });
    const sides = [
      fast(bare, raw, rawAt.port),
      fast(ours, accepting, acceptingAt.port),
      { name: ordinary, run: async () => ordinaryRate(await bursts.send(ordinary, usualAt.port, count(1_000))) },
    ];
    const of = await interleaved(rounds, sides, step);
    const against = (name: string, key: string) => ({ name, values: of(name, key) });
    const unit = 'messages/s';
    return [
      figureOf({ name: 'accept', unit, values: of(ours, 'rate'), baseline: against(bare, 'rate'), floor: 0.65 }),
      figureOf({
        name: 'accept',
        unit,
        values: of(ours, 'rate'),
        baseline: against(ordinary, 'rate'),
        floor: 8,
        note: noteOfRefused(of(ordinary, 'refused')),
      }),
      figureOf({ name: 'accept p50', unit: 'ms', values: of(ours, 'p50'), baseline: against(bare, 'p50') }),
      figureOf({ name: 'accept p99', unit: 'ms', values: of(ours, 'p99'), baseline: against(bare, 'p99') }),
      figureOf({
        name: 'accept, processor time',
        unit: 'us/message',
        values: of(ours, 'cpu'),
        baseline: against(bare, 'cpu'),
      }),
    ];
  });
}
