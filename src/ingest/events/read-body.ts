import { resourceByEvent } from '../../health/catalogue/catalogue.js';
import type { Records } from '../../health/catalogue/records.js';
import { sliceRecords } from '../../health/catalogue/records.js';
import { WireShapeError } from '../../platform/platform/json-reader.js';
import { MAX_RECORDS_A_TRANSACTION } from '../streams/tuning.js';
import { type ReadEnvelope, readEnvelope, readEventType, recordsOf } from './event.js';

/** Content of a long body: its records in slices, everything else as received. */
export interface ReadBody {
  readonly read: ReadEnvelope;
  /** Null for an event that is not about records. */
  readonly records: readonly Records[] | null;
  /** The missing field without which the records cannot be used. */
  readonly unusable: string | null;
}

/** Reads a long body. Omits parts that no handler uses. */
export function readBody(body: Buffer): ReadBody {
  const read = readEnvelope(body);
  if (read.kind !== 'event') return { read, records: null, unusable: null };
  const { family, resource: name } = readEventType(read.envelope.eventType);
  const resource = family === 'data' ? resourceByEvent(name) : null;
  const isUnused = family === 'other' || family === 'query_result' || (family === 'data' && resource === null);
  if (resource === null || resource.family === 'stream') {
    return { read: isUnused ? without(read) : read, records: null, unusable: null };
  }
  try {
    const records = sliceRecords(recordsOf(resource, read.envelope.data), MAX_RECORDS_A_TRANSACTION);
    return { read: without(read), records, unusable: null };
  } catch (error) {
    if (!(error instanceof WireShapeError)) throw error;
    return { read: without(read), records: null, unusable: error.field };
  }
}

function without(read: ReadEnvelope & { kind: 'event' }): ReadEnvelope {
  return { kind: 'event', envelope: { ...read.envelope, data: null } };
}
