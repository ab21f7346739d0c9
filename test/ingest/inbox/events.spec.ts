import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { deliver, messagesOf, newMessageId, processed } from './support/deliveries.js';
import { appointment, event, mindfulness, order, pressure, sleep, type User, uuid, weight } from './support/events.js';

interface Family {
  event_type: string;
  data: (user: User) => unknown;
  /** Rows expected afterwards, by a query with the account's number. */
  rows: readonly [sql: string, expected: Record<string, unknown>[]][];
}

const at = (text: string): number => Date.parse(text);

const applied: Family[] = [
  {
    event_type: 'daily.data.sleep.created',
    data: (user) => sleep(user),
    rows: [
      [
        'SELECT * FROM summaries WHERE account_id = ?',
        [
          {
            resource: 'sleep',
            summary_id: uuid(1),
            time: at('2026-11-19T22:00:00Z'),
            end_time: at('2026-11-20T06:00:00Z'),
            calendar_date: '2026-11-20',
            provider: 'oura',
            source_type: 'ring',
          },
        ],
      ],
    ],
  },
  {
    event_type: 'daily.data.mindfulness_minutes.updated',
    data: () =>
      mindfulness({ start: '2026-11-20T08:00:00+00:00', value: 10 }, { start: '2026-11-20T09:00:00Z', value: 5 }),
    rows: [
      [
        'SELECT s.* FROM samples s JOIN series r ON r.id = s.series_id WHERE r.account_id = ? ORDER BY s.time',
        [
          { time: at('2026-11-20T08:00:00Z'), value: 10, duration_ms: 600_000 },
          { time: at('2026-11-20T09:00:00Z'), value: 5, duration_ms: 300_000 },
        ],
      ],
    ],
  },
  {
    event_type: 'daily.data.blood_pressure.created',
    data: () => pressure('2026-11-20T08:00:00+00:00', 120, 80),
    rows: [
      [
        'SELECT r.source_type, s.value, s.text_value FROM samples s JOIN series r ON r.id = s.series_id WHERE r.account_id = ?',
        [{ source_type: 'cuff', value: 120, text_value: '80' }],
      ],
    ],
  },
  {
    event_type: 'daily.data.weight.created',
    data: () => weight('2026-11-20T08:00:00+00:00', 71.5),
    rows: [['SELECT resource FROM series WHERE account_id = ?', [{ resource: 'body_weight' }]]],
  },
  {
    event_type: 'historical.data.sleep.created',
    data: (user) => ({
      user_id: user.user_id,
      start_date: '2026-08-20T00:00:00+00:00',
      end_date: '2026-11-20T00:00:00+00:00',
      provider: 'oura',
    }),
    rows: [
      [
        'SELECT * FROM historical_pulls WHERE account_id = ?',
        [{ provider: 'oura', resource: 'sleep', status: 'success' }],
      ],
      [
        `SELECT provider, resource, status, CASE WHEN window_start <= ${at('2026-08-20T00:00:00Z')}
           AND window_end >= ${at('2026-11-20T00:00:00Z')} THEN 1 ELSE 0 END AS whole
         FROM sync_tasks WHERE account_id = ? AND origin = 'historical'`,
        [{ provider: 'oura', resource: 'sleep', status: 'pending', whole: 1 }],
      ],
    ],
  },
  {
    event_type: 'provider.connection.created',
    data: (user) => ({
      user_id: user.user_id,
      provider: { name: 'Oura', slug: 'oura', logo: 'x' },
      resource_availability: { sleep: { status: 'available' } },
    }),
    rows: [
      [
        'SELECT * FROM connections WHERE account_id = ?',
        [{ provider: 'oura', status: 'connected', observed_at: START }],
      ],
      ["SELECT DISTINCT status FROM pull_streams WHERE account_id = ? AND provider = 'oura'", [{ status: 'active' }]],
      ['SELECT due_at FROM source_polls WHERE account_id = ?', [{ due_at: START }]],
    ],
  },
  {
    event_type: 'provider.connection.error',
    data: (user) => ({
      user_id: user.user_id,
      provider: 'oura',
      error_type: 'token_refresh_failed',
      message: 'x',
      error_details: 'x',
    }),
    rows: [
      [
        'SELECT * FROM connections WHERE account_id = ?',
        [{ provider: 'oura', status: 'error', error_type: 'token_refresh_failed', error_at: START }],
      ],
    ],
  },
  {
    event_type: 'provider.device.created',
    data: (user) => ({
      id: uuid(70),
      user_id: user.user_id,
      provider: 'oura',
      source_type: 'ring',
      device_model: 'Gen 3',
    }),
    rows: [['SELECT * FROM devices WHERE account_id = ?', [{ device_id: uuid(70), provider: 'oura', model: 'Gen 3' }]]],
  },
  {
    event_type: 'labtest.order.created',
    data: (user) => order(user, uuid(80), uuid(90)),
    rows: [
      [
        'SELECT * FROM orders WHERE account_id = ?',
        [
          {
            order_id: uuid(80),
            order_transaction_id: uuid(90),
            origin: 'initial',
            status: 'received.walk_in_test.ordered',
          },
        ],
      ],
    ],
  },
  {
    event_type: 'daily.data.workout_stream.created',
    data: (user) => ({
      user_id: user.user_id,
      workout_id: uuid(5),
      provider_id: 'w-5',
      source: { provider: 'garmin' },
    }),
    rows: [
      [
        'SELECT * FROM workout_series_fetches WHERE account_id = ?',
        [{ workout_id: uuid(5), status: 'due', due_at: START }],
      ],
    ],
  },
  {
    event_type: 'labtest.appointment.updated',
    data: (user) => appointment(user, uuid(81), uuid(82)),
    rows: [
      [
        'SELECT * FROM appointments WHERE account_id = ?',
        [
          {
            appointment_id: uuid(81),
            order_id: uuid(82),
            event_status: 'scheduled',
            start_at: at('2026-11-25T15:00:00Z'),
          },
        ],
      ],
    ],
  },
  {
    event_type: 'labtest.result.critical',
    data: (user) => ({
      order_id: uuid(83),
      sample_id: 'S-1',
      status: 'final',
      interpretation: 'critical',
      team_id: user.team_id,
      user_id: user.user_id,
      created_at: '2026-11-20T10:00:00+00:00',
      updated_at: '2026-11-20T10:00:00+00:00',
    }),
    rows: [
      [
        'SELECT * FROM critical_results WHERE account_id = ?',
        [{ order_id: uuid(83), sample_id: 'S-1', status: 'final' }],
      ],
    ],
  },
];

describe('events', () => {
  let inbox: TestApp;
  let users = 0;

  beforeAll(async () => {
    inbox = await TestApp.create({ webhooks: false });
    await inbox.sandbox.control.configure({ user_limit: null });
  });

  afterAll(() => inbox.close());

  async function newUser(): Promise<User> {
    users += 1;
    const created = await inbox.sandbox.control.createUsers({ client_user_id: `cust-${users}` });
    return created.users[0] as unknown as User;
  }

  it.each(applied)(
    '$event_type of a user not known here is applied once its account is adopted, and again without a change [webhooks#event-types]',
    async ({ event_type, data, rows }) => {
      const user = await newUser();
      const id = newMessageId();
      expect(await deliver(inbox, event(event_type, user, data(user)), { id })).toBe(204);
      await processed(inbox);
      const message = await messagesOf(inbox).byId(id);
      expect(message).toMatchObject({
        status: 'done',
        event_type,
        attempts: 1,
        reason: null,
        due_at: null,
        lease_owner: null,
        lease_until: null,
        finished_at: START,
      });
      const account = await inbox.store.reader.row<{ id: number; account_id: string; upstream_user_id: string }>(
        'SELECT id, account_id, upstream_user_id FROM accounts WHERE id = ?',
        [message.account_id],
      );
      expect(account).toMatchObject({ account_id: user.client_user_id, upstream_user_id: user.user_id });
      const read = () => Promise.all(rows.map(([sql]) => inbox.store.reader.rows(sql, [message.account_id])));
      const stored = await read();
      expect(stored).toMatchObject(rows.map(([, expected]) => expected));
      expect((await inbox.admin('POST', `/messages/${id}/replay`)).status).toBe(202);
      await processed(inbox);
      expect(await messagesOf(inbox).byId(id)).toMatchObject({ status: 'done', attempts: 1 });
      expect(await read()).toEqual(stored);
    },
  );
});
