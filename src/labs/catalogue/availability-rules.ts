import type { FieldError } from '../../platform/platform/errors.js';
import { isGiven } from '../../platform/platform/json-reader.js';
import { HOUR_MS, toIso } from '../../platform/platform/time.js';
import type { WireAvailabilityInput } from '../../upstream/client/wire-labs.js';

/**
 * Labs with appointments: a closed list (docs/upstream/appointments.md#availability), so another word can only be a
 * mistake.
 */
export const appointmentLabs = ['quest', 'sonora_quest'] as const;
export type AppointmentLab = (typeof appointmentLabs)[number];

/** Miles as text. The list of values is open, so any value is passed to upstream. */
export const defaultRadius = '25';

export const maxSiteCodes = 3;

export interface AvailabilitySearch {
  lab: AppointmentLab;
  start_date?: string | null;
  site_codes?: readonly string[] | null;
  zip_code?: string | null;
  radius?: string | null;
  allow_stale?: boolean | null;
}

/** Nowhere in the United States does a day last longer than in American Samoa, at UTC-11 all year. */
const MAX_ZONE_OFFSET_MS = 11 * HOUR_MS;

/**
 * Errors of a search whose single fields are valid (docs/upstream/appointments.md#errors-of-availability-and-booking).
 */
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
 * The zone of the sites is not known here, so whatever is today anywhere in the country passes; a day that is past at
 * the very site is for upstream to refuse.
 */
function dateFaults({ start_date }: AvailabilitySearch, now: number): FieldError[] {
  const earliest = toIso(now - MAX_ZONE_OFFSET_MS).slice(0, 10);
  if (!isGiven(start_date) || start_date >= earliest) return [];
  return [{ field: 'start_date', message: 'start_date must not be in the past' }];
}

/**
 * The search as it is sent, equal for equal questions. The radius always goes along, as prose of upstream demands where
 * its schema has a default (docs/upstream/appointments.md#availability); whether stale answers are welcome is
 * upstream's business alone.
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
