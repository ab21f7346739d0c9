import { observedAt } from '../health-data/observation.js';
import type { RecordProvenance } from '../health-data/stored-records.service.js';
import { toIso } from '../platform/time.js';
import { toRecordDto } from '../records/records.dto.js';
import type { ExportSample, ExportSeries, ExportSummary, Seen } from './export.reader.js';
import type { Row } from './readable.js';

/** One line of an export. */
export interface Line {
  readonly type: string;
  readonly data: Row;
}

/** As the record is shown by `/accounts/{account_id}/records/{resource}`. */
export function sampleLine(series: ExportSeries, sample: ExportSample): Line {
  const record = toRecordDto(series.resource, {
    kind: 'sample',
    seriesId: series.id,
    time: sample.time,
    endTime: sample.duration_ms === null ? null : sample.time + sample.duration_ms,
    provider: series.provider,
    sourceType: series.source_type,
    deviceId: series.device_id,
    workoutId: series.workout_id,
    sport: series.sport,
    subSeries: series.sub_series,
    floatingTime: series.floating_time === 1,
    value: sample.value,
    value2: sample.value2,
    text: sample.text_value,
    attributes: JSON.parse(sample.attributes ?? '{}') as Row,
    provenance: provenanceOf(sample),
  });
  return { type: 'record', data: { ...record, provenance: shown(sample) } };
}

export function summaryLine(summary: ExportSummary, raw: string): Line {
  const record = toRecordDto(summary.resource, {
    kind: 'summary',
    summaryId: summary.summary_id,
    time: summary.time,
    endTime: summary.end_time,
    calendarDate: summary.calendar_date,
    updatedAt: summary.version === 0 ? null : Math.floor(summary.version / 1000),
    provider: summary.provider,
    sourceType: summary.source_type,
    floatingTime: summary.floating_time === 1,
    raw: JSON.parse(raw) as Row,
    provenance: provenanceOf(summary),
  });
  return { type: 'record', data: { ...record, provenance: shown(summary) } };
}

function provenanceOf({ observation_id, kind }: Seen): RecordProvenance {
  return { kind: kind ?? 'unknown', ref: 0, page: null, observedAt: observedAt(observation_id) };
}

/** By which way it came, and when it was seen. */
function shown({ observation_id, kind }: Seen): Row {
  return { kind, observed_at: toIso(observedAt(observation_id)) };
}
