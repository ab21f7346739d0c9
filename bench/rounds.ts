/** One side of a comparison: measured once a round, every key a number of its own. */
export interface Variant<K extends string> {
  readonly name: string;
  run(round: number): Promise<Readonly<Record<K, number>>>;
}

/** What each side measured, by round. */
export type Series<K extends string> = ReadonlyMap<string, Readonly<Record<K, readonly number[]>>>;

/**
 * Measures all sides in every round, every other round backwards, so that a machine that slows down or speeds up
 * does so for all of them. The first pass is not counted: it warms caches and compilers.
 */
export async function interleaved(
  rounds: number,
  variants: readonly Variant<string>[],
  step: (label: string) => void,
): Promise<Series<string>> {
  const measured = new Map<string, Record<string, number[]>>(variants.map(({ name }) => [name, {}]));
  for (let round = 0; round <= rounds; round++) {
    for (const variant of round % 2 === 0 ? variants : [...variants].reverse()) {
      step(`${variant.name} ${round}/${rounds}`);
      const numbers = await variant.run(round);
      if (round > 0) keep(measured.get(variant.name) ?? {}, numbers);
    }
  }
  return measured;
}

function keep(series: Record<string, number[]>, numbers: Readonly<Record<string, number>>): void {
  for (const [key, value] of Object.entries(numbers)) (series[key] ??= []).push(value);
}

/** The values one side measured under a key; throws where there are none. */
export function valuesOf(series: Series<string>, name: string, key: string): readonly number[] {
  const values = series.get(name)?.[key];
  if (!values || values.length === 0) throw new Error(`Nothing was measured for ${name} ${key}.`);
  return values;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** `share` from 0 to 1, of values in rising order. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
