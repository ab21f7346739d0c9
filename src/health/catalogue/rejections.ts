import type { TimeRange } from '../../platform/platform/time.js';
import type { Rejection, RejectionReason } from './records.js';

/** Data rejected for one reason within a time range. */
export interface RejectedRange extends TimeRange {
  readonly provider: string;
  readonly resource: string;
  readonly reason: string;
  readonly count: number;
}

/** Maximum number of different rejected points kept per response; the rest are only counted by reason. */
const MAX_KEPT = 1_000;

/** Returned instead of a record for a point that cannot be stored. */
export class Rejected {
  constructor(
    readonly reason: RejectionReason,
    readonly time: number | null = null,
  ) {}
}

/** Points of one response that cannot be stored, without duplicates. */
export class Rejections {
  private readonly kept = new Map<string, Rejection>();
  count = 0;

  add({ reason, time }: Rejected, provider: string, content: unknown): void {
    this.count += 1;
    const full = this.kept.size >= MAX_KEPT;
    const raw = full ? null : jsonOf(content);
    const name = JSON.stringify([provider, reason, full ? null : time, raw]);
    const count = (this.kept.get(name)?.count ?? 0) + 1;
    this.kept.set(name, { reason, provider, time: full ? null : time, raw, count });
  }

  list(): Rejection[] {
    return [...this.kept.values()];
  }
}

/** The unchanged content as JSON, except that a number too large for JSON and for any database becomes a text. */
function jsonOf(content: unknown): string {
  const writable = (_: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  return JSON.stringify(content, writable) ?? 'null';
}
