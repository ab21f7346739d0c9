import type { Resource } from '../../health/catalogue/catalogue.js';
import type { RecordRead, SampleRead, SummaryRead } from '../../health/reads/stored-record.js';
import { isFields, type WireFields } from '../../platform/platform/json-reader.js';
import { dateIn } from '../../platform/platform/zone-clock.js';
import { momentOf, momentText } from './canonical-json.js';
import { type CanonicalObject, canonicalSummary, PointsWriter, providerOf } from './canonical-object.js';

/**
 * Rebuilds upstream's objects of a resource from stored rows. Knows the catalogue and not the readers of upstream's
 * answers. What a summary has in columns beside its text is taken from the columns wherever they contradict the text,
 * because reads and days go by the columns.
 */
export function storedObjects(resource: Resource): (record: RecordRead) => CanonicalObject {
  const groups = new Map<number, Map<unknown, PointsWriter>>();
  return (record) => {
    if (record.kind === 'summary') return canonicalSummary(resource, rebuiltSummary(resource, record));
    const { app_id } = record.attributes;
    const ofSeries = groups.get(record.seriesId) ?? new Map<unknown, PointsWriter>();
    let group = ofSeries.get(app_id);
    if (!group) {
      const columns = columnsOf(resource, record);
      // The app among the attributes is the source's.
      const names = [...Object.keys(columns), 'app_id'];
      group = new PointsWriter({ provider: record.provider, type: record.sourceType, app_id }, names);
      groups.set(record.seriesId, ofSeries.set(app_id, group));
    }
    return group.rebuilt(record.attributes, columnsOf(resource, record));
  };
}

/** The fields of a point that its row has in columns, beside its attributes. */
function columnsOf({ family }: Resource, sample: SampleRead): WireFields {
  const { time, endTime, subSeries: type, value, value2, text } = sample;
  const start = momentText(time);
  const end = endTime === null ? null : momentText(endTime);
  if (family === 'pair') return { start, end, type, systolic: value, diastolic: value2 };
  return { start, end, type, value: text ?? value };
}

function rebuiltSummary({ timeField, endField, ofNight }: Resource, summary: SummaryRead): WireFields {
  const { raw, summaryId: id, time, endTime, calendarDate, updatedAt, provider, sourceType } = summary;
  const columns: WireFields = { ...raw, id };
  if (timeField) columns[timeField] = agreed(raw[timeField], time);
  if (endField) columns[endField] = agreed(raw[endField], endTime);
  const day = raw.calendar_date || (timeField && dateAlone(raw[timeField]));
  const zone = typeof raw.time_zone === 'string' ? raw.time_zone : null;
  const own = dayOf(day) ?? (zone && dateIn(zone, ofNight ? (endTime ?? time) : time));
  if (own !== calendarDate) columns.calendar_date = calendarDate;
  const changed = raw.updated_at ? 'updated_at' : 'created_at';
  columns[changed] = agreed(raw[changed], updatedAt);
  return withSource(columns, raw, provider, sourceType);
}

/** The text of the object if it says what the column says. */
function agreed(text: unknown, column: number | null): unknown {
  if (momentOf(text) === column) return text;
  return column === null ? null : momentText(column);
}

function dayOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 'YYYY-MM-DD'.length) : null;
}

function dateAlone(value: unknown): unknown {
  return typeof value === 'string' && value.length === 'YYYY-MM-DD'.length ? value : null;
}

function withSource(fields: WireFields, raw: WireFields, provider: string, type: string): WireFields {
  const source = isFields(raw.source) ? raw.source : {};
  const named = providerOf(source, raw);
  const typed = source.type || raw.source_type || 'unknown';
  return named === provider && typed === type ? fields : { ...fields, source: { ...source, provider, type } };
}
