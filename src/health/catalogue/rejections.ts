import type { Rejection, RejectionReason } from './records.js';

/** Different points of one answer that are kept; of the rest only the reasons are counted. */
const MOST_KEPT = 1_000;

/** What is wrong with a point, instead of what it would be stored as. */
export class Rejected {
  constructor(
    readonly reason: RejectionReason,
    readonly time: number | null = null,
  ) {}
}

/** The points of one answer that cannot be stored; equal ones are one. */
export class Rejections {
  private readonly kept = new Map<string, Rejection>();
  count = 0;

  add({ reason, time }: Rejected, provider: string, content: unknown): void {
    this.count += 1;
    const full = this.kept.size >= MOST_KEPT;
    const raw = full ? null : jsonOf(content);
    const name = JSON.stringify([provider, reason, full ? null : time, raw]);
    const count = (this.kept.get(name)?.count ?? 0) + 1;
    this.kept.set(name, { reason, provider, time: full ? null : time, raw, count });
  }

  list(): Rejection[] {
    return [...this.kept.values()];
  }
}

/** As it came, but that a number too large for any database, which JSON cannot write, becomes a text. */
function jsonOf(content: unknown): string {
  const writable = (_: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  return JSON.stringify(content, writable) ?? 'null';
}
