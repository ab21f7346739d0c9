import { createHash } from 'node:crypto';

type Part = string | number;

function digest(parts: Part[]): Buffer {
  return createHash('sha256').update(parts.join('\u0000')).digest();
}

/** A UUID (version 4 form) that depends only on its parts: the same parts give the same id in every run. */
export function uuidFrom(...parts: Part[]): string {
  const bytes = digest(parts).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** An opaque printable token that depends only on its parts. */
export function tokenFrom(...parts: Part[]): string {
  return digest(parts).toString('base64url');
}

/** Seeded pseudo random numbers (mulberry32). Streams with different parts are independent of each other. */
export class Rng {
  private state: number;

  constructor(...parts: Part[]) {
    this.state = digest(parts).readUInt32LE(0);
  }

  /** A number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer in [min, max], including both. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** A number in [min, max] with at most `decimals` decimal places. */
  float(min: number, max: number, decimals: number): number {
    return Number((min + this.next() * (max - min)).toFixed(decimals));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  shuffle<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, rank: this.next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }
}

/** Ids of one sandbox: counters per kind, so that calls of one kind do not shift the ids of another. */
export class Ids {
  private counters = new Map<string, number>();

  constructor(readonly seed: string) {}

  /** For a restart (state.ts). */
  keep(): Map<string, number> {
    return this.counters;
  }

  restore(kept: Map<string, number>): void {
    this.counters = kept;
  }

  /** The next integer of a kind, from 1. */
  integer(kind: string): number {
    const value = (this.counters.get(kind) ?? 0) + 1;
    this.counters.set(kind, value);
    return value;
  }

  uuid(kind: string, ...parts: Part[]): string {
    const scope = [kind, ...parts].join('|');
    return uuidFrom(this.seed, scope, this.integer(scope));
  }

  /** The same parts always give the same id. */
  stableUuid(...parts: Part[]): string {
    return uuidFrom(this.seed, 'stable', ...parts);
  }

  token(kind: string): string {
    return tokenFrom(this.seed, kind, this.integer(kind));
  }

  rng(...parts: Part[]): Rng {
    return new Rng(this.seed, ...parts);
  }
}
