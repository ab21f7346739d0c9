import type { OrdinaryCommands } from '../baselines/ordinary.process.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { Bursts, noteOfRefused, ordinaryRate, rateOf } from '../load/bursts.js';
import { pointsPerMessage } from '../load/deliveries.js';
import { Child, cores } from '../process/child.js';
import { deadPort, PulsekeepProcess, temporaryFolder } from '../process/pulsekeep.js';
import { staged } from '../process/stage.js';
import { interleaved, type Numbers } from '../rounds.js';

const accounts = 500;
const ours = 'Pulsekeep';
const ordinary = 'Nest on Express + save()';

/** Sends signed messages of 19 samples until all samples are stored. */
export function acceptAndApply({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const bursts = keep(await Bursts.start(accounts));
    const pulsekeep = keep(await PulsekeepProcess.start(accounts, deadPort));
    const usual = keep(await Child.start<OrdinaryCommands>('baselines/ordinary.process.js', cores.measured));
    const path = keep(temporaryFolder()).path('ordinary.sqlite');
    const { port } = await usual.ask('listen', { path, applies: true });
    const [count, few] = [12_000, 300].map((full) => Math.round(full * scale)) as [number, number];
    const sides = [
      { name: ours, run: () => untilApplied(pulsekeep, bursts, count) },
      { name: ordinary, run: async () => ordinaryRate(await bursts.send(ordinary, port, few)) },
    ];
    const of = await interleaved(rounds, sides, step);
    checkStored(pulsekeep, bursts.sentTo(ours));
    const baseline = { name: ordinary, values: of(ordinary, 'rate') };
    const note = noteOfRefused(of(ordinary, 'refused'));
    const unit = 'messages/s';
    return [
      figureOf({ name: 'accept + apply', unit, values: of(ours, 'applied'), baseline, floor: 25, note }),
      figureOf({ name: 'accept while applying', unit, values: of(ours, 'accepted') }),
      figureOf({ name: 'accept + apply, processor time', unit: 'us/message', values: of(ours, 'cpu') }),
    ];
  });
}

async function untilApplied(pulsekeep: PulsekeepProcess, bursts: Bursts, count: number): Promise<Numbers> {
  const before = pulsekeep.cpu();
  const result = await bursts.send(ours, pulsekeep.port, count);
  await pulsekeep.untilAllProcessed(120);
  const { end } = pulsekeep.row<{ end: number }>('SELECT max(finished_at) AS end FROM messages');
  const cpu = ((pulsekeep.cpu() - before) * 1_000) / count;
  return { accepted: rateOf(result), applied: (count * 1_000) / (end - result.startedAt), cpu };
}

/** Checks that everything acknowledged is done and every sample is stored. */
function checkStored(pulsekeep: PulsekeepProcess, sent: number): void {
  const { done } = pulsekeep.row<{ done: number }>(`SELECT count(*) AS done FROM messages WHERE status = 'done'`);
  const { stored } = pulsekeep.row<{ stored: number }>('SELECT count(*) AS stored FROM samples');
  if (done !== sent || stored !== sent * pointsPerMessage) {
    throw new Error(`Of ${sent} messages ${done} are done, with ${stored} samples.`);
  }
}
