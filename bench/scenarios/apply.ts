import { type Figure, figureOf } from '../figures.js';
import { Child, cores } from '../process/child.js';
import { interleaved, valuesOf } from '../rounds.js';
import type { ApplyCommands, ApplyRates } from './apply.process.js';
import type { Load } from './looks.js';
import type { Plan } from './plan.js';

const accounts = 50;

/** `apply` through the write lane against raw multi-row upserts into the same schema. */
export async function applyFigures({ rounds, scale, step }: Plan): Promise<Figure[]> {
  const child = await Child.start<ApplyCommands>('scenarios/apply.process.js', cores.measured);
  await child.ask('open', { accounts });
  try {
    const figures: Figure[] = [];
    for (const shape of shapesFor(scale)) {
      const series = await interleaved(rounds, [variant(child, 'ours', shape), variant(child, 'raw', shape)], step);
      const of = (side: string, phase: keyof ApplyRates): readonly number[] => valuesOf(series, side, phase);
      figures.push(...phases(shape.name, of));
    }
    await child.ask('close');
    return figures;
  } finally {
    await child.end();
  }
}

interface Shape {
  readonly name: string;
  readonly load: Omit<Load, 'from' | 'accounts'>;
}

function shapesFor(scale: number): Shape[] {
  const count = (full: number): number => Math.max(accounts, Math.round(full * scale));
  return [
    { name: 'page of 5,000', load: { kind: 'sync', size: 5_000, looks: count(50), together: 1 } },
    { name: 'page of 1,000', load: { kind: 'sync', size: 1_000, looks: count(200), together: 1 } },
    { name: 'message of 19', load: { kind: 'message', size: 19, looks: count(5_000), together: 50 } },
  ];
}

/** Every round and shape has a stretch of time of its own, so that a first write is one. */
let stretch = 0;
const stretchPoints = 20_000;

function variant(child: Child<ApplyCommands>, side: 'ours' | 'raw', shape: Shape) {
  return {
    name: side,
    run: (): Promise<ApplyRates> => {
      stretch += 1;
      return child.ask(side, { ...shape.load, accounts, from: stretch * stretchPoints });
    },
  };
}

function phases(shape: string, of: (side: string, phase: keyof ApplyRates) => readonly number[]): Figure[] {
  const against = (phase: keyof ApplyRates) => ({ name: 'raw, same schema', values: of('raw', phase) });
  const goal = { of: 'ratio', atLeast: 0.9 } as const;
  const unit = 'samples/s';
  return [
    figureOf({ name: `apply, ${shape}, first`, unit, values: of('ours', 'first'), baseline: against('first'), goal }),
    figureOf({
      name: `apply, ${shape}, changed`,
      unit,
      values: of('ours', 'changed'),
      baseline: against('changed'),
      goal,
    }),
    figureOf({ name: `apply, ${shape}, replay`, unit, values: of('ours', 'replay'), baseline: against('replay') }),
    figureOf({
      name: `replay of a ${shape}`,
      unit,
      values: of('ours', 'replay'),
      baseline: { name: 'its first write', values: of('ours', 'first') },
      goal: { of: 'ratio', atLeast: 1.2 },
    }),
  ];
}
