/** Named numbers from one round of one side. */
export type Numbers = Readonly<Record<string, number>>;

/** One side of a comparison, measured once a round. */
export interface Side {
  readonly name: string;
  run(round: number): Promise<Numbers>;
}

/** Values that a side measured under a key, by round; throws if there are none. */
export type Values = (side: string, key: string) => readonly number[];

/**
 * Measures all sides in every round, in reverse order in every other round, so that a change of the machine's speed
 * affects all of them. The first round is not counted, because it warms up caches and compilers.
 */
export async function interleaved(
  rounds: number,
  sides: readonly Side[],
  step: (label: string) => void,
): Promise<Values> {
  const measured = new Map<string, Numbers[]>(sides.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      step(`${side.name} ${round}/${rounds}`);
      const numbers = await side.run(round);
      if (round > 0) measured.get(side.name)?.push(numbers);
    }
  }
  return (side, key) => {
    const values = (measured.get(side) ?? []).flatMap((numbers) => numbers[key] ?? []);
    if (values.length === 0) throw new Error(`Nothing was measured for ${side} ${key}.`);
    return values;
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The percentile at `share` (0 to 1) of values sorted in ascending order. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
