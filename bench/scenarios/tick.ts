import { type Figure, figureOf } from '../figures.js';
import { Child, cores } from '../process/child.js';
import type { Plan } from './plan.js';
import type { TickCommands } from './tick.process.js';

const DUE = 1_000;
const IDLE_TICKS = 200;

interface Ticks {
  readonly idle: number[];
  readonly due: number[];
}

/** What the schedule takes of a processor, with few accounts and with many. */
export async function tickFigures({ rounds, scale, step }: Plan): Promise<Figure[]> {
  const many = Math.max(DUE, Math.round(100_000 * scale));
  const few = await ticksOf(DUE, rounds, step);
  const all = await ticksOf(many, rounds, step);
  const against = `${DUE.toLocaleString('en-US')} accounts`;
  const unit = 'ms of CPU';
  const name = `tick, ${many.toLocaleString('en-US')} accounts`;
  return [
    figureOf({
      ...{ name: `${name}, nothing due`, unit, values: all.idle },
      ...{ baseline: { name: against, values: few.idle }, goal: { of: 'value', atMost: 5 } },
    }),
    figureOf({
      ...{ name: `${name}, 1,000 due`, unit, values: all.due },
      ...{ baseline: { name: against, values: few.due }, goal: { of: 'value', atMost: 100 } },
    }),
  ];
}

async function ticksOf(accounts: number, rounds: number, step: (label: string) => void): Promise<Ticks> {
  const child = await Child.start<TickCommands>('scenarios/tick.process.js', cores.measured);
  try {
    step(`${accounts} accounts are made`);
    await child.ask('open', { accounts });
    const ticks: Ticks = { idle: [], due: [] };
    // The first round is not counted: it compiles and fills caches.
    for (let round = 0; round <= rounds; round++) {
      step(`${accounts} accounts ${round}/${rounds}`);
      const idle = await child.ask('idle', { ticks: IDLE_TICKS });
      const due = await child.ask('due', { count: DUE, accounts });
      if (due.tasks !== DUE) throw new Error(`${due.tasks} streams were found due instead of ${DUE}.`);
      if (round === 0) continue;
      ticks.idle.push(idle.cpuMs);
      ticks.due.push(due.cpuMs);
    }
    await child.ask('close');
    return ticks;
  } finally {
    await child.end();
  }
}
