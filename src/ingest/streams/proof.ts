import type { Connection } from '../../accounts/connections/connections.service.js';
import { hasPushedHistory } from '../../accounts/connections/provider-facts.js';
import type { Resource } from '../../health/catalogue/catalogue.js';
import { intersection, subtract, type TimeRange } from '../../platform/platform/time.js';
import { availabilityOf } from './availability.js';
import type { HistoricalPullEntity } from './historical-pull.entity.js';

/** A finished pull of one source and resource, and the state of the source at that time. */
export interface Look {
  readonly resource: Resource;
  /** Pulled from the first page to the last. */
  readonly window: TimeRange;
  /** When the pull began. */
  readonly at: number;
  /** Time after which devices have sent their data (SYNC_LOOKBACK_HOURS). */
  readonly latenessMs: number;
  readonly connection: Connection | null;
  /** Upstream's own pull of the history of this resource. */
  readonly history: Pick<HistoricalPullEntity, 'status'> | null;
  /** Time of the source's newest stored record of any resource; null if none is as new as the window. */
  readonly heardUntil: number | null;
}

/** Facts about a source and resource that decide whether a day is proven. */
export interface Known {
  readonly connection: Pick<Connection, 'connected_at'> | null;
  /** Upstream's own pull of the history; `state` is complete once its data is stored. */
  readonly history: {
    readonly state: string;
    readonly range_start: number | null;
    readonly range_end: number | null;
  } | null;
  /** Times without a connection, after the first connection. */
  readonly gaps: readonly TimeRange[];
  readonly latenessMs: number;
  /** Ranges confirmed by complete looks. */
  readonly proven: readonly (TimeRange & { readonly confirmedAt: number })[];
}

interface Evidence<Facts> {
  readonly name: string;
  /** The times that the facts support; all others stay unproven. */
  readonly covers: (facts: Facts) => readonly TimeRange[];
}

const always: TimeRange = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/*
 * The evidence tables. A time without records is proven empty only if every row of both tables covers it. The first
 * table applies when a look ends, the second when a day is judged, because upstream reports errors and counts later.
 *
 * Nothing else is evidence: not a `historical.data` event or `days_with_data: 0`, because sources that push their
 * history report both before the data arrives; nor a connected source that has sent nothing since, because a watch
 * keeps its data until it syncs with its phone. Records that cannot be stored are judged separately (day-state.ts).
 */

export const evidenceOfLook: readonly Evidence<Look>[] = [
  { name: 'pulled to the last page', covers: ({ window }) => [window] },
  { name: 'later than devices send', covers: ({ at, latenessMs }) => [{ ...always, end: at - latenessMs }] },
  {
    name: 'the source is connected',
    covers: ({ connection }) => (connection?.status === 'connected' ? [always] : []),
  },
  { name: 'the source delivers the resource', covers: (look) => (delivers(look) ? [always] : []) },
  {
    name: 'the source sent later data',
    covers: ({ heardUntil }) => (heardUntil === null ? [] : [{ ...always, end: heardUntil }]),
  },
];

export const evidenceOfDay: readonly Evidence<Known>[] = [
  { name: 'proven by a look', covers: ({ proven }) => proven },
  {
    name: 'since the source was connected, or in a history whose days with data upstream counted',
    covers: (known) => [...sinceConnected(known), ...completeHistory(known)],
  },
  { name: 'the source stayed connected until the look', covers: (known) => subtract(always, brokenBy(known)) },
];

/** The ranges that a look proves, by start. */
export function provenBy(look: Look): TimeRange[] {
  return coveredByAll(evidenceOfLook, look);
}

/** The ranges that are proven complete from the facts known now, by start. */
export function provenNow(known: Known): TimeRange[] {
  return coveredByAll(evidenceOfDay, known);
}

function coveredByAll<Facts>(rows: readonly Evidence<Facts>[], facts: Facts): TimeRange[] {
  return rows.reduce<TimeRange[]>((proven, { covers }) => intersection(proven, covers(facts)), [always]);
}

/**
 * Times that stay unproven because the source was disconnected before a look at them: a gap, the look-back before it,
 * and, of a range proven only after the gap began, the part up to the end of the gap.
 */
export function brokenBy({ gaps, latenessMs, proven }: Pick<Known, 'gaps' | 'latenessMs' | 'proven'>): TimeRange[] {
  return gaps.flatMap((gap) => [
    { start: gap.start - latenessMs, end: gap.end },
    ...proven
      .filter(({ confirmedAt, start }) => confirmedAt > gap.start && start < gap.end)
      .map(({ start, end }) => ({ start, end: Math.min(end, gap.end) })),
  ]);
}

/** True if upstream counted days with data. Sources that push their history are excluded: their count may be early. */
export function isCounted(provider: string, history: Pick<HistoricalPullEntity, 'status' | 'days_with_data'>): boolean {
  return history.status === 'success' && (history.days_with_data ?? 0) > 0 && !hasPushedHistory(provider);
}

function sinceConnected({ connection }: Known): TimeRange[] {
  const start = connection?.connected_at ?? null;
  return start === null ? [] : [{ ...always, start }];
}

function completeHistory({ history }: Known): TimeRange[] {
  if (history?.state !== 'complete') return [];
  const { range_start: start, range_end: end } = history;
  return start === null || end === null ? [] : [{ start, end }];
}

function delivers({ connection, resource, history }: Look): boolean {
  const reported = availabilityOf(connection, resource);
  return reported?.available ?? (history !== null && history.status !== 'not_pulled');
}
