import { DAY_MS, HOUR_MS } from '../platform/time.js';

/** An hour in which data of a provider was delivered. */
export interface ProviderHour {
  /** Its beginning, in epoch milliseconds. */
  readonly hour: number;
  readonly provider: string;
}

export interface SilentProvider {
  readonly provider: string;
  /** The end of the last hour in which it delivered, in epoch milliseconds. */
  readonly since: number;
}

/** So much before its last delivery is the past of a provider: three weeks show what is usual on a weekend. */
export const PAST_MS = 21 * DAY_MS;
/** A past shorter than this, or with fewer hours, or fewer accounts that are connected, shows nothing. */
const SHORTEST_PAST_MS = 14 * DAY_MS;
const FEWEST_HOURS = 50;
const FEWEST_SOURCES = 10;
/** How many times its usual pause a provider may be silent, and for how many hours in any case. */
const PATIENCE = 2;
const HOURS_OF_PATIENCE = 4;

/**
 * The providers that are silent against their own past while others go on. A silence is counted in hours in which
 * anything was delivered by anybody: while all are silent, or deliveries are held up on their way, no time passes, and
 * nobody is found silent because they come back one after the other.
 */
export function silentProviders(
  hours: readonly ProviderHour[],
  connected: ReadonlyMap<string, number>,
): SilentProvider[] {
  const all = new Set(hours.map(({ hour }) => hour));
  const candidates = [...hoursByProvider(hours)].filter(([name]) => (connected.get(name) ?? 0) >= FEWEST_SOURCES);
  return candidates.flatMap(([provider, own]) => {
    const patience = patienceWith(own);
    const last = own.at(-1) ?? 0;
    const silence = [...all].filter((hour) => hour > last).length;
    return patience !== null && silence > patience ? [{ provider, since: last + HOUR_MS }] : [];
  });
}

/**
 * For how many hours a provider with these may be silent; null when they do not tell. The longest pause may have been
 * an outage and is left out; what is usual on weekends is there more than once.
 */
function patienceWith(own: readonly number[]): number | null {
  const last = own.at(-1) ?? 0;
  const past = own.filter((hour) => hour > last - PAST_MS);
  if (past.length < FEWEST_HOURS || last - (past[0] ?? 0) < SHORTEST_PAST_MS) return null;
  const pauses = past.slice(1).map((hour, index) => (hour - (past[index] ?? 0)) / HOUR_MS - 1);
  const usual = pauses.sort((a, b) => b - a)[1] ?? 0;
  return Math.max(HOURS_OF_PATIENCE, PATIENCE * usual);
}

/** The hours of each, the earliest first. */
function hoursByProvider(hours: readonly ProviderHour[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { hour, provider } of hours) {
    const own = found.get(provider);
    if (own) own.push(hour);
    else found.set(provider, [hour]);
  }
  for (const own of found.values()) own.sort((a, b) => a - b);
  return found;
}
