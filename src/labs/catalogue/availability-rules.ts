import type { FieldError } from '../../platform/platform/errors.js';
import { isGiven } from '../../platform/platform/json-reader.js';
import { HOUR_MS, toIso } from '../../platform/platform/time.js';
import type { WireAvailabilityInput } from '../../upstream/client/wire-labs.js';

/**
 * Labs with appointments. Upstream's list is closed (docs/upstream/appointments.md#availability), so any other value is
 * a mistake.
 */
export const appointmentLabs = ['quest', 'sonora_quest'] as const;
export type AppointmentLab = (typeof appointmentLabs)[number];

/** Miles as text. Upstream may add values, so any value is passed on. */
export const defaultRadius = '25';

export const MAX_SITE_CODES = 3;

export interface AvailabilitySearch {
  lab: AppointmentLab;
  start_date?: string | null;
  site_codes?: readonly string[] | null;
  zip_code?: string | null;
  radius?: string | null;
  allow_stale?: boolean | null;
}

/** Within the United States, a day ends last in American Samoa, which is at UTC-11 all year. */
const MAX_ZONE_OFFSET_MS = 11 * HOUR_MS;

/** Faults across the fields of a search (docs/upstream/appointments.md#errors-of-availability-and-booking). */
export function availabilityFaults(search: AvailabilitySearch, now: number): FieldError[] {
  return [...placeFaults(search), ...dateFaults(search, now)];
}

function placeFaults({ zip_code, site_codes }: AvailabilitySearch): FieldError[] {
  const hasZip = isGiven(zip_code);
  const hasSites = isGiven(site_codes);
  if (hasZip !== hasSites) return [];
  const message = hasZip ? 'zip_code and site_codes cannot be combined' : 'one of zip_code and site_codes is required';
  return [{ field: 'zip_code', message }];
}

/**
 * The time zone of the sites is unknown, so any date that is still today somewhere in the country is accepted. Upstream
 * refuses a date that is past at the site.
 */
function dateFaults({ start_date }: AvailabilitySearch, now: number): FieldError[] {
  const earliest = toIso(now - MAX_ZONE_OFFSET_MS).slice(0, 10);
  if (!isGiven(start_date) || start_date >= earliest) return [];
  return [{ field: 'start_date', message: 'start_date must not be in the past' }];
}

/**
 * The search as sent to upstream; equal searches give equal inputs. Always sends the radius, because upstream's prose
 * requires it although its schema has a default (docs/upstream/appointments.md#availability).
 */
export function availabilityInput(search: AvailabilitySearch): WireAvailabilityInput {
  const { lab, start_date, site_codes, zip_code, radius, allow_stale } = search;
  return {
    lab,
    ...(isGiven(start_date) && { start_date }),
    ...(isGiven(site_codes) && { site_codes }),
    ...(isGiven(zip_code) && { zip_code }),
    radius: radius ?? defaultRadius,
    ...(isGiven(allow_stale) && { allow_stale }),
  };
}
