import { workoutStream } from '../../health/catalogue/catalogue.js';
import { isWithinBounds, type Records } from '../../health/catalogue/records.js';
import { isFields, textOrEmpty, type WireFields } from '../../platform/platform/json-reader.js';
import { parseUtcInstant } from '../../platform/platform/time.js';

/** Facts about a workout besides its series. */
export interface WorkoutFacts {
  readonly workoutId: string;
  /** `provider_id`, `source` and `sport` of the event. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Time of the record if the series has no absolute times; epoch milliseconds. */
  readonly time: number;
}

/** Numbers from the first bound up are epoch seconds, from the second up epoch milliseconds. */
const MIN_SECONDS = 1e9;
const MIN_MILLISECONDS = 1e12;

/**
 * The series of a workout as one record: its parallel arrays unchanged, and the event's facts about the workout.
 * Upstream gives it neither an id nor a version (docs/upstream/summaries.md#workout-stream), so its id is the
 * workout's, and the series fetched last is kept. The array `time` is used only if it has absolute times; published
 * examples also have seconds since the start.
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
    kind: null,
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
