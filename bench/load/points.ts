/* Synthetic data: a made-up heart rate every minute, never of a person. */

export interface WirePoint {
  readonly timestamp: string;
  readonly value: number;
  readonly unit: string;
  readonly timezone_offset: number;
}

export const eventResource = 'heartrate';
export const source = { provider: 'oura', type: 'ring' } as const;
export const unit = 'bpm';
const timezoneOffset = 3600;

/** Start of all data; a multiple of a minute. */
export const firstTime = Date.UTC(2024, 0, 1);
const minute = 60_000;

export function timeOf(index: number): number {
  return firstTime + index * minute;
}

/** Between 50 and 110, one decimal; `generation` changes every value. */
export function valueOf(index: number, generation = 0): number {
  return 50 + ((index * 7919 + generation * 104_729) % 601) / 10;
}

export function wirePoints(from: number, count: number, generation = 0): WirePoint[] {
  return Array.from({ length: count }, (_, offset) => ({
    timestamp: new Date(timeOf(from + offset)).toISOString(),
    value: valueOf(from + offset, generation),
    unit,
    timezone_offset: timezoneOffset,
  }));
}

/** The n-th upstream user, as a UUID. */
export function userId(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}
