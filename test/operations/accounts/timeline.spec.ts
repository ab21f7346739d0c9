import { rooms } from '../../../src/app/rooms.js';
import { sourceQuery } from '../../../src/operations/accounts/timeline.reader.js';
import { Declarations } from '../../../src/storage/declarations/declarations.js';
import { type TimelineKind, timelineKinds } from '../../../src/storage/declarations/timeline.js';
import { day, type Happening } from './support/happenings.js';
import {
  account,
  app,
  type Entry,
  everything,
  happenings,
  iso,
  minute,
  now,
  openTimelines,
  page,
} from './support/timelines.js';

const { timeline: timelineSources } = new Declarations(rooms);

openTimelines();

const shown: Record<TimelineKind, Pick<Entry, 'title' | 'details'> & { ref: string }> = {
  operator_act: {
    title: 'An action by an operator was completed.',
    ref: 'access_log',
    details: {
      actor: 'desk',
      role: 'operator',
      action: 'POST /admin/v1/accounts/:account_id/sync',
      target: null,
      request_id: 'r',
      status: 202,
    },
  },
  user_replaced: {
    title: 'The account was relinked to a new upstream user.',
    ref: 'upstream_user',
    details: {},
  },
  critical_result: { title: 'A lab reported a critical result.', ref: 'order', details: {} },
  result: { title: 'A lab result arrived.', ref: 'order', details: { version: 1, status: 'final' } },
  unmatched_result: {
    title: 'A lab result could not be attached to an order.',
    ref: 'unmatched_result',
    details: { status_now: 'pending_customer_review', decision_code: 'no_match', order_id: null },
  },
  parsing_job: {
    title: 'Upstream is parsing a lab report.',
    ref: 'parsing_job',
    details: { order_id: 'o', status_now: 'completed' },
  },
  appointment: {
    title: 'Appointment: confirmed.',
    ref: 'appointment',
    details: {
      order_id: 'o',
      type: 'patient_service_center',
      provider: null,
      status: 'confirmed',
      event_status: null,
    },
  },
  order_event: {
    title: 'Lab order: ordered.',
    ref: 'order',
    details: { status: 'received.walk_in_test.ordered' },
  },
  order: {
    title: 'A redraw order was placed.',
    ref: 'order',
    details: { order_transaction_id: null, origin: 'redraw', status_now: null },
  },
  records_gone: {
    title: 'Oura sleep: 1 record hidden because two complete pulls no longer returned them.',
    ref: 'sync_task',
    details: { resource: 'sleep', provider: 'oura', reason: 'gone', records: 1, first_missed_by: '3' },
  },
  pull_failed: {
    title: 'Oura sleep: a pull failed permanently.',
    ref: 'sync_task',
    details: pull({ status: 'failed', error_code: 'upstream_contract' }),
  },
  pull_done: {
    title: 'Oura sleep pulled: 120 records.',
    ref: 'sync_task',
    details: pull({ status: 'done', pages: 3, records: 120 }),
  },
  pull_requested: {
    title: 'Oura sleep: a pull was requested.',
    ref: 'sync_task',
    details: pull({ status: 'pending' }),
  },
  history_pull: {
    title: expect.stringMatching(/^Oura .*: upstream could not pull the history\.$/),
    ref: 'historical_pull',
    details: {
      provider: 'oura',
      resource: expect.any(String),
      status: 'failure',
      days_with_data: null,
      error_details: 'unreadable',
      trace_id: null,
    },
  },
  connection: {
    title: expect.stringMatching(/^[\w-]+ stopped working and must be reconnected\.$/),
    ref: 'connection',
    details: { provider: expect.any(String), status: 'error', error_type: 'token_refresh_failed', asked_by: null },
  },
  link_outcome: {
    title: 'A link attempt failed.',
    ref: 'link_attempt',
    details: {
      outcome: 'error',
      outcome_source: 'redirect',
      confirmed: false,
      error_type: 'token_expired',
      connected_provider: null,
    },
  },
  message_given_up: {
    title: 'The message daily.data.sleep.created failed permanently.',
    ref: 'message',
    details: { event_type: 'daily.data.sleep.created', status: 'dead', reason: 'wire_shape', attempts: 1 },
  },
  message: {
    title: 'The message daily.data.sleep.created arrived.',
    ref: 'message',
    details: { event_type: 'daily.data.sleep.created', status: 'done', reason: null, attempts: 1 },
  },
  link_token: {
    title: 'A link token for Oura was requested.',
    ref: 'link_attempt',
    details: { provider: 'oura', expires_at: expect.any(String) },
  },
  sign_in_token: {
    title: 'A sign-in token was issued.',
    ref: 'token_issue',
    details: { installation_id: 'phone', too_frequent: false },
  },
  account_linked: { title: 'The account was linked to an upstream user.', ref: 'account', details: {} },
  account_created: { title: 'The account was created.', ref: 'account', details: { status_now: 'active' } },
};

function pull(over: Record<string, unknown>): Record<string, unknown> {
  const window = { window_start: iso(0), window_end: iso(day) };
  const counts = { pages: 0, records: 0, error_code: null };
  return { resource: 'sleep', provider: 'oura', origin: 'operator', ...window, ...counts, ...over };
}

describe('the timeline of an account', () => {
  it.each([...timelineKinds])('shows a %s and only its listed fields', async (kind) => {
    await everything(now - minute);
    if (kind in happenings.all) await happenings.all[kind as Happening](now, account + 1);
    const at = kind in happenings.all ? now - minute : now - 9 * day;
    const { data } = await page(`kind=${kind}&start=${iso(at)}`);
    const { title, ref, details } = shown[kind];
    expect(data).toEqual([{ at: iso(at), kind, title, ref: { type: ref, id: expect.any(String) }, details }]);
  });

  it('has one source for every kind', () => {
    expect(timelineSources.map(({ kind }) => kind).sort()).toEqual([...timelineKinds].sort());
  });

  it('shows no act of the app and no read by a viewer', async () => {
    await happenings.all.operator_act(now, account);
    await app.store.lane.run(async (tx) => {
      for (const [seq, role] of [null, 'viewer', 'reader'].entries()) {
        await tx.execute(
          `INSERT INTO access_log (seq, at, actor, role, action, account_ref, request_id, status, previous_hash, hash)
           VALUES (?, ?, 'somebody', ?, 'GET /admin/v1/orders/:order_id/result', ?, 'r', 200, '', '')`,
          [2_000_000 + seq, now + seq, role, account],
        );
      }
    });
    const { data } = await page('kind=operator_act');
    expect(data.map(({ title, details }) => [title, details['role']])).toEqual([
      ['An operator read values.', 'reader'],
      ['An action by an operator was completed.', 'operator'],
    ]);
  });

  it('calls a read what is one, by whatever method', async () => {
    const reads = [
      ['POST /v1/snapshots', '*'],
      ['HEAD /admin/v1/orders/:order_id/result', 'lab_results'],
    ] as const;
    await app.store.lane.run(async (tx) => {
      for (const [index, [action, resource]] of reads.entries()) {
        await tx.execute(
          `INSERT INTO access_log
             (seq, at, actor, role, action, account_ref, resource, request_id, status, previous_hash, hash)
           VALUES (?, ?, 'mirror', 'feed', ?, ?, ?, 'r', 200, '', '')`,
          [3_000_000 + index, now + index, action, account, resource],
        );
      }
    });
    const { data } = await page('kind=operator_act');
    expect(data.map(({ title }) => title)).toEqual([
      'An operator read values of lab results.',
      'An operator read values of every resource.',
    ]);
  });

  it('repeats only single words', async () => {
    await everything(now);
    const all = JSON.stringify(await page('limit=500'));
    expect(all).not.toContain('canary');
    expect(all).not.toContain('somebody');
    expect(all).not.toContain(`account-${account + 1}`);
  });

  it('reads each source through an index of account and time', async () => {
    if (app.database.config.kind !== 'sqlite') return;
    const fewRowsAnAccount: TimelineKind[] = [
      'user_replaced',
      'history_pull',
      'order_event',
      'appointment',
      'critical_result',
      'result',
    ];
    const plans = timelineSources.flatMap((source) =>
      [undefined, ...timelineKinds].map(async (kind) => {
        const after = kind && { at: now, kind, keys: ['1', '1'] as const };
        const { sql, values } = sourceQuery(source, {
          account: 1,
          kinds: timelineKinds,
          start: 0,
          end: now,
          after,
          limit: 9,
        });
        const steps = await app.store.reader.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
        return { kind: source.kind, steps: steps.map(({ detail }) => detail) };
      }),
    );
    for (const { kind, steps } of await Promise.all(plans)) {
      expect(steps.filter((step) => step.startsWith('SCAN '))).toEqual([]);
      expect(steps[0]).toMatch(/^SEARCH/);
      const sorted = steps.filter((step) => step === 'USE TEMP B-TREE FOR ORDER BY');
      expect([kind, sorted.length > 0]).toEqual([kind, fewRowsAnAccount.includes(kind)]);
    }
  });
});
