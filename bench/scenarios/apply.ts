import { type Figure, figureOf } from '../figures.js';
import { Child, cores } from '../process/child.js';
import { interleaved, median, valuesOf } from '../rounds.js';
import type { ApplyCommands, ApplyRates } from './apply.process.js';
import type { Load } from './looks.js';
import type { Plan } from './plan.js';

const accounts = 50;
const manySeries = 1_000;

/** `apply` through the write lane against raw multi-row upserts into the same schema. */
export async function applyFigures({ rounds, scale, step }: Plan): Promise<Figure[]> {
  const child = await Child.start<ApplyCommands>('scenarios/apply.process.js', cores.measured);
  await child.ask('open', { accounts: manySeries });
  try {
    const figures: Figure[] = [];
    for (const shape of shapesFor(scale)) {
      const series = await interleaved(rounds, [variant(child, 'ours', shape), variant(child, 'raw', shape)], step);
      const of = (side: string, phase: keyof ApplyRates): readonly number[] => valuesOf(series, side, phase);
      figures.push(...phases(shape.name, of));
    }
    figures.push(await replayedPages(child), await interleavedSeries(child, { rounds, scale, step }));
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

/** What the replay of a page writes into the file. */
async function replayedPages(child: Child<ApplyCommands>): Promise<Figure> {
  const load: Load = { kind: 'sync', size: 5_000, looks: 1, together: 1, accounts, from: nextStretch() };
  const values = [await child.ask('replayPages', load)];
  const goal = { of: 'value', atMost: 0 } as const;
  return figureOf({ name: 'pages of the file that a replay writes', unit: 'pages', values, goal });
}

/** One sample each of many series in a transaction, as messages of many people bring them, against as many of one. */
async function interleavedSeries(child: Child<ApplyCommands>, { rounds, scale, step }: Plan): Promise<Figure> {
  const batches = Math.max(2, Math.round(50 * scale));
  const all = { kind: 'message', accounts: manySeries } as const;
  const ofMany = { ...all, size: 1, looks: batches * manySeries, together: manySeries };
  const ofOne = { ...all, size: manySeries, looks: batches, together: 1 };
  const side = (name: string, side: 'ours' | 'raw', load: Omit<Load, 'from'>) => ({
    name,
    run: (): Promise<ApplyRates> => child.ask(side, { ...load, from: nextStretch() }),
  });
  const sides = [side('many', 'ours', ofMany), side('one', 'ours', ofOne), side('raw', 'raw', ofMany)];
  const series = await interleaved(rounds, sides, step);
  const raw = median(valuesOf(series, 'raw', 'first'));
  return figureOf({
    name: 'apply, one sample each of 1,000 series',
    unit: 'samples/s',
    values: valuesOf(series, 'many', 'first'),
    baseline: { name: '1,000 of one series', values: valuesOf(series, 'one', 'first') },
    goal: { of: 'ratio', atLeast: 0.5 },
    note: `raw statements write ${Math.round(raw).toLocaleString('en-US')} of the same a second`,
  });
}

/** Every round and shape has a stretch of time of its own, so that a first write is one. */
let stretch = 0;
const stretchPoints = 20_000;

function nextStretch(): number {
  stretch += 1;
  return stretch * stretchPoints;
}

function variant(child: Child<ApplyCommands>, side: 'ours' | 'raw', shape: Shape) {
  return {
    name: side,
    run: (): Promise<ApplyRates> => {
      return child.ask(side, { ...shape.load, accounts, from: nextStretch() });
    },
  };
}

function phases(shape: string, of: (side: string, phase: keyof ApplyRates) => readonly number[]): Figure[] {
  const against = (phase: keyof ApplyRates) => ({ name: 'raw, same schema', values: of('raw', phase) });
  const atLeast = (ratio: number) => ({ of: 'ratio', atLeast: ratio }) as const;
  const isPage = shape.startsWith('page');
  const unit = 'samples/s';
  return [
    figureOf({
      name: `apply, ${shape}, first`,
      unit,
      values: of('ours', 'first'),
      baseline: against('first'),
      goal: atLeast(0.9),
    }),
    figureOf({
      name: `apply, ${shape}, changed`,
      unit,
      values: of('ours', 'changed'),
      baseline: against('changed'),
      goal: atLeast(isPage ? 0.9 : 0.7),
    }),
    figureOf({
      name: `apply, ${shape}, replay`,
      unit,
      values: of('ours', 'replay'),
      baseline: against('replay'),
      goal: atLeast(0.9),
    }),
    figureOf({
      name: `replay of a ${shape}`,
      unit,
      values: of('ours', 'replay'),
      baseline: { name: 'its first write', values: of('ours', 'first') },
      goal: atLeast(isPage ? 2 : 1.2),
    }),
  ];
}
