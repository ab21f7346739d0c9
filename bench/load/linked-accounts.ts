import { findingOf, nextPull, type PullRule } from '../../src/ingestion-state/next-pull.js';
import { DAY_MS, HOUR_MS, nextSlot } from '../../src/platform/time.js';

/*
 * Streams of linked accounts over three days, by the rules that plan pulls in use and a clock that jumps from event to
 * event. Upstream is what a stream's changes make of it; nothing is stored. Counted is the second day: the first lets
 * the plan settle, and the third finds what the second changed.
 */

/** Changes a day of sleep, mindfulness minutes and blood pressure: 20 an account. */
export const changesADay: readonly number[] = [2, 12, 6];
const DAYS = 3;
/** Of the changes, those that are new records; others change an old one, or come late. */
const NEW_RECORDS = 0.7;
const ATTEMPTS_EVERY_MS = HOUR_MS;
/** Deliveries take up to half a minute; one in a hundred fails at first and comes after five minutes. */
const SLOW_DELIVERIES = 0.01;
/** Walks follow one another a little later than the interval: the worker looks once a second. */
const WALK_DELAY_MS = 3_000;

export interface Planner {
  readonly rule: PullRule;
  /** Whether upstream's ingestion is walked over. */
  readonly walks: boolean;
}

interface Change {
  readonly at: number;
  readonly isNewest: boolean;
  /** When its webhook arrives; null without one. */
  readonly arrivesAt: number | null;
}

export interface DayOfStream {
  /** Pulls of the second day. */
  readonly pulls: number;
  /** For each change of the second day without a webhook how long after it it was pulled, in milliseconds. */
  readonly lateness: readonly { readonly isNewest: boolean; readonly ms: number }[];
}

/** One stream. `unannounced`: the share of changes without a webhook. */
export function dayOfStream(
  { rule, walks }: Planner,
  { key, perDay, walkAt, unannounced }: { key: string; perDay: number; walkAt: number; unannounced: number },
  random: () => number,
): DayOfStream {
  const changes = changesOf(perDay, unannounced, random);
  const attemptPhase = random() * ATTEMPTS_EVERY_MS;
  const pulls: number[] = [];
  const end = DAYS * DAY_MS;
  let coveredUntil = 0;
  let nextDueAt = nextSlot(key, rule.intervalMs, 0);
  let nextWalkAt = walks ? walkAt : Number.POSITIVE_INFINITY;
  while (Math.min(nextDueAt, nextWalkAt) < end) {
    if (nextDueAt <= nextWalkAt) {
      coveredUntil = nextDueAt;
      pulls.push(nextDueAt);
      nextDueAt = nextSlot(key, rule.intervalMs, nextDueAt);
      continue;
    }
    const now = nextWalkAt;
    const finding = findingOf(saidAt(changes, attemptPhase, now), storedAt(changes, coveredUntil, now), now);
    nextDueAt = nextPull(finding, { coveredUntil, nextDueAt }, rule, now) ?? nextDueAt;
    nextWalkAt += rule.intervalMs + WALK_DELAY_MS;
  }
  const isSecondDay = (at: number): boolean => at >= DAY_MS && at < 2 * DAY_MS;
  return {
    pulls: pulls.filter(isSecondDay).length,
    lateness: changes
      .filter(({ at, arrivesAt }) => arrivesAt === null && isSecondDay(at))
      .map(({ at, isNewest }) => ({ isNewest, ms: (pulls.find((pull) => pull >= at) ?? Infinity) - at })),
  };
}

/** In order of their time. */
function changesOf(perDay: number, unannounced: number, random: () => number): Change[] {
  return Array.from({ length: perDay * DAYS }, () => random() * DAYS * DAY_MS)
    .sort((a, b) => a - b)
    .map((at) => {
      const delay = random() < SLOW_DELIVERIES ? 5 * 60_000 : random() * 30_000;
      return { at, isNewest: random() < NEW_RECORDS, arrivesAt: random() < unannounced ? null : at + delay };
    });
}

function saidAt(changes: readonly Change[], phase: number, now: number) {
  const last = changes.findLast(({ at }) => at <= now);
  const attempt = Math.floor((now - phase) / ATTEMPTS_EVERY_MS) * ATTEMPTS_EVERY_MS + phase;
  const newest = changes.findLast(({ at, isNewest }) => isNewest && at <= now);
  return { lastAttemptAt: Math.max(attempt, last?.at ?? attempt), newestData: newest?.at ?? 0 };
}

/** A record is called by the time at which it came to upstream. */
function storedAt(changes: readonly Change[], coveredUntil: number, now: number) {
  const isStored = ({ at, arrivesAt }: Change): boolean =>
    at <= coveredUntil || (arrivesAt !== null && arrivesAt <= now);
  return { newest: changes.findLast((change) => change.isNewest && isStored(change))?.at ?? 0, coveredUntil };
}
