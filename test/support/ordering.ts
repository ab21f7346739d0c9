import type { SandboxControl } from '../../sandbox/control-client.js';
import type { Answer } from './http.js';
import type { TestApp } from './test-app.js';

export interface OrderView {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  readonly account_id: string | null;
  readonly status: string;
  readonly replayed: boolean;
  readonly events: { status: string }[];
  readonly appointments: { appointment_id: string; status: string }[];
  readonly open_appointments: string[];
  readonly code: string;
  readonly detail: string;
  readonly errors: { field: string; message: string }[];
}

/** The body of a customer's request, without the account. */
export async function orderBody(control: SandboxControl, method = 'walk_in_test'): Promise<Record<string, unknown>> {
  const { lab_tests } = await control.labTests();
  return {
    patient_details: {
      first_name: 'Ada',
      last_name: 'Sample',
      dob: '1980-02-03',
      gender: 'female',
      phone_number: '+10000000000',
      email: 'ada@sandbox.example',
    },
    patient_address: { first_line: '1 Street', city: 'New York', state: 'NY', zip: '10001', country: 'US' },
    order_set: { lab_test_ids: [lab_tests.find((app) => app.method === method)?.id] },
  };
}

/** Places an order as an operator. */
export function place(app: TestApp, key: string | null, body: unknown, role = 'operator'): Promise<Answer<OrderView>> {
  const headers = { authorization: `Bearer ${role}-key`, ...(key === null ? {} : { 'idempotency-key': key }) };
  return app.call<OrderView>('POST', '/admin/v1/orders/place', headers, body);
}

/** Number of upstream calls that place an order, and of upstream's orders. */
export async function placedUpstream(control: SandboxControl): Promise<{ calls: number; orders: number }> {
  const { calls } = await control.calls({ method: 'POST', path: '/v3/order' });
  const { orders } = await control.truthOrders();
  return { calls: calls.filter((call) => call.url_path === '/v3/order').length, orders: orders.length };
}
