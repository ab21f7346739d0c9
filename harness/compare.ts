import type { SandboxControl, TruthPoint } from '../sandbox/control-client.js';

/** A record as the admin API shows it. */
export interface StoredRecord {
  readonly id?: string;
  readonly time: string;
  readonly end_time: string | null;
  readonly value?: number;
  readonly systolic?: number;
  readonly diastolic?: number;
  readonly text?: string;
  readonly unit?: string | null;
  readonly type?: string | null;
  readonly timezone_offset?: number | null;
  /** The less common fields of a point. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly source: Readonly<Record<string, string | null>>;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Result of a comparison: the number of records on both sides, and of those that differ or exist on one side only. */
export interface Comparison {
  readonly upstream: number;
  readonly stored: number;
  readonly differing: number;
  /** Upstream's records that are stored differently or not at all, and stored ones that upstream does not have. */
  readonly missing: number;
  readonly surplus: number;
}

/**
 * Compares stored data with upstream's truth record by record: key, value, unit, offset and rarer fields, or the
 * complete summary.
 */
export async function compareRecords(
  control: SandboxControl,
  userId: string,
  resource: string,
  records: readonly StoredRecord[],
): Promise<Comparison> {
  const { rows } = await control.truth<TruthPoint | Record<string, unknown>>(userId, resource);
  const truth = new Set(rows.map((row) => ('start' in row ? pointText(row as TruthPoint) : summaryText(row))));
  const stored = new Set(records.map((record) => (record.data ? summaryText(record.data) : storedPointText(record))));
  const missing = [...truth].filter((text) => !stored.has(text)).length;
  const surplus = [...stored].filter((text) => !truth.has(text)).length;
  return { upstream: truth.size, stored: stored.size, differing: Math.max(missing, surplus), missing, surplus };
}

function pointText(point: TruthPoint): string {
  const { provider, source_type, device_id, workout_id, sport, type } = point;
  const key = [provider, source_type, device_id, workout_id, sport, type].map((part) => part ?? null);
  const value = typeof point.value === 'object' ? [point.value.systolic, point.value.diastolic] : point.value;
  const rest = [point.unit, point.timezone_offset, summaryText(point.extras)];
  return JSON.stringify([key, time(point.start), time(point.end), value, ...rest]);
}

function storedPointText(record: StoredRecord): string {
  const { provider, type, device_id, workout_id, sport } = record.source;
  const key = [provider, type, device_id, workout_id, sport, record.type].map((part) => part ?? null);
  const value = record.systolic !== undefined ? [record.systolic, record.diastolic] : (record.value ?? record.text);
  const offset = record.timezone_offset ?? null;
  const rest = [record.unit, offset, summaryText(record.attributes ?? {})];
  return JSON.stringify([key, time(record.time), time(record.end_time), value, ...rest]);
}

function time(text: string | null | undefined): number | null {
  return text ? Date.parse(text) : null;
}

/** Sorts the names, so that equal objects give equal texts. */
function summaryText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
