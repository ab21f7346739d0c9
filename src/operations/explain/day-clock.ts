/** Meaning of the values of `day_in` and `days_in`. */
export const dayClock =
  `Clock of the day. samples: by the offset of stored samples of the resource, of that day or at most two
  days from it. fallback_time_zone: by the zone of the account. utc: neither is known. calendar_date: each record names
  its date.`.replaceAll(/\s+/g, ' ');
