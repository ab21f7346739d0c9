/**
 * Events as upstream sends them, with values made up for tests (docs/upstream/webhooks.md, docs/upstream/orders.md,
 * docs/upstream/appointments.md).
 */

export interface User {
  readonly user_id: string;
  readonly client_user_id: string;
  readonly team_id: string;
}

export interface TestEvent {
  event_type: string;
  data: unknown;
  user_id?: string;
  client_user_id?: string;
  team_id?: string;
}

export function event(event_type: string, user: User, data: unknown): TestEvent {
  const { user_id, client_user_id, team_id } = user;
  return { event_type, data, user_id, client_user_id, team_id };
}

export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const source = { provider: 'oura', type: 'ring', app_id: null, device_id: null };

export function sleep(user: User, over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: uuid(1),
    user_id: user.user_id,
    calendar_date: '2026-11-20',
    bedtime_start: '2026-11-19T22:00:00+00:00',
    bedtime_stop: '2026-11-20T06:00:00+00:00',
    type: 'long_sleep',
    duration: 28_800,
    total: 27_000,
    source,
    created_at: '2026-11-20T07:00:00+00:00',
    updated_at: '2026-11-20T07:00:00+00:00',
    ...over,
  };
}

export interface Minutes {
  start: string;
  value: number;
  unit?: string;
}

export function mindfulness(...points: Minutes[]): Record<string, unknown> {
  const data = points.map(({ start, value, unit = 'min' }) => {
    const end = new Date(Date.parse(start) + value * 60_000).toISOString();
    return { timestamp: start, start, end, timezone_offset: 3600, type: null, unit, value };
  });
  return { source, data };
}

export function pressure(timestamp: string, systolic: number, diastolic: number): Record<string, unknown> {
  return { source: { ...source, type: 'cuff' }, data: [{ timestamp, systolic, diastolic, unit: 'mmHg' }] };
}

export function weight(timestamp: string, value: number): Record<string, unknown> {
  return { source: { ...source, type: 'scale' }, data: [{ timestamp, value, unit: 'kg' }] };
}

export function order(user: User, id: string, transaction: string): Record<string, unknown> {
  const at = '2026-11-20T10:00:00+00:00';
  const status = 'received.walk_in_test.ordered';
  return {
    id,
    user_id: user.user_id,
    team_id: user.team_id,
    patient_details: { first_name: 'Test', last_name: 'Person', dob: '1990-01-01', gender: 'other' },
    details: { type: 'walk_in_test', data: null },
    events: [{ id: 1, created_at: at, status }],
    last_event: { id: 1, created_at: at, status },
    origin: 'initial',
    order_transaction: {
      id: transaction,
      status: 'active',
      orders: [{ id, origin: 'initial', created_at: at, updated_at: at }],
    },
    created_at: at,
    updated_at: at,
  };
}

export function appointment(user: User, id: string, orderId: string): Record<string, unknown> {
  const at = '2026-11-20T10:00:00+00:00';
  return {
    id,
    user_id: user.user_id,
    order_id: orderId,
    start_at: '2026-11-25T15:00:00+00:00',
    end_at: '2026-11-25T15:15:00+00:00',
    iana_timezone: 'America/New_York',
    type: 'patient_service_center',
    provider: 'quest',
    status: 'confirmed',
    event_status: 'scheduled',
    events: [{ created_at: at, status: 'scheduled' }],
  };
}
