import { workoutStream } from '../../health/catalogue/catalogue.js';
import { isWithinBounds, type Records } from '../../health/catalogue/records.js';
import { isFields, textOrEmpty, type WireFields } from '../../platform/platform/json-reader.js';
import { parseUtcInstant } from '../../platform/platform/time.js';

/** Facts about a workout besides its series. */
export interface WorkoutFacts {
  readonly workoutId: string;
  /** `provider_id`, `source` and `sport` of the event. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Start of the workout if its series does not contain it; epoch milliseconds. */
  readonly time: number;
}

/** Integers from the first bound on count as seconds since the epoch, from the second on as milliseconds. */
const MIN_SECONDS = 1e9;
const MIN_MILLISECONDS = 1e12;

/**
 * The series of a workout as one record: its parallel arrays as they came, and what the event said of the workout.
 * Upstream gives it neither an id nor a version of its own (docs/upstream/summaries.md#workout-stream): its id is the
 * workout's, and of two the one fetched later stays. `time` counts where it holds instants; published examples hold
 * seconds from the start as well.
 */
export function mapWorkoutSeries({ workoutId, facts, time }: WorkoutFacts, stream: WireFields): Records {
  const source = isFields(facts['source']) ? facts['source'] : {};
  const times = Array.isArray(stream['time']) ? (stream['time'] as unknown[]) : [];
  const summary = {
    summaryId: workoutId,
    time: instantOf(times[0]) ?? time,
    endTime: instantOf(times.at(-1)),
    calendarDate: null,
    provider: textOrEmpty(source['provider']) || textOrEmpty(source['slug']) || 'unknown',
    sourceType: textOrEmpty(source['type']) || 'unknown',
    version: 0,
    raw: JSON.stringify({ workout_id: workoutId, ...facts, ...stream }),
  };
  return { resource: workoutStream, samples: [], summaries: [summary], received: 1, rejected: 0, rejections: [] };
}

function instantOf(value: unknown): number | null {
  const instant = readInstant(value);
  return instant !== null && isWithinBounds(instant) ? instant : null;
}

function readInstant(value: unknown): number | null {
  if (typeof value !== 'number') return parseUtcInstant(value);
  if (value >= MIN_MILLISECONDS) return Math.round(value);
  return value >= MIN_SECONDS ? Math.round(value * 1_000) : null;
}
