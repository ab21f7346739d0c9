import { newId } from '../../../../src/platform/platform/ids.js';
import { newAccountId } from '../../../support/environment.js';
import type { Answer } from '../../../support/http.js';
import { orderBody, place } from '../../../support/ordering.js';
import { TestApp } from '../../../support/test-app.js';

export interface AppointmentView {
  readonly appointment_id: string;
  readonly order_id: string;
  readonly status: string;
  readonly start_at: string;
  readonly is_active: boolean;
  readonly replayed: boolean;
  readonly code: string;
  readonly detail: string;
  readonly errors: { field: string; message: string }[];
}

/** An account with an order that can have an appointment, and the calls about it. */
export class AppointmentCase {
  private constructor(
    readonly app: TestApp,
    readonly orderId: string,
    /** Of free slots, in order of time. */
    readonly keys: readonly string[],
  ) {}

  static async open(options: { requisition?: boolean; webhooks?: boolean } = {}): Promise<AppointmentCase> {
    const app = await TestApp.create();
    const { control } = app.sandbox;
    if (options.webhooks === false) await control.configureWebhooks({ paused: true });
    const account_id = newAccountId();
    await app.admin('POST', '/accounts', { account_id });
    const placed = await place(app, newId(), { ...(await orderBody(control)), account_id });
    const orderId = placed.body.order_id;
    if (options.requisition !== false) await control.walkOrder(orderId, { to: 'requisition_created' });
    return new AppointmentCase(app, orderId, await freeKeys(app));
  }

  get path(): string {
    return `/admin/v1/orders/${this.orderId}/appointment`;
  }

  book(key: string | null, body: object, role = 'backend'): Promise<Answer<AppointmentView>> {
    const headers = { authorization: `Bearer ${role}-key`, ...(key === null ? {} : { 'idempotency-key': key }) };
    return this.app.call<AppointmentView>('POST', this.path, headers, body);
  }

  /** Books the slot of this number. */
  bookSlot(index: number, key: string = newId()): Promise<Answer<AppointmentView>> {
    return this.book(key, { booking_key: this.keys[index] });
  }

  move(body: object): Promise<Answer<AppointmentView>> {
    return this.app.call<AppointmentView>('PATCH', this.path, 'Bearer backend-key', body);
  }

  cancel(body?: object, query = ''): Promise<Answer<AppointmentView>> {
    return this.app.call<AppointmentView>('DELETE', `${this.path}${query}`, 'Bearer backend-key', body);
  }

  /** Number of booking calls to upstream, and of appointments it made. */
  async upstream(): Promise<{ calls: number; appointments: number }> {
    const { control } = this.app.sandbox;
    const { messages } = await control.messages({ event_type: 'labtest.appointment.created' });
    const { calls } = await control.calls({ method: 'POST' });
    return {
      calls: calls.filter(({ url_path }) => url_path.endsWith('/appointment/book')).length,
      appointments: messages.length,
    };
  }

  async stored(): Promise<{ appointment_id: string; status: string }[]> {
    const sql = 'SELECT appointment_id, status FROM appointments ORDER BY appointment_id';
    return this.app.store.reader.rows(sql);
  }

  async states(): Promise<string[]> {
    const rows = await this.app.store.reader.rows<{ state: string }>(
      `SELECT state FROM idempotency_keys WHERE subject = 'booking'`,
    );
    return rows.map(({ state }) => state);
  }
}

export async function freeKeys(app: TestApp): Promise<string[]> {
  const found = await app.admin<{ slots: { slots: { booking_key: string | null }[] }[] }>(
    'POST',
    '/labs/availability',
    { lab: 'quest', site_codes: ['QNY1'] },
  );
  const keys = found.body.slots.flatMap(({ slots }) => slots.map(({ booking_key }) => booking_key));
  return keys.filter((key) => key !== null);
}
