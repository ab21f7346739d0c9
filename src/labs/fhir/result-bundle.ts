import { isFields, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';
import { toIso } from '../../platform/platform/time.js';
import { phaseOf } from '../orders/order-status.js';
import type { OwnedOrder } from '../orders/orders.reader.js';
import type { ResultSubject } from '../orders/result-subject.js';
import {
  type Attachment,
  type Bundle,
  type CodeableConcept,
  type DiagnosticReport,
  type Identifier,
  type Observation,
  type Reference,
  type ReportStatus,
  type Resource,
  type ServiceRequest,
  type Specimen,
  systems,
} from './fhir-resources.js';
import {
  addressOf,
  dateTimeOf,
  fieldsIn,
  fieldsOrNone,
  instantOf,
  markerCode,
  maybe,
  some,
  textOf,
} from './fhir-values.js';
import { absent, markerContent, markerKeys } from './marker-content.js';

/*
 * A result or an order transaction as a Bundle of FHIR R4: a ServiceRequest for each order, a Specimen for each sample,
 * a DiagnosticReport and an Observation for each marker. The patient is an identifier and nothing more, so the metadata
 * of a result that names them is left out.
 */

/** Orders of one person. */
export interface OrdersForFhir {
  /** The customer's id of the account. */
  readonly account: string;
  readonly transactionId: string | null;
  readonly orders: readonly OwnedOrder[];
  /** Of the answer; epoch milliseconds. */
  readonly now: number;
}

export interface ResultForFhir extends OrdersForFhir {
  readonly subject: ResultSubject;
  readonly version: number;
  readonly status: 'partial' | 'final' | 'withdrawn';
  /** The content of the last version before this one that was final; null if none was. */
  readonly earlier: WireFields | null;
  readonly firstSeenAt: number;
  /** Upstream's response. */
  readonly content: WireFields;
  /** The newest PDF that was delivered. */
  readonly pdf: { readonly checksum: string; readonly bytes: number; readonly seenAt: number } | null;
}

type Entry = Bundle['entry'][number];

/** The orders and their samples, without a result. */
export function ordersBundle(given: OrdersForFhir): Bundle {
  const samples = samplesOf(given.orders, {}, []);
  return bundle(given, [...orderEntries(given, samples), ...sampleEntries(given, samples)]);
}

export function resultBundle(given: ResultForFhir): Bundle {
  const { content, subject } = given;
  const markers = fieldsIn(content['results']);
  const missing = fieldsIn(content['missing_results']);
  const samples = samplesOf(given.orders, fieldsOrNone(content['sample_information']), markers);
  const before = observedBefore(given, samples);
  const keys = markerKeys([...markers, ...missing]);
  const observations = keys.map((key, place) => {
    const address = addressOf('marker', subject.scope, subject.id, ...key);
    const marker = markers[place];
    const resource = marker
      ? observation(given, marker, samples, before.get(address))
      : lost(given, missing[place - markers.length] ?? {});
    return entryOf(address, { ...resource, identifier: [{ system: systems.address, value: address }] });
  });
  const report = entryOf(addressOf('report', subject.scope, subject.id), reportOf(given, samples, observations));
  return bundle(given, [...orderEntries(given, samples), ...sampleEntries(given, samples), report, ...observations]);
}

/** What the final version before this one says, by the address of the Observation. */
function observedBefore(given: ResultForFhir, samples: Samples): ReadonlyMap<string, string> {
  const { earlier, subject } = given;
  const markers = fieldsIn(earlier?.['results']);
  return new Map(
    markerKeys(markers).map((key, place) => [
      addressOf('marker', subject.scope, subject.id, ...key),
      JSON.stringify(observed(given, markers[place] ?? {}, samples)),
    ]),
  );
}

function bundle({ now }: OrdersForFhir, entry: readonly Entry[]): Bundle {
  return { resourceType: 'Bundle', type: 'collection', timestamp: toIso(now), entry };
}

function entryOf<T extends Resource>(fullUrl: string, resource: T): { readonly fullUrl: string; readonly resource: T } {
  return { fullUrl, resource };
}

function patient({ account }: OrdersForFhir): Reference {
  return { type: 'Patient', identifier: { system: systems.account, value: account } };
}

/** By the lab's id of the sample: what the result says about it. */
type Samples = ReadonlyMap<string, WireFields>;

function samplesOf(orders: readonly OwnedOrder[], information: WireFields, markers: readonly WireFields[]): Samples {
  const ids = [
    ...orders.map(({ sample_id }) => sample_id),
    ...Object.keys(information),
    ...markers.map((marker) => marker['source_sample_id']),
  ].map(textOf);
  const known = ids.filter((id) => id !== undefined);
  return new Map(known.map((id) => [id, fieldsOrNone(information[id])]));
}

function sampleEntries(given: OrdersForFhir, samples: Samples): Entry[] {
  return [...samples].map(([id, told]) => {
    const collected = sampleTime(told['date_collected']);
    const specimen: Specimen = {
      resourceType: 'Specimen',
      identifier: [{ system: systems.sample, value: id }],
      subject: patient(given),
      ...maybe('receivedTime', sampleTime(told['date_received'])),
      ...(collected !== undefined && { collection: { collectedDateTime: collected } }),
    };
    return entryOf(sampleAddress(given, id), specimen);
  });
}

/** A text, or an object with `timestamp` (docs/upstream/results.md#the-result). */
function sampleTime(value: unknown): string | undefined {
  return dateTimeOf(isFields(value) ? value['timestamp'] : value);
}

/** With the person, because two labs may give the same id. */
const sampleAddress = ({ account }: OrdersForFhir, id: string): string => addressOf('sample', account, id);
const orderAddress = (id: string): string => addressOf('order', id);

function sampleReference(given: OrdersForFhir, samples: Samples, id: unknown): Reference | undefined {
  const known = textOf(id);
  return known !== undefined && samples.has(known) ? { reference: sampleAddress(given, known) } : undefined;
}

function orderEntries(given: OrdersForFhir, samples: Samples): Entry[] {
  return given.orders.map((order) => entryOf(orderAddress(order.order_id), requestOf(given, order, samples)));
}

/** An order that lost its sample or its markers ended before it was fulfilled: it is revoked, like a cancelled one. */
const requestStatus = {
  open: 'active',
  completed: 'completed',
  redraw_available: 'revoked',
  failed: 'revoked',
  cancelled: 'revoked',
} as const;

function requestOf(given: OrdersForFhir, order: OwnedOrder, samples: Samples): ServiceRequest {
  const specimen = sampleReference(given, samples, order.sample_id);
  const [name, lab] = [textOf(order.lab_test_name), textOf(order.lab_name)];
  const replaced = order.parent_id === null ? [] : [replacedReference(given, order.parent_id)];
  return {
    resourceType: 'ServiceRequest',
    identifier: [{ system: systems.order, value: order.order_id }],
    ...some('replaces', replaced),
    ...(given.transactionId !== null && { requisition: { system: systems.transaction, value: given.transactionId } }),
    status: requestStatus[phaseOf(order.status)],
    intent: 'order',
    ...(name !== undefined && { code: { text: name } }),
    subject: patient(given),
    authoredOn: toIso(order.created_at),
    ...some('performer', lab === undefined ? [] : [{ display: lab }]),
    ...some('specimen', specimen === undefined ? [] : [specimen]),
  };
}

function replacedReference({ orders }: OrdersForFhir, id: string): Reference {
  const identifier: Identifier = { system: systems.order, value: id };
  const isHere = orders.some(({ order_id }) => order_id === id);
  return isHere ? { reference: orderAddress(id) } : { type: 'ServiceRequest', identifier };
}

export const laboratory: CodeableConcept = { coding: [{ system: systems.category, code: 'laboratory' }] };
const laboratoryReport: CodeableConcept = { coding: [{ system: systems.section, code: 'LAB' }] };
/** LOINC 11502-2: Laboratory report. */
export const reportCode: CodeableConcept = { coding: [{ system: systems.loinc, code: '11502-2' }] };

function reportOf(given: ResultForFhir, samples: Samples, observations: readonly Entry[]): DiagnosticReport {
  const metadata = fieldsOrNone(given.content['metadata']);
  const { scope, id } = given.subject;
  const lab = textOf(metadata['laboratory']);
  return {
    resourceType: 'DiagnosticReport',
    meta: { versionId: String(given.version), lastUpdated: toIso(given.firstSeenAt) },
    identifier: [{ system: systems.result, value: `${scope}:${id}` }],
    ...some('basedOn', basedOn(given.orders)),
    status: reportStatus(given),
    category: [laboratoryReport],
    code: reportCode,
    subject: patient(given),
    ...maybe('effectiveDateTime', dateTimeOf(metadata['date_collected'])),
    ...maybe('issued', instantOf(metadata['date_reported'])),
    ...some('performer', lab === undefined ? [] : [{ display: lab }]),
    ...some(
      'specimen',
      [...samples.keys()].map((sample) => ({ reference: sampleAddress(given, sample) })),
    ),
    ...some(
      'result',
      observations.map(({ fullUrl }) => ({ reference: fullUrl })),
    ),
    ...maybe('conclusion', textOf(metadata['interpretation'])),
    ...some('presentedForm', presentedForm(given)),
  };
}

function basedOn(orders: readonly OwnedOrder[]): Reference[] {
  return orders.map(({ order_id }) => ({ reference: orderAddress(order_id) }));
}

/** The order whose sample was measured; all orders if the lab does not say which. */
function ordersOf({ orders }: OrdersForFhir, marker: WireFields): readonly OwnedOrder[] {
  const sample = textOf(marker['source_sample_id']);
  const own = orders.filter(({ sample_id }) => sample !== undefined && textOf(sample_id) === sample);
  return own.length > 0 ? own : orders;
}

function reportStatus({ status, earlier, content }: ResultForFhir): ReportStatus {
  if (status === 'withdrawn') return 'entered-in-error';
  if (status === 'partial') return 'partial';
  const said = textOrNull(fieldsOrNone(content['metadata'])['status'])?.trim().toLowerCase();
  if (said === 'amended') return 'amended';
  return said === 'corrected' || earlier !== null ? 'corrected' : 'final';
}

const observationStatus = {
  partial: 'preliminary',
  final: 'final',
  corrected: 'corrected',
  amended: 'amended',
  'entered-in-error': 'entered-in-error',
} as const;

/** FHIR R4's own `hash` is of SHA-1, which is not known; the checksum is an extension. */
function presentedForm({ pdf, subject: { scope, id } }: ResultForFhir): Attachment[] {
  if (pdf === null) return [];
  const list = scope === 'order' ? 'orders' : 'order-transactions';
  return [
    {
      extension: [{ url: systems.sha256, valueString: pdf.checksum }],
      contentType: 'application/pdf',
      url: `/admin/v1/${list}/${encodeURIComponent(id)}/result/pdf`,
      size: pdf.bytes,
      creation: toIso(pdf.seenAt),
    },
  ];
}

/** `before`: what the earlier final version said of the marker. A marker that is new or the same was not corrected. */
function observation(given: ResultForFhir, marker: WireFields, samples: Samples, before?: string): Observation {
  const content = observed(given, marker, samples);
  const isChanged = before !== undefined && before !== JSON.stringify(content);
  const isKept = given.status === 'final' && given.earlier !== null && !isChanged;
  return { ...content, status: isKept ? 'final' : observationStatus[reportStatus(given)] };
}

function observed(given: ResultForFhir, marker: WireFields, samples: Samples): Omit<Observation, 'status'> {
  const note = textOf(marker['notes']);
  return {
    ...observationBase(given, marker),
    ...maybe('effectiveDateTime', dateTimeOf(marker['timestamp'])),
    ...markerContent(marker),
    ...some('note', note === undefined ? [] : [{ text: note }]),
    ...maybe('specimen', sampleReference(given, samples, marker['source_sample_id'])),
  };
}

/** A marker that was ordered and could not be measured. */
function lost(given: ResultForFhir, marker: WireFields): Observation {
  const [reason, note] = [textOf(marker['inferred_failure_type']), textOf(marker['note'])];
  return {
    ...observationBase(given, marker),
    status: given.status === 'withdrawn' ? 'entered-in-error' : 'cancelled',
    dataAbsentReason: absent('not-performed', reason),
    ...some('note', note === undefined ? [] : [{ text: note }]),
  };
}

type ObservationBase = Pick<Observation, 'resourceType' | 'basedOn' | 'category' | 'code' | 'subject'>;

function observationBase(given: ResultForFhir, marker: WireFields): ObservationBase {
  return {
    resourceType: 'Observation',
    ...some('basedOn', basedOn(ordersOf(given, marker))),
    category: [laboratory],
    code: markerCode(marker),
    subject: patient(given),
  };
}
