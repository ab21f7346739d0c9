/**
 * Appointments at patient service centers and slots to book (docs/upstream/appointments.md).
 *
 * confirmed -> in_progress -> completed; confirmed -> cancelled. `confirmed` shows as event status `scheduled`.
 * One active appointment per order; a booking moves the order to appointment_scheduled, cancelling to
 * appointment_cancelled.
 */
import type { Ids } from '../engine/random.js';
import type { Timeline } from '../engine/timeline.js';
import { formatDate, formatTime, HOUR, MINUTE } from '../engine/times.js';
import type { Order } from '../labs/order.js';
import { hasEnded } from '../labs/order-statuses.js';
import { lastStatus, type Orders } from '../labs/orders.js';
import type { Users } from '../users/users.js';
import type { Events } from '../webhooks/events.js';
import { addressOf, LOCATION, SITES, type Site, ZONE } from './sites.js';

export interface Appointment {
  id: string;
  orderId: string;
  userId: string;
  transactionId: string;
  site: Site;
  start: number;
  status: string;
  notes: string | null;
  events: { created_at: string; status: string; data: Record<string, unknown> | null }[];
}

const SLOT_MS = 15 * MINUTE;
const FIRST_HOUR_UTC = 13;
/** Time for which the key of an offered slot can be booked. */
const OFFER_MS = 15 * MINUTE;

export class Appointments {
  private appointments: Appointment[] = [];

  constructor(
    private readonly timeline: Timeline,
    private readonly ids: Ids,
    private readonly events: Events,
    private readonly orders: Orders,
    private readonly users: Users,
  ) {}

  /** For a restart (state.ts). */
  keep(): Appointment[] {
    return this.appointments;
  }

  restore(kept: Appointment[]): void {
    this.appointments = kept;
  }

  /** Books a slot by its key; null if the key is unknown or the slot is taken. */
  book(order: Order, bookingKey: string, notes: string | null): Appointment | null {
    const slot = this.readKey(bookingKey);
    if (slot === null || this.isTaken(slot.site, slot.start)) return null;
    const appointment: Appointment = {
      id: this.ids.uuid('appointment', order.id),
      orderId: order.id,
      userId: order.userId,
      transactionId: order.transactionId,
      ...slot,
      status: 'confirmed',
      notes,
      events: [],
    };
    this.appointments.push(appointment);
    this.record(appointment);
    this.announce(appointment, 'created');
    this.orders.step(order, 'appointment_scheduled');
    return appointment;
  }

  reschedule(appointment: Appointment, bookingKey: string, notes: string | null): Appointment | null {
    const slot = this.readKey(bookingKey);
    if (slot === null || this.isTaken(slot.site, slot.start)) return null;
    Object.assign(appointment, slot, { notes: notes ?? appointment.notes });
    this.record(appointment);
    this.announce(appointment, 'updated');
    return appointment;
  }

  /**
   * Changes the status of an appointment and notifies the customer; cancelling also moves its order if a requisition
   * exists.
   */
  move(appointment: Appointment, status: string): void {
    appointment.status = status;
    this.record(appointment);
    this.announce(appointment, 'updated');
    const order = this.orders.find(appointment.orderId);
    const open = order !== undefined && order.sampleId !== null && !hasEnded(lastStatus(order));
    if (status === 'cancelled' && open) this.orders.step(order, 'appointment_cancelled');
  }

  cancelFor(order: Order): void {
    const appointment = this.activeOf(order.id);
    if (appointment !== undefined) this.move(appointment, 'cancelled');
  }

  activeOf(orderId: string): Appointment | undefined {
    return this.appointments.find(
      (each) => each.orderId === orderId && !['cancelled', 'completed'].includes(each.status),
    );
  }

  toWire(appointment: Appointment): Record<string, unknown> {
    const { site } = appointment;
    return {
      id: appointment.id,
      user_id: appointment.userId,
      order_id: appointment.orderId,
      order_transaction_id: appointment.transactionId,
      address: addressOf(site),
      location: LOCATION,
      start_at: formatTime(appointment.start),
      end_at: formatTime(appointment.start + SLOT_MS),
      iana_timezone: ZONE,
      type: 'patient_service_center',
      provider: site.lab,
      provider_id: appointment.id.slice(0, 8),
      external_id: appointment.id.slice(9, 13),
      can_reschedule: appointment.status === 'confirmed',
      appointment_notes: appointment.notes,
      status: appointment.status,
      event_status: appointment.status === 'confirmed' ? 'scheduled' : appointment.status,
      event_data: null,
      events: [...appointment.events],
    };
  }

  /** The free slots of a site on one day, given as midnight UTC. */
  dayWire(site: Site, day: number): Record<string, unknown> {
    const starts = Array.from({ length: 4 }, (_, index) => day + FIRST_HOUR_UTC * HOUR + index * SLOT_MS);
    const free = starts.filter((start) => !this.isTaken(site, start));
    return {
      location: {
        location: LOCATION,
        distance: 3,
        address: addressOf(site),
        code: site.code,
        name: site.name,
        iana_timezone: ZONE,
      },
      date: formatDate(day),
      slots: free.map((start, index) => ({
        booking_key: index === 3 ? null : this.writeKey(site, start),
        start: formatTime(start),
        end: formatTime(start + SLOT_MS),
        expires_at: formatTime(this.expiry()),
        price: 0,
        is_priority: false,
        num_appointments_available: 1,
      })),
    };
  }

  private writeKey(site: Site, start: number): string {
    return Buffer.from(`${site.code}|${start}|${this.expiry()}`).toString('base64url');
  }

  /** The slot of an unexpired key. */
  private readKey(key: string): { site: Site; start: number } | null {
    const [code, start, until] = Buffer.from(key, 'base64url').toString().split('|');
    const site = SITES.find((each) => each.code === code);
    const isKey = /^\d+$/.test(start ?? '') && /^\d+$/.test(until ?? '');
    return site === undefined || !isKey || Number(until) <= this.timeline.now() ? null : { site, start: Number(start) };
  }

  private expiry(): number {
    return this.timeline.now() + OFFER_MS;
  }

  private isTaken(site: Site, start: number): boolean {
    return this.appointments.some(
      (each) => each.site.code === site.code && each.start === start && each.status !== 'cancelled',
    );
  }

  private record(appointment: Appointment): void {
    const status = appointment.status === 'confirmed' ? 'scheduled' : appointment.status;
    appointment.events.push({ created_at: formatTime(this.timeline.now()), status, data: null });
  }

  private announce(appointment: Appointment, change: 'created' | 'updated'): void {
    const user = this.users.find(appointment.userId);
    if (user !== undefined) this.events.emit(`labtest.appointment.${change}`, user, this.toWire(appointment));
  }
}
