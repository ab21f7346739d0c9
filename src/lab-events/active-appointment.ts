import type { AppointmentEntity } from './appointment.entity.js';

type Record = Pick<AppointmentEntity, 'appointment_id' | 'order_id' | 'status' | 'event_status' | 'version'>;

const ended: ReadonlySet<string | null> = new Set(['cancelled', 'completed']);

/** True for one that nobody will come to any more. */
export function hasEnded({ status, event_status }: Pick<Record, 'status' | 'event_status'>): boolean {
  return ended.has(status) || ended.has(event_status);
}

/**
 * The ids of the appointments that stand: of each order the newest one that has not ended (supplement 10.4: several
 * records over time, one of them active). One whose end was never heard of gives way to the one made after it.
 */
export function activeAppointments(all: readonly Record[]): ReadonlySet<string> {
  const byOrder = new Map<string, Record>();
  for (const each of all) {
    if (hasEnded(each)) continue;
    const best = byOrder.get(each.order_id);
    if (!best || isLater(each, best)) byOrder.set(each.order_id, each);
  }
  return new Set([...byOrder.values()].map((each) => each.appointment_id));
}

function isLater(a: Record, b: Record): boolean {
  return a.version === b.version ? a.appointment_id > b.appointment_id : a.version > b.version;
}
