import { parseUtcInstant } from '../../platform/platform/time.js';
import { isWithinBounds } from './records.js';
import { Rejected } from './rejections.js';

/** The time of a record in epoch milliseconds; rejects null or a missing time as `no_time`. */
export function requiredTime(value: unknown): number | Rejected {
  return optionalTime(value) ?? new Rejected('no_time');
}

export function optionalTime(value: unknown): number | null | Rejected {
  if (value === undefined || value === null) return null;
  const time = parseUtcInstant(value);
  if (time === null) return new Rejected('unreadable_time');
  return isWithinBounds(time) ? time : new Rejected('time_out_of_range');
}

/** The optional end of a record that began at `time`; rejects an end before its start as `ends_before_start`. */
export function endTime(value: unknown, time: number): number | null | Rejected {
  const end = optionalTime(value);
  return typeof end === 'number' && end < time ? new Rejected('ends_before_start') : end;
}
