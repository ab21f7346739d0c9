import { DAY_MS, startOfDate } from '../../platform/platform/time.js';

/**
 * Facts about providers that upstream's API does not report. They apply only to the providers listed here.
 */

/**
 * Connected by the mobile SDK on the phone with a sign-in token, never with a link token
 * (docs/upstream/linking-and-tokens.md#phone-providers).
 */
const phoneProviders: ReadonlySet<string> = new Set(['apple_health_kit', 'health_connect', 'samsung_health']);

/** A provider whose API ends, and the one that each person must connect instead. */
export interface Succession {
  readonly provider: string;
  readonly successor: string;
  /** The last day of the API, as `YYYY-MM-DD`. */
  readonly retired_on: string;
}

/**
 * Retired providers (docs/upstream/connections.md#retired-providers). Upstream states only a month, so this is its last
 * day.
 */
export const successions: readonly Succession[] = [
  { provider: 'fitbit', successor: 'google_health', retired_on: '2026-09-30' },
];

/** When a provider counts as retired: at the end of its last day, in epoch milliseconds. */
export function retiredAt({ retired_on }: Succession): number {
  return startOfDate(retired_on) + DAY_MS;
}

/** The successions whose provider is retired at `now`. */
export function successionsAt(now: number): readonly Succession[] {
  return successions.filter((one) => retiredAt(one) <= now);
}

/** Successor of a provider that is retired at `now`; null for any other. */
export function successionOf(provider: string, now: number): Succession | null {
  return successionsAt(now).find((one) => one.provider === provider) ?? null;
}

export function isPhoneProvider(provider: string): boolean {
  return phoneProviders.has(provider);
}

/**
 * True for a source that may still push its history after upstream reported it as pulled
 * (docs/upstream/webhooks.md#historical-completion): phones, which send data when their system permits it, and watches
 * whose service accepts the request immediately.
 */
export function hasPushedHistory(provider: string): boolean {
  return isPhoneProvider(provider) || provider === 'garmin';
}

/** Their timestamps are local time with a false `+00:00` (docs/upstream/timeseries.md#floating-time). */
const floatingTimeProviders: ReadonlySet<string> = new Set(['freestyle_libre', 'abbott_libreview']);

export function hasFloatingTime(provider: string): boolean {
  return floatingTimeProviders.has(provider);
}
