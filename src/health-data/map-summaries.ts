import type { Resource } from './catalogue.js';
import { instant, isObject, text } from './map-samples.js';
import type { Records, SummaryRecord } from './records.js';

/** Turns summary objects of a page, or the one of an event, into records. An object needs an id and a time. */
export function mapSummaries(resource: Resource, objects: readonly unknown[]): Records {
  const records = new Map<string, SummaryRecord>();
  let rejected = 0;
  for (const object of objects) {
    const record = isObject(object) ? toRecord(resource, object) : null;
    if (!record) rejected += 1;
    else if (record.version >= (records.get(record.summaryId)?.version ?? 0)) records.set(record.summaryId, record);
  }
  return { resource, samples: [], summaries: [...records.values()], received: objects.length, rejected };
}

function toRecord(resource: Resource, object: Readonly<Record<string, unknown>>): SummaryRecord | null {
  const summaryId = text(object['id']);
  const time = resource.timeField ? instant(object[resource.timeField]) : null;
  if (!summaryId || time === null) return null;
  const source = isObject(object['source']) ? object['source'] : {};
  return {
    summaryId,
    time,
    endTime: resource.endField ? instant(object[resource.endField]) : null,
    calendarDate: text(object['calendar_date']) || null,
    provider: text(source['provider']) || text(source['slug']) || text(object['source_provider']) || 'unknown',
    sourceType: text(source['type']) || text(object['source_type']) || 'unknown',
    version: microseconds(object['updated_at'] ?? object['created_at']),
    raw: JSON.stringify(object),
  };
}

/** Upstream writes up to six decimals of a second; a change within one millisecond is still a newer version. */
export function microseconds(value: unknown): number {
  const time = instant(value);
  if (time === null) return 0;
  const decimals = /\.(\d{1,6})/.exec(value as string)?.[1] ?? '';
  return Math.floor(time / 1000) * 1_000_000 + Number(decimals.padEnd(6, '0'));
}
