import type { Connection } from '../../accounts/connections/connections.service.js';
import type { Succession } from '../../accounts/connections/provider-facts.js';
import type { Resource } from '../../health/catalogue/catalogue.js';
import type { RejectedRange } from '../../health/catalogue/rejections.js';
import { type DaySpan, phaseOf, reachOf } from '../../health/clock/day-spans.js';
import type { DayProof } from '../../ingest/audits/audits.service.js';
import type { UndoneTask } from '../../ingest/pulls/listed-pulls.service.js';
import type { History } from '../../ingest/sources/historical-pulls.service.js';
import type { Availability } from '../../ingest/streams/availability.js';
import { type Covered } from '../../ingest/streams/coverage.js';
import { type HistoricalPull } from '../../ingest/streams/coverage.service.js';
import { brokenBy, provenNow } from '../../ingest/streams/proof.js';
import type { PullStream } from '../../ingest/streams/pull-streams.service.js';
import { covers, DAY_MS, overlaps, type TimeRange } from '../../platform/platform/time.js';
import type { DayFacts } from './day-state.js';

/** Upstream's final pull states; any other state is open. */
const ended: ReadonlySet<string> = new Set(['success', 'failure', 'not_pulled']);

/**
 * Evidence about one source and resource of an account that does not depend on the day. Times in epoch milliseconds.
 */
export interface StreamEvidence {
  readonly provider: string;
  readonly resource: Resource;
  readonly connection: Connection | null;
  /** Successor of the provider if it is retired now, and whether the person has connected it. */
  readonly succession: (Succession & { readonly isFollowed: boolean }) | null;
  /** Null if upstream does not report whether the source delivers this resource. */
  readonly availability: Availability | null;
  readonly history: History | null;
  readonly stream: PullStream | null;
  /** From pulls of this source and pulls of all sources. */
  readonly covered: readonly Covered[];
  /** Times without a connection, after the first connection. */
  readonly gaps: readonly TimeRange[];
  /** Time of the source's newest record of any resource; null without any. Times in the future do not count. */
  readonly heardUntil: number | null;
  /** Devices have sent their data after this long. */
  readonly latenessMs: number;
  readonly undone: readonly UndoneTask[];
  /** Upstream data that cannot be stored. */
  readonly rejected: readonly RejectedRange[];
  /** Days that audits compared with upstream. */
  readonly proofs: readonly DayProof[];
  /** Start of the next regular pull; null if none is due. */
  readonly nextPullFrom: number | null;
}

/** Dates of the account, both inclusive; null means no bound. */
export interface IngestionBounds {
  readonly ingestion_start: string | null;
  readonly ingestion_end: string | null;
}

/**
 * The longest range that upstream pulls (docs/upstream/webhooks.md#historical-range), assumed for a pull with an
 * unknown range.
 */
const MAX_RANGE_MS = 365 * DAY_MS;

/** Facts about days of one stream; parts that do not depend on the day are computed once. */
export class StreamDays {
  private readonly proven: readonly TimeRange[];
  private readonly broken: readonly TimeRange[];
  private readonly historyRange: TimeRange | null;

  constructor(
    readonly evidence: StreamEvidence,
    private readonly bounds: IngestionBounds,
    private readonly now: number,
  ) {
    this.historyRange = evidence.history && rangeOfHistory(evidence.history);
    const known = { ...evidence, proven: evidence.covered.filter(({ state }) => state === 'proven') };
    this.proven = provenNow(known);
    this.broken = brokenBy(known);
  }

  /** `records` is the number of stored records. */
  facts(day: DaySpan, records: number): DayFacts {
    const { evidence, now } = this;
    const reach = reachOf(evidence.resource, day);
    return {
      records,
      phase: phaseOf(day, now),
      ingested: isIngested(day.date, this.bounds),
      failure: this.failure(day),
      open: this.open(day),
      pulled: covers(this.proven, reach) ? 'proven' : pulledOf(evidence.covered, reach),
      broken: this.broken.some((range) => overlaps(range, reach)),
      unheard: evidence.heardUntil === null || evidence.heardUntil < reach.end,
      due: evidence.nextPullFrom !== null && evidence.nextPullFrom < reach.end,
      unavailable: evidence.availability?.available === false,
      gaveUp: evidence.undone.some((task) => task.status === 'failed' && overlaps(windowOf(task), day)),
      rejected: evidence.rejected.some((range) => overlaps(range, reach)),
      notSynced: evidence.history?.state === 'not_synced',
      gone: evidence.connection !== null && evidence.connection.status !== 'connected',
    };
  }

  /** True if a pull over the day failed, or the source was in error before the day ended. */
  private failure(day: TimeRange): DayFacts['failure'] {
    const { history, connection } = this.evidence;
    if (history?.status === 'failure' && this.historyRange && overlaps(this.historyRange, day)) return 'pull';
    const since = connection?.status === 'error' ? (connection.error_at ?? connection.observed_at) : null;
    return since !== null && since < day.end ? 'connection' : null;
  }

  private open(day: TimeRange): DayFacts['open'] {
    const { undone, history } = this.evidence;
    if (undone.some((task) => task.status !== 'failed' && overlaps(windowOf(task), day))) return 'ours';
    const isOpen = history !== null && !ended.has(history.status);
    return isOpen && this.historyRange && overlaps(this.historyRange, day) ? 'upstream' : null;
  }
}

function windowOf({ window_start: start, window_end: end }: UndoneTask): TimeRange {
  return { start, end };
}

/** The range of upstream's pull; its longest possible range until upstream reports it. */
function rangeOfHistory({ range_start, range_end, scheduled_at, observed_at }: HistoricalPull): TimeRange {
  const end = range_end ?? scheduled_at ?? observed_at;
  return { start: range_start ?? end - MAX_RANGE_MS, end };
}

/**
 * Upstream does not promise data outside the bounds, although it may keep one day more
 * (docs/upstream/users.md#ingestion-bounds).
 */
function isIngested(date: string, { ingestion_start, ingestion_end }: IngestionBounds): boolean {
  return (ingestion_start === null || date >= ingestion_start) && (ingestion_end === null || date <= ingestion_end);
}

function pulledOf(covered: readonly Covered[], reach: TimeRange): DayFacts['pulled'] {
  const settled = covered.filter(({ state }) => state !== 'fresh');
  if (covers(settled, reach)) return 'settled';
  return covers(covered, reach) ? 'fresh' : 'no';
}
