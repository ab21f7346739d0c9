import type { Ids } from '../engine/random.js';

/** Parallel arrays; null for those that the workout does not have. */
export type StreamColumns = Record<string, unknown>;

export interface WorkoutStream {
  columns: StreamColumns;
  /** Number of events about it so far; the first is `created`. */
  announced: number;
}

const COLUMNS: Readonly<Record<string, readonly [number, number, number]>> = {
  cadence: [62, 91, 0],
  altitude: [3, 61, 1],
  velocity_smooth: [1.9, 4.2, 2],
  heartrate: [88, 171, 0],
  lat: [40.1, 40.9, 5],
  lng: [-74.2, -73.7, 5],
  distance: [0, 9000, 1],
  power: [91, 311, 0],
  resistance: [1, 9, 0],
  temperature: [4, 24, 1],
};
const POINTS = 24;
const SECONDS_APART = 5;

/**
 * The eleven parallel arrays of each workout (docs/upstream/summaries.md#workout-stream); `time` is in seconds since
 * the epoch.
 */
export class Streams {
  private readonly streams = new Map<string, WorkoutStream>();

  constructor(private readonly ids: Ids) {}

  /** The stream of a workout that starts at `at` (milliseconds); generated at the first call. */
  of(workoutId: string, at: number): WorkoutStream {
    const known = this.streams.get(workoutId) ?? { columns: this.made(workoutId, at, POINTS), announced: 0 };
    this.streams.set(workoutId, known);
    return known;
  }

  /** Replaces the stream by a generated one of `points` points, with the arrays of `given`. */
  change(workoutId: string, at: number, { points, given }: { points: number; given: StreamColumns }): WorkoutStream {
    const stream = this.of(workoutId, at);
    stream.columns = { ...this.made(workoutId, at, points), ...given };
    return stream;
  }

  private made(workoutId: string, at: number, points: number): StreamColumns {
    const rng = this.ids.rng('stream', workoutId, points);
    const time = Array.from({ length: points }, (_, index) => Math.floor(at / 1000) + index * SECONDS_APART);
    const columns = Object.entries(COLUMNS).map(([name, range]) => [name, time.map(() => rng.float(...range))]);
    return { time, ...(Object.fromEntries(columns) as StreamColumns) };
  }
}
