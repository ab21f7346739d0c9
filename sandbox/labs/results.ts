import type { Ids } from '../engine/random.js';
import { formatTime } from '../engine/times.js';
import type { Marker } from '../facts/lab-tests.js';
import type { Order } from './order.js';
import { hasResults } from './order-statuses.js';
import { lastStatus } from './orders.js';

function isFinal(order: Order): boolean {
  return ['completed', 'corrected'].includes(lastStatus(order));
}

export function hasAnyResult(order: Order): boolean {
  return hasResults(lastStatus(order)) && order.result.withdrawn !== true;
}

/** Markers measured so far: all but the last while results are partial or a redraw is due. */
function measured(order: Order): readonly Marker[] {
  const { markers } = order.labTest;
  return isFinal(order) && !order.missingResults ? markers : markers.slice(0, -1);
}

function markerSources(marker: Marker): Record<string, unknown>[] {
  return [{ marker_id: marker.id, name: marker.name, slug: marker.slug, provider_id: marker.provider_id }];
}

type Fields = Record<string, unknown>;

/** Fields of a value by type; -1 if there is no number (docs/upstream/results.md#biomarkers). */
function reading(type: string, value: number, marker: Marker): Fields {
  const [low, high] = marker.range;
  const range = { unit: marker.unit, reference_range: `${low}-${high}`, min_range_value: low, max_range_value: high };
  if (type === 'numeric') return { value, result: String(value), ...range };
  if (type === 'range') return { value: -1, result: `<${high}`, ...range };
  const result = type === 'comment' ? 'See the comment of the laboratory.' : 'Not Detected';
  return { value: -1, result, unit: null, reference_range: null, min_range_value: null, max_range_value: null };
}

/**
 * Results of the requested types in turn, numeric by default. In a critical result, the first marker is above its
 * range.
 */
function biomarker(ids: Ids, order: Order, marker: Marker): Fields {
  const [low, high] = marker.range;
  const place = order.labTest.markers.indexOf(marker);
  const types = order.simulation?.types ?? [];
  const type = types[place % Math.max(1, types.length)] ?? 'numeric';
  const isCritical = place === 0 && order.simulation?.critical === true;
  const drawn = ids.rng('result', order.id, marker.id, lastStatus(order) === 'corrected' ? 1 : 0).float(low, high, 2);
  return {
    name: marker.name,
    slug: marker.slug,
    ...reading(type, isCritical ? high * 2 : drawn, marker),
    type,
    timestamp: formatTime(order.updatedAt),
    notes: type === 'comment' ? 'Synthetic comment.' : null,
    is_above_max_range: isCritical && type === 'numeric',
    is_below_min_range: false,
    interpretation: isCritical ? 'critical' : 'normal',
    source_interpretation: '',
    loinc: null,
    loinc_slug: null,
    provider_id: marker.provider_id,
    source_markers: markerSources(marker),
    performing_laboratory: null,
    source_sample_id: order.sampleId,
  };
}

function missing(order: Order): Record<string, unknown>[] {
  if (!order.missingResults) return [];
  return order.labTest.markers.slice(-1).map((marker) => ({
    name: marker.name,
    slug: marker.slug,
    inferred_failure_type: 'quantity_not_sufficient_failure',
    note: null,
    loinc: null,
    loinc_slug: null,
    provider_id: marker.provider_id,
    source_markers: markerSources(marker),
  }));
}

export function resultMetadata(order: Order): Record<string, unknown> {
  const person = order.details.patient_details ?? {};
  const dob = typeof person.dob === 'string' ? person.dob : '1980-01-01';
  return {
    age: String(new Date(order.createdAt).getUTCFullYear() - Number(dob.slice(0, 4))),
    dob,
    patient:
      [person.first_name, person.last_name].filter((part) => typeof part === 'string').join(' ') || 'Sample Patient',
    specimen_number: order.sampleId ?? '',
    date_reported: formatTime(order.updatedAt),
    date_collected: formatTime(order.createdAt),
    date_received: null,
    provider: null,
    laboratory: order.labTest.lab.name,
    status: isFinal(order) ? 'final' : 'partial',
    interpretation: order.interpretation ?? 'normal',
    patient_id: null,
    account_id: null,
    'clia_#': null,
    ...order.result.metadata,
  };
}

/** Results of one order, or of all orders of a transaction: each marker from the newest order that has it. */
export function resultsWire(ids: Ids, orders: readonly Order[], transaction: unknown): Record<string, unknown> | null {
  const withResults = orders.filter(hasAnyResult);
  const newest = withResults.at(-1);
  if (newest === undefined) return null;
  const byMarker = new Map<number, Record<string, unknown>>();
  for (const order of withResults) {
    for (const marker of measured(order)) byMarker.set(marker.id, biomarker(ids, order, marker));
  }
  const { results, fields } = newest.result;
  return {
    metadata: resultMetadata(newest),
    results: results ?? [...byMarker.values()],
    missing_results: missing(newest),
    sample_information: {},
    order_transaction: transaction,
    ...fields,
  };
}
