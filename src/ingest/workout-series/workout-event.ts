import { asFields, asKey, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';

/**
 * What a `workout_stream` event says (docs/upstream/webhooks.md#workout-stream-events): whose workout it is, and
 * nothing of the series itself.
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
