import { type PackedSample, pack, unpack } from '../baselines/packed-samples.js';
import { type Figure, figureOf, type Plan } from '../figures.js';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const daysOfMonth = 30;
const months = 12;

/** A repeatable random number from 0 to 1 (Park and Miller's generator). */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

interface Kind {
  readonly name: string;
  readonly everyMs: number;
  /** Samples come some seconds late and with gaps, as devices send them. */
  readonly jitterMs: number;
  readonly durationMs: number;
  readonly next: (before: number, chance: number) => number;
}

const kinds: readonly Kind[] = [
  {
    ...{ name: 'heart rate each minute', everyMs: MINUTE, jitterMs: 3_000, durationMs: 0 },
    next: (before, chance) => Math.min(180, Math.max(45, before + Math.round((chance - 0.5) * 8))),
  },
  {
    ...{ name: 'steps each minute', everyMs: MINUTE, jitterMs: 0, durationMs: MINUTE },
    next: (_, chance) => (chance < 0.75 ? 0 : Math.round(chance * 110)),
  },
  {
    ...{ name: 'glucose each five minutes', everyMs: 5 * MINUTE, jitterMs: 2_000, durationMs: 0 },
    next: (before, chance) => Math.round(Math.min(18, Math.max(3, before + (chance - 0.5) * 0.8)) * 10) / 10,
  },
];

function monthOf({ everyMs, jitterMs, durationMs, next }: Kind, month: number): PackedSample[] {
  const chance = random(month + 1);
  const samples: PackedSample[] = [];
  let value = 70;
  for (let at = 0; at < daysOfMonth * DAY; at += everyMs) {
    value = next(value, chance());
    // A twentieth is missing; a day arrives in about four messages, each a group.
    if (chance() < 0.05) continue;
    const time = month * daysOfMonth * DAY + at + Math.round((chance() * jitterMs) / 1_000) * 1_000;
    samples.push({ time, value, durationMs, group: 1_000 + Math.floor(at / (DAY / 4)) });
  }
  return samples;
}

/** Sums of each day: what `daily` needs of a packed month at least. */
function sumsOf(packed: readonly Buffer[]): number {
  let days = 0;
  for (const month of packed) {
    const { times, values } = unpack(month);
    let day = -1;
    let sum = 0;
    for (let index = 0; index < times.length; index++) {
      const own = Math.floor((times[index] ?? 0) / DAY);
      if (own !== day) days += sum > 0 ? 1 : 0;
      sum = own === day ? sum + (values[index] ?? 0) : 0;
      day = own;
    }
  }
  return days;
}

/** What packed months of samples would cost (docs/decisions/0039-packed-samples.md). */
export function packing({ rounds, step }: Plan): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const kind of kinds) {
    step(kind.name);
    const year = Array.from({ length: months }, (_, month) => monthOf(kind, month));
    const count = year.flat().length;
    const packed = year.map(pack);
    const isSame = year.every((samples, month) => {
      const { times, values, durations, groups } = unpack(packed[month] as Buffer);
      return samples.every(
        ({ time, value, durationMs, group }, index) =>
          time === times[index] &&
          value === values[index] &&
          durationMs === durations[index] &&
          group === groups[index],
      );
    });
    if (!isSame) throw new Error(`The samples of ${kind.name} are not the same after packing.`);
    const bytes = packed.reduce((sum, { length }) => sum + length, 0) / count;
    const timed = (work: () => void): number[] =>
      Array.from({ length: rounds }, () => {
        const begun = performance.now();
        work();
        return performance.now() - begun;
      });
    const packMs = timed(() => year.map(pack)).map((ms) => (ms * 1_000) / count);
    const readMs = timed(() => sumsOf([...packed, ...packed, ...packed]));
    figures.push(
      figureOf({ name: `packed, ${kind.name}`, unit: 'bytes a sample', values: [bytes] }),
      figureOf({ name: `packing, ${kind.name}`, unit: 'µs a sample', values: packMs }),
      figureOf({ name: `a year from three sources, ${kind.name}`, unit: 'ms', values: readMs }),
    );
  }
  return Promise.resolve(figures);
}
