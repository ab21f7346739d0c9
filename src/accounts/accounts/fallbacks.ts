import type { WireUser } from '../../upstream/client/wire-users.js';
import type { AccountEntity, KeptOfUser, UserFacts, UserSettings } from './account.entity.js';
import { keptOf } from './upstream-users.js';

/*
 * Time zone and birth date of an account. Upstream's own are followed, because its apps and providers learn them when
 * a person moves; one that was set here stays until it is cleared here.
 */

export type Fallbacks = Pick<AccountEntity, 'fallback_time_zone_set_at' | 'fallback_birth_date_set_at'>;
type Stored = KeptOfUser & Fallbacks;

/**
 * The part of an account's user that is kept after upstream was asked again; ingestion bounds stay as they are here.
 */
export function followed(stored: Stored, user: WireUser): KeptOfUser {
  const { ingestion_start, ingestion_end } = stored;
  return { ...withOwn(stored, keptOf(user)), ingestion_start, ingestion_end };
}

/** `kept`, with the fallbacks that were set here in place of those of upstream. */
export function withOwn(stored: Stored, kept: KeptOfUser): KeptOfUser {
  const { fallback_time_zone: zone, fallback_birth_date: birth } = stored;
  const ownZone = isSet(zone, stored.fallback_time_zone_set_at) && zone !== kept.fallback_time_zone;
  const ownBirth = isSet(birth, stored.fallback_birth_date_set_at) && birth !== kept.fallback_birth_date;
  return {
    ...kept,
    ...(ownZone && { fallback_time_zone: zone, ...noZoneSource }),
    ...(ownBirth && { fallback_birth_date: birth, ...noBirthSource }),
  };
}

function isSet(value: string | null, setAt: number | null): boolean {
  return value !== null && setAt !== null;
}

const noZoneSource = { fallback_time_zone_source: null, fallback_time_zone_updated_at: null } as const;
const noBirthSource = { fallback_birth_date_source: null, fallback_birth_date_updated_at: null } as const;

/** Clears the source that upstream reported for a fallback that changes, because the PATCH returns no new one. */
export function clearedSources({
  fallback_time_zone: zone,
  fallback_birth_date: birth,
}: Partial<UserSettings>): Partial<UserFacts> {
  return { ...(zone !== undefined && noZoneSource), ...(birth !== undefined && noBirthSource) };
}

/** The given fallbacks that were set here at `now`; null for one that is cleared. */
export function setHere(
  { fallback_time_zone: zone, fallback_birth_date: birth }: Partial<UserSettings>,
  now: number,
): Partial<Fallbacks> {
  return {
    ...(zone !== undefined && { fallback_time_zone_set_at: zone === null ? null : now }),
    ...(birth !== undefined && { fallback_birth_date_set_at: birth === null ? null : now }),
  };
}

/**
 * When the zone of `kept` began, in epoch milliseconds: when upstream learned it, if that was after it learned the one
 * before; else `now`.
 */
export function zoneBeganAt(
  before: Pick<UserFacts, 'fallback_time_zone_updated_at'>,
  kept: Pick<UserFacts, 'fallback_time_zone_updated_at'>,
  now: number,
): number {
  const [earlier, at] = [before.fallback_time_zone_updated_at ?? 0, kept.fallback_time_zone_updated_at ?? now];
  return at > earlier && at <= now ? at : now;
}
