import type { Resource } from '../../health/catalogue/catalogue.js';
import { type DaySpan, reachOf } from '../../health/clock/day-spans.js';
import type { DayProof } from '../../ingest/audits/audits.service.js';
import { DAY_MS, dateOf } from '../../platform/platform/time.js';

/** Findings of audits about a day of a source and resource. Times in epoch milliseconds. */
export interface Audited {
  /** When the day was proven equal with upstream; null unless it was, completely. */
  readonly equalAt: number | null;
  /** When a look found a difference that is still there; null if none did. */
  readonly differentAt: number | null;
}

/** Audits compare UTC days, and the records of a person's day may begin on several: each of them counts. */
export function auditedOf(
  { resource, proofs }: { readonly resource: Resource; readonly proofs: readonly DayProof[] },
  span: DaySpan,
): Audited {
  const { start, end } = reachOf(resource, span);
  const days = utcDays(start, end);
  const own = proofs.filter(({ day }) => days.includes(day));
  const proven = own.flatMap(({ state, proven_at }) => (state === 'proven' ? (proven_at ?? []) : []));
  const different = own.flatMap(({ state, looked_at }) => (state === 'proven' ? [] : looked_at));
  return {
    equalAt: proven.length === days.length ? Math.min(...proven) : null,
    differentAt: different.length === 0 ? null : Math.max(...different),
  };
}

function utcDays(start: number, end: number): string[] {
  const days: string[] = [];
  for (let at = Math.floor(start / DAY_MS) * DAY_MS; at < end; at += DAY_MS) days.push(dateOf(at));
  return days;
}
