import type { Json, TruthPoint } from '../../../../sandbox/control-client.js';
import type { Resource } from '../../../../src/health/catalogue/catalogue.js';

/** A record as the admin API shows it. */
export interface Stored extends Json {
  readonly time: string;
  readonly end_time: string | null;
  readonly source: Record<string, string | null>;
  readonly attributes?: Json;
  readonly data?: Json;
  readonly provenance: { readonly kind: string };
}

/** What does not depend on the way of a record: all but where it came from and the id a database gave a sample. */
export function withoutProvenance({ provenance, id, ...record }: Stored): string {
  return canonical(record.data ? { ...record, id } : record);
}

/** Upstream's word on a record, in the form that `formOfStored` gives it too. */
export function formOfTruth({ family }: Resource, row: Json): string {
  if (family === 'summary' || family === 'stream') return canonical(row);
  const { start, end, value, unit, timezone_offset, type, extras, ...source } = row as unknown as TruthPoint;
  const times = { time: Date.parse(start), end: end === null ? null : Date.parse(end) };
  return canonical({ ...times, value, unit, timezone_offset, type, extras, source });
}

export function formOfStored({ family }: Resource, record: Stored): string {
  if (family === 'summary') return canonical(record.data);
  if (family === 'stream') return canonical(streamOf(record.data ?? {}));
  const { unit, timezone_offset, type, systolic, diastolic, attributes: extras } = record;
  const value = systolic === undefined ? (record['value'] ?? record['text']) : { systolic, diastolic };
  const { type: source_type, ...keys } = record.source;
  const time = Date.parse(record.time);
  const end = record.end_time === null ? null : Date.parse(record.end_time);
  // Published examples show some discrete points as intervals without length, and so does the simulated upstream.
  const times = { time, end: end === time ? null : end };
  return canonical({ ...times, value, unit, timezone_offset, type, extras, source: { ...keys, source_type } });
}

/** Without the event's fields about the workout. */
function streamOf({ provider_id, source, sport, ...stream }: Json): Json {
  return stream;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
