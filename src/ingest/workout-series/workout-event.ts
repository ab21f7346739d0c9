import { asFields, asKey, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';

/**
 * Content of a `workout_stream` event (docs/upstream/webhooks.md#workout-stream-events): the workout's owner, but not
 * the series.
 */
export interface WorkoutEvent {
  readonly workoutId: string;
  readonly userId: string | null;
  /** `provider_id`, `source` and `sport` as they came. */
  readonly facts: WireFields;
}

/** Throws `WireShapeError` for an event that names no workout. */
export function readWorkoutEvent(data: unknown): WorkoutEvent {
  const { workout_id, user_id, provider_id, source, sport } = asFields(data, 'data');
  return {
    workoutId: asKey(workout_id, 'workout_id'),
    userId: textOrNull(user_id)?.toLowerCase() ?? null,
    facts: { provider_id, source, sport },
  };
}
