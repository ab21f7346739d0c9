import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** A sample of a series, as its table has it; epoch milliseconds. */
export interface PackedSample {
  readonly time: number;
  readonly value: number;
  readonly durationMs: number;
  readonly group: number;
}

/** Days of samples of one series as columns, each of differences, compressed together. */
export function pack(samples: readonly PackedSample[]): Buffer {
  const scale = scaleOf(samples);
  const times = samples.map(({ time }) => time);
  const columns = [
    differences(differences(times)),
    differences(samples.map(({ value }) => Math.round(value * scale))),
    differences(samples.map(({ durationMs }) => durationMs)),
    differences(samples.map(({ group }) => group)),
  ];
  const bytes: number[] = [];
  for (const number of [samples.length, scale, ...columns.flat()]) pushVarint(bytes, number);
  return deflateRawSync(Buffer.from(bytes));
}

/** The inverse of {@link pack}, as columns, because an object for each sample would take most of the time. */
export function unpack(packed: Buffer): {
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly durations: Float64Array;
  readonly groups: Float64Array;
} {
  const bytes = inflateRawSync(packed);
  let at = 0;
  const next = (): number => {
    let result = 0;
    let factor = 1;
    for (;;) {
      const byte = bytes[at++] ?? 0;
      result += (byte & 127) * factor;
      if (byte < 128) return result % 2 === 0 ? result / 2 : -(result + 1) / 2;
      factor *= 128;
    }
  };
  const count = next();
  const scale = next();
  const column = (): Float64Array => {
    const numbers = new Float64Array(count);
    for (let index = 0; index < count; index++) numbers[index] = (numbers[index - 1] ?? 0) + next();
    return numbers;
  };
  const steps = column();
  const times = new Float64Array(count);
  for (let index = 0; index < count; index++) times[index] = (times[index - 1] ?? 0) + (steps[index] ?? 0);
  const values = column();
  for (let index = 0; index < count; index++) values[index] = (values[index] ?? 0) / scale;
  return { times, values, durations: column(), groups: column() };
}

/** The power of ten that makes every value a whole number, so that the values stay exact. */
function scaleOf(samples: readonly PackedSample[]): number {
  for (const scale of [1, 10, 100, 1_000]) {
    if (samples.every(({ value }) => Math.round(value * scale) / scale === value)) return scale;
  }
  throw new Error('A value has more than three decimals.');
}

function differences(numbers: readonly number[]): number[] {
  return numbers.map((number, index) => number - (numbers[index - 1] ?? 0));
}

function pushVarint(bytes: number[], number: number): void {
  let rest = number < 0 ? -2 * number - 1 : 2 * number;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
