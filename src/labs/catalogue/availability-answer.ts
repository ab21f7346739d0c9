import { isFields, type WireFields } from '../../platform/platform/json-reader.js';
import { parseInstant, parseUtcInstant, toIso } from '../../platform/platform/time.js';
import type { WireAvailability, WireLocationDay, WireSlot } from '../../upstream/client/wire-labs.js';
import { MAX_AVAILABILITY_AGE_MS, MAX_NO_SLOTS_AGE_MS } from '../keys/tuning.js';
import type { AvailabilityDto, LocationDayDto, SlotDto } from './availability.dto.js';

/** The response for our callers. Keeps every field that upstream sent; missing optional fields become null. */
export function toAvailabilityDto({ slots, timezone }: WireAvailability, now: number): AvailabilityDto {
  return { slots: slots.map((day) => toLocationDayDto(day, now)), timezone };
}

function toLocationDayDto({ location, date, slots }: WireLocationDay, now: number): LocationDayDto {
  return { location: location && toSite(location), date, slots: slots.map((slot) => toSlotDto(slot, now)) };
}

function toSite(site: WireFields): WireFields {
  const { address } = site;
  return {
    ...site,
    ...(isFields(address) && { address: { second_line: null, unit: null, access_notes: null, ...address } }),
    distance: site.distance ?? null,
    iana_timezone: site.iana_timezone ?? null,
  };
}

function toSlotDto(slot: WireSlot, now: number): SlotDto {
  const expiry = expiryOf(slot.expires_at, now);
  return {
    ...slot,
    start: exactTime(slot.start),
    end: exactTime(slot.end),
    expires_at: slot.expires_at && exactTime(slot.expires_at),
    bookable: slot.booking_key !== null && (slot.expires_at === null || expiry > now),
  };
}

const readsAsMilliseconds = /^[^T]*[Tt][^.]*(\.\d{1,3}0*)?([Zz]|[+-]\d{2}:\d{2})$/;

/** The time in UTC with milliseconds if it is unambiguous; otherwise as upstream sent it. */
export function exactTime(text: string): string {
  const instant = readsAsMilliseconds.test(text) ? parseInstant(text) : null;
  return instant === null ? text : toIso(instant);
}

/** An unreadable expiry counts as passed. */
function expiryOf(expiresAt: string | null, now: number): number {
  if (expiresAt === null) return Number.POSITIVE_INFINITY;
  return parseUtcInstant(expiresAt) ?? now;
}

/** The first expiry of a slot, or the maximum cache time if that is earlier. */
export function availabilityValidUntil(answer: AvailabilityDto, now: number): number {
  const slots = answer.slots.flatMap((day) => day.slots);
  if (slots.length === 0) return now + MAX_NO_SLOTS_AGE_MS;
  return slots.reduce((end, slot) => Math.min(end, expiryOf(slot.expires_at, now)), now + MAX_AVAILABILITY_AGE_MS);
}
