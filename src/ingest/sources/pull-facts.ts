import { parseUtcInstant, type TimeRange } from '../../platform/platform/time.js';
import type { WirePullRecord, WirePullStatistics } from '../../upstream/client/wire-data.js';
import type { HistoricalPull } from '../streams/coverage.service.js';

/** Report of one of upstream's pulls, from a poll or an event; fields are null if not reported. */
export type PullFacts = Omit<HistoricalPull, 'account_id' | 'task_id'>;

/** The facts in an introspection record (docs/upstream/introspection.md#records-of-pulls). */
export function factsOf(record: WirePullRecord, observedAt: number): PullFacts[] {
  return Object.entries(record.provider).flatMap(([provider, { pulled, not_pulled }]) => [
    ...Object.entries(pulled).map(([resource, statistics]) => ({
      provider,
      resource,
      observed_at: observedAt,
      ...factsOfStatistics(statistics),
    })),
    ...[...new Set(not_pulled)]
      .filter((resource) => !Object.hasOwn(pulled, resource))
      .map((resource) => ({
        provider,
        resource,
        observed_at: observedAt,
        ...nothingKnown,
        status: notPulled,
      })),
  ]);
}

/** Our own status: upstream lists the resource as one that it does not pull. */
export const notPulled = 'not_pulled';

const nothingKnown = {
  days_with_data: null,
  range_start: null,
  range_end: null,
  release: null,
  trace_id: null,
  error_details: null,
  scheduled_at: null,
  started_at: null,
  ended_at: null,
} as const;

function factsOfStatistics(statistics: WirePullStatistics): Omit<PullFacts, 'provider' | 'resource' | 'observed_at'> {
  const { timeline } = statistics;
  return {
    status: statistics.status,
    days_with_data: statistics.days_with_data,
    range_start: parseUtcInstant(statistics.range_start),
    range_end: parseUtcInstant(statistics.range_end),
    release: statistics.release,
    trace_id: statistics.trace_id,
    error_details: statistics.error_details,
    scheduled_at: parseUtcInstant(timeline.scheduled_at),
    started_at: parseUtcInstant(timeline.started_at),
    ended_at: parseUtcInstant(timeline.ended_at),
  };
}

/** A `historical.data` event: upstream has pulled a source's history. */
export interface HistoryCompletion extends TimeRange {
  readonly provider: string;
  /** Upstream's event name of the resource: `fat`, not `body_fat`. */
  readonly eventResource: string;
  /** When the message was first received. */
  readonly at: number;
}

/** The facts in a `historical.data` event: that the pull succeeded, and its range. */
export function factsOfEvent(event: HistoryCompletion): PullFacts {
  return {
    provider: event.provider,
    resource: event.eventResource,
    status: 'success',
    ...nothingKnown,
    range_start: event.start,
    range_end: event.end,
    observed_at: event.at,
  };
}

/**
 * True if `seen` reports a success that `known` does not: with a wider range, a later end, or data where there was
 * none. An event and the introspection of the same pull are one success, in either order.
 */
export function isNewSuccess(known: PullFacts | null, seen: PullFacts): boolean {
  if (seen.status !== 'success') return false;
  if (known?.status !== 'success') return true;
  if (known.days_with_data === 0 && (seen.days_with_data ?? 0) > 0) return true;
  const endedLater = seen.ended_at !== null && seen.ended_at > (known.ended_at ?? known.observed_at);
  return endedLater || !containsRange(known, seen);
}

/** True if upstream does not continue the pull on its own. */
export function isLastWord({ status }: Pick<PullFacts, 'status'>): boolean {
  return status === 'success' || status === 'failure' || status === notPulled;
}

function containsRange(known: PullFacts, seen: PullFacts): boolean {
  if (seen.range_start === null || seen.range_end === null) return true;
  if (known.range_start === null || known.range_end === null) return false;
  return known.range_start <= seen.range_start && known.range_end >= seen.range_end;
}

/** `seen`, with missing fields from `known` if that is the same pull. */
export function combined(known: PullFacts | null, seen: PullFacts): PullFacts {
  if (known?.status !== seen.status || isNewSuccess(known, seen)) return seen;
  const kept = Object.entries(known).filter(([, value]) => value !== null);
  const given = Object.entries(seen).filter(([, value]) => value !== null);
  return { ...seen, ...Object.fromEntries(kept), ...Object.fromEntries(given) };
}

/** True if the two differ in more than the time of observation. */
export function differ(known: PullFacts, seen: PullFacts): boolean {
  const facts = Object.entries({ ...seen, observed_at: known.observed_at });
  return facts.some(([name, value]) => known[name as keyof PullFacts] !== value);
}
