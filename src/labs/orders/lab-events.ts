import { asFields, asKey, isFields, listOrEmpty, textOrNull } from '../../platform/platform/json-reader.js';
import { parseUtcInstant } from '../../platform/platform/time.js';
import type { AppointmentEntity, CriticalResultEntity } from './lab-event.entity.js';
import { type Observed } from './order-facts.js';
import { isNewer } from './order-merge.js';
import type { NotificationColumns } from './patient-notification.js';

/*
 * Stored facts from the two lab events that belong to an order but are not orders: appointments
 * (docs/upstream/appointments.md#the-appointment-object) and critical results
 * (docs/upstream/results.md#critical-result-event). Excludes addresses, places, notes, patient-facing numbers and free
 * event data.
 */

/** A step of an appointment. Times in epoch milliseconds. */
export interface HistoryEntry {
  readonly created_at: number;
  readonly status: string;
}

export interface AppointmentFact extends Omit<AppointmentEntity, 'history' | 'observed_at'> {
  readonly history: readonly HistoryEntry[];
}

export type CriticalFact = Pick<
  CriticalResultEntity,
  'order_id' | 'finding' | 'sample_id' | 'account_id' | 'status' | 'interpretation' | 'created_at' | 'version'
>;

/** Throws `WireShapeError` without an id or an order id. */
export function factOfAppointment(data: unknown, { account }: Observed): AppointmentFact {
  const wire = asFields(data, 'appointment');
  const history = listOrEmpty(wire.events).flatMap(historyEntry);
  return {
    appointment_id: asKey(wire.id, 'appointment.id'),
    account_id: account,
    order_id: asKey(wire.order_id, 'appointment.order_id'),
    order_transaction_id: textOrNull(wire.order_transaction_id),
    type: textOrNull(wire.type),
    provider: textOrNull(wire.provider),
    status: textOrNull(wire.status),
    event_status: textOrNull(wire.event_status),
    start_at: parseUtcInstant(wire.start_at),
    end_at: parseUtcInstant(wire.end_at),
    iana_timezone: textOrNull(wire.iana_timezone),
    history,
    version: Math.max(0, ...history.map((entry) => entry.created_at)),
  };
}

function historyEntry(value: unknown): HistoryEntry[] {
  if (!isFields(value)) return [];
  const created_at = parseUtcInstant(value.created_at);
  const status = textOrNull(value.status);
  return created_at === null || status === null ? [] : [{ created_at, status }];
}

/** Throws `WireShapeError` without an order id. */
export function factOfCritical(data: unknown, { account, observedAt }: Observed): CriticalFact {
  const wire = asFields(data, 'critical result');
  const created = parseUtcInstant(wire.created_at);
  const sampleId = textOrNull(wire.sample_id) === null ? null : asKey(wire.sample_id, 'critical.sample_id');
  return {
    order_id: asKey(wire.order_id, 'critical.order_id'),
    finding: sampleId ?? 'event',
    sample_id: sampleId,
    account_id: account,
    status: textOrNull(wire.status),
    interpretation: textOrNull(wire.interpretation),
    created_at: created ?? observedAt,
    version: parseUtcInstant(wire.updated_at) ?? created ?? 0,
  };
}

/**
 * The state of the newer one with the history of both. The version of an appointment is the time of its newest event;
 * if versions are equal, the one with more history is newer, then the one that has ended.
 */
export function mergeAppointment(
  stored: AppointmentEntity,
  fact: AppointmentFact,
  observedAt: number,
): AppointmentEntity {
  const before = historyOf(stored);
  const newer = isNewerAppointment({ ...stored, history: before }, fact, observedAt);
  const history = JSON.stringify(union(before, fact.history));
  const owner = {
    account_id: fact.account_id ?? stored.account_id,
    order_transaction_id: fact.order_transaction_id ?? stored.order_transaction_id,
  };
  return newer ? { ...fact, ...owner, history, observed_at: observedAt } : { ...stored, ...owner, history };
}

function isNewerAppointment(
  stored: Omit<AppointmentEntity, 'history'> & Pick<AppointmentFact, 'history'>,
  fact: AppointmentFact,
  observedAt: number,
): boolean {
  if (fact.version !== stored.version) return fact.version > stored.version;
  const [added, lacking] = [unknownSteps(stored, fact), unknownSteps(fact, stored)];
  if (added !== lacking) return added > lacking;
  if (hasEnded(fact) !== hasEnded(stored)) return hasEnded(fact);
  return observedAt >= stored.observed_at;
}

/** Number of steps that only the second has. */
function unknownSteps(first: Pick<AppointmentFact, 'history'>, second: Pick<AppointmentFact, 'history'>): number {
  const known = new Set(first.history.map(keyOf));
  return second.history.filter((step) => !known.has(keyOf(step))).length;
}

/** The stored history, oldest first. */
export function historyOf(stored: Pick<AppointmentEntity, 'history'>): HistoryEntry[] {
  return JSON.parse(stored.history) as HistoryEntry[];
}

function union(a: readonly HistoryEntry[], b: readonly HistoryEntry[]): HistoryEntry[] {
  const known = new Set(a.map(keyOf));
  const added = b.filter((entry) => !known.has(keyOf(entry)));
  return [...a, ...added].sort((x, y) => x.created_at - y.created_at || (x.status < y.status ? -1 : 1));
}

function keyOf(entry: HistoryEntry): string {
  return `${entry.created_at} ${entry.status}`;
}

export function mergeCritical(
  stored: CriticalResultEntity,
  fact: CriticalFact,
  observedAt: number,
): CriticalResultEntity {
  const newer = isNewer(stored, fact.version, observedAt);
  const account_id = fact.account_id ?? stored.account_id;
  if (!newer) return { ...stored, account_id };
  // A newer event is about a later value. A repeated one leaves a result that was corrected since as it is.
  const again = fact.version > stored.version ? { settled_at: null, ...unnotified } : {};
  return { ...stored, ...fact, ...again, account_id, observed_at: observedAt };
}

/** The patient has not been informed of a later critical value. */
export const unnotified: NotificationColumns = { notified_at: null, notified_by: null, notified_how: null };

type Candidate = Pick<AppointmentEntity, 'appointment_id' | 'order_id' | 'status' | 'event_status' | 'version'>;

const ended: ReadonlySet<string | null> = new Set(['cancelled', 'completed']);

/** True for a cancelled or completed appointment. */
export function hasEnded({ status, event_status }: Pick<Candidate, 'status' | 'event_status'>): boolean {
  return ended.has(status) || ended.has(event_status);
}

/**
 * The ids of the active appointments: the newest per order that has not ended, because an order may have several over
 * time, but only one active (docs/upstream/appointments.md#life-of-an-appointment). If the event that ended an
 * appointment was missed, a newer one replaces it.
 */
export function activeAppointments(all: readonly Candidate[]): ReadonlySet<string> {
  const byOrder = new Map<string, Candidate>();
  for (const each of all) {
    if (hasEnded(each)) continue;
    const best = byOrder.get(each.order_id);
    if (!best || isLater(each, best)) byOrder.set(each.order_id, each);
  }
  return new Set([...byOrder.values()].map((each) => each.appointment_id));
}

function isLater(a: Candidate, b: Candidate): boolean {
  return a.version === b.version ? a.appointment_id > b.appointment_id : a.version > b.version;
}
