import { parseUtcInstant } from '../../platform/platform/time.js';
import { isWithinBounds } from './records.js';
import { Rejected } from './rejections.js';

/** Epoch milliseconds of the time of a record; null or missing is `no_time`. */
export function requiredTime(value: unknown): number | Rejected {
  return optionalTime(value) ?? new Rejected('no_time');
}

export function optionalTime(value: unknown): number | null | Rejected {
  if (value === undefined || value === null) return null;
  const time = parseUtcInstant(value);
  if (time === null) return new Rejected('unreadable_time');
  return isWithinBounds(time) ? time : new Rejected('time_out_of_range');
}
