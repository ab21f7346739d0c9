import type { Account } from '../../accounts/accounts/accounts.service.js';
import type { Connection } from '../../accounts/connections/connections.service.js';
import type { Resource } from '../../health/catalogue/catalogue.js';
import type { DaySpan } from '../../health/clock/day-spans.js';
import type { DayMeasure, GoneOfDay, StandingOfDay, StoredOfDay } from '../../health/reads/stored-day.js';
import type { MessageGroup } from '../../ingest/inbox/messages.service.js';
import { DAY_MS, startOfDate } from '../../platform/platform/time.js';
import type { Alarm } from '../alarms/alarm-list.js';
import type { StreamEvidence } from './day-facts.js';
import type { DayFacts, DayState, DayVerdict } from './day-state.js';

/** Links of the evidence chain, in order. */
export const evidenceKinds = [
  'account',
  'resource',
  'ingestion_bounds',
  'connection',
  'availability',
  'upstream_pull',
  'coverage',
  'proof',
  'schedule',
  'task',
  'message',
  'records',
  'delivery',
] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

/** One source and the day in question. */
export interface SourceCase {
  readonly evidence: StreamEvidence;
  readonly facts: DayFacts;
  readonly verdict: DayVerdict;
  readonly stored: StoredOfDay | null;
}

/** All facts for explaining why a day is empty. Times in epoch milliseconds. */
export interface Case {
  readonly account: Account;
  readonly resource: Resource;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** The day in the person's local time. */
  readonly span: DaySpan;
  readonly phase: DayFacts['phase'];
  /** The resource is among SYNC_RESOURCES. */
  readonly synced: boolean;
  /** The requested source; null for all. */
  readonly asked: string | null;
  readonly connections: readonly Connection[];
  readonly sources: readonly SourceCase[];
  /** Records of the day that are hidden because upstream no longer shows them. */
  readonly gone: readonly GoneOfDay[];
  /** Stored summaries of the day that are not shown, by source. */
  readonly standing: readonly StandingOfDay[];
  /** The way in which its samples were measured, unless all samples of the resource were measured in the same way. */
  readonly measures: readonly DayMeasure[];
  readonly messages: readonly MessageGroup[];
  /** Time of the last message of any kind: for the account, and for all accounts. */
  readonly lastDelivery: { readonly account: number | null; readonly any: number | null };
  /** Unprocessed messages, which could concern this day. */
  readonly unread: number;
  /** Raised alarms, as in the overview. */
  readonly alarms: readonly Pick<Alarm, 'code' | 'since'>[];
}

/** Most significant first. A day is empty only if it is empty for every source. */
const precedence: readonly DayState[] = ['received', 'failed_upstream', 'pending', 'unknown', 'confirmed_empty'];

/**
 * The source that decides the conclusion; null if there is none. Among equal sources, an incomplete one. A source that
 * ended before the day and has no record of it is ignored while another one is connected.
 */
export function decidingSource({ sources: all, day }: Pick<Case, 'sources' | 'day'>): SourceCase | null {
  const hasConnected = all.some(({ evidence }) => evidence.connection?.status === 'connected');
  const sources = hasConnected ? all.filter((source) => !hadEnded(source, startOfDate(day))) : all;
  const rank = ({ verdict }: SourceCase): number => precedence.indexOf(verdict.state) * 2 + (verdict.whole ? 1 : 0);
  return [...sources].sort((a, b) => rank(a) - rank(b))[0] ?? null;
}

export function hadEnded({ evidence, facts }: Pick<SourceCase, 'evidence' | 'facts'>, dayStart: number): boolean {
  const { connection, gaps } = evidence;
  const last = gaps.at(-1);
  if (connection === null || connection.status === 'connected' || facts.records > 0) return false;
  const since = connection.error_at ?? (last === undefined ? connection.observed_at : last.start);
  return since < dayStart - DAY_MS;
}

export function recordsOf({ sources }: Pick<Case, 'sources'>): number {
  return sources.reduce((sum, { stored }) => sum + (stored?.records ?? 0), 0);
}
