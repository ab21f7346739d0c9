import type { WireFields } from '../../platform/platform/json-reader.js';
import { toIso } from '../../platform/platform/time.js';
import { type Bundle, type DocumentReference, type Observation, systems } from '../fhir/fhir-resources.js';
import { addressOf, dateTimeOf, fieldsIn, fieldsOrNone, maybe, textOf } from '../fhir/fhir-values.js';
import { markerContent } from '../fhir/marker-content.js';
import { laboratory, reportCode } from '../fhir/result-bundle.js';
import type { ParsingJob } from './parsing-jobs.service.js';

/*
 * A lab report that upstream parsed, as a Bundle of FHIR R4: a DocumentReference, and an Observation for each value
 * that was read. All of it is preliminary until a person has reviewed it. The names and the birth date in its metadata
 * are left out, and so are LOINC codes, which the parser only suggests (docs/upstream/parsing.md#the-job).
 */

export function reportBundle(job: ParsingJob, now: number): Bundle {
  const { job_id: id, external_id: account, content } = job;
  const data = fieldsOrNone(content['data']);
  const status = content['is_reviewed'] === true ? 'final' : 'preliminary';
  const document: DocumentReference = {
    resourceType: 'DocumentReference',
    identifier: [{ system: systems.report, value: id }],
    status: 'current',
    docStatus: status,
    type: reportCode,
    subject: { type: 'Patient', identifier: { system: systems.account, value: account } },
    date: toIso(job.first_seen_at),
    // The file is not stored; this is what was read in it.
    content: [
      {
        attachment: {
          contentType: 'application/json',
          url: `/v1/accounts/${encodeURIComponent(account)}/lab-reports/${encodeURIComponent(id)}`,
        },
      },
    ],
  };
  const address = addressOf('report-document', id);
  const at = maybe('effectiveDateTime', dateTimeOf(fieldsOrNone(data['metadata'])['date_collected']));
  const values = fieldsIn(data['results']).map((read, place) => {
    const observation: Observation = {
      resourceType: 'Observation',
      status,
      category: [laboratory],
      code: { text: textOf(read['test_name']) ?? 'unnamed' },
      subject: document.subject,
      ...at,
      ...markerContent(asMarker(read)),
      derivedFrom: [{ reference: address }],
    };
    return { fullUrl: addressOf('report-value', id, `${place}`), resource: observation };
  });
  return {
    resourceType: 'Bundle',
    type: 'collection',
    timestamp: toIso(now),
    entry: [{ fullUrl: address, resource: document }, ...values],
  };
}

/** In the words of a result. */
function asMarker(read: WireFields): WireFields {
  return {
    ...{ result: read['value'], type: read['type'], unit: read['units'], interpretation: read['interpretation'] },
    ...{
      min_range_value: numberIn(read['min_reference_range']),
      max_range_value: numberIn(read['max_reference_range']),
    },
    ...{ is_above_max_range: read['is_above_max_range'], is_below_min_range: read['is_below_min_range'] },
  };
}

function numberIn(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value.trim()) ? Number(value) : value;
}
