import type { SqlInput } from '../../../../src/storage/database/dialect.js';
import type { Store } from '../../../../src/storage/database/store.js';
import type { TimelineKind } from '../../../../src/storage/declarations/timeline.js';
import { writeRow } from '../../../support/tables.js';

export const day = 86_400_000;

type Row = Record<string, SqlInput>;
export type Happening = Exclude<TimelineKind, 'account_created' | 'account_linked'>;

const noCounts = { pages: 0, records: 0, written: 0, rejected: 0, turns: 0, attempts: 0, restarts: 0 };
const pull = {
  provider: 'oura',
  resource: 'sleep',
  origin: 'operator',
  priority: 10,
  window_start: 0,
  window_end: day,
};
const observed = { version: 0, observed_at: 0 };

/** Makes things happen by writing what they leave in the store; what must come before them happened long before. */
export class Happenings {
  private serial = 0;

  constructor(
    private readonly store: Store,
    private readonly longBefore: number,
  ) {}

  insert(table: string, row: Row): Promise<number> {
    return writeRow(this.store, table, row);
  }

  account(id: number, at: number): Promise<number> {
    const times = { created_at: at, updated_at: at, linked_at: at };
    return this.insert('accounts', { id, account_id: `account-${id}`, status: 'active', ...times });
  }

  readonly all: Record<Happening, (at: number, account_id: number) => Promise<unknown>> = {
    sign_in_token: (issued_at, account_id) =>
      this.insert('token_issues', { account_id, kind: 'sign_in', installation_id: 'phone', issued_at }),
    link_token: (created_at, account_id) =>
      this.attempt({ account_id, provider: 'oura', created_at, expires_at: created_at }),
    link_outcome: (outcome_at, account_id) =>
      this.attempt({
        account_id,
        outcome: 'error',
        outcome_source: 'redirect',
        error_type: 'token_expired',
        outcome_at,
      }),
    connection: (at, account_id) => {
      const broken = { provider: this.id('source'), status: 'error', error_type: 'token_refresh_failed' };
      return this.insert('connection_changes', { account_id, ...broken, at, since: at });
    },
    message: (received_at, account_id) => this.message({ account_id, received_at, status: 'done' }),
    message_given_up: (finished_at, account_id) =>
      this.message({ account_id, status: 'dead', reason: 'wire_shape', finished_at }),
    pull_requested: (created_at, account_id) => this.task({ account_id, status: 'pending', created_at }),
    pull_done: (finished_at, account_id) =>
      this.task({ account_id, status: 'done', finished_at, pages: 3, records: 120 }),
    pull_failed: (finished_at, account_id) =>
      this.task({ account_id, status: 'failed', finished_at, error_code: 'upstream_contract' }),
    records_gone: (gone_at, account_id) => {
      const night = {
        resource: 'sleep',
        series_id: 0,
        summary_id: this.id('night'),
        provider: 'oura',
        time: 0,
        end_time: 0,
      };
      const looks = { seen_by: 0, missed_by: 3, missed_at: gone_at, confirmed_by: 5, confirmed_at: gone_at, looks: 1 };
      return this.insert('missing_records', { account_id, ...night, ...looks, state: 'gone', gone_at, records: '[]' });
    },
    history_pull: (observed_at, account_id) => {
      const failure = { status: 'failure', error_details: 'a sentence about somebody', observed_at };
      return this.insert('historical_pulls', { account_id, provider: 'oura', resource: this.id('r'), ...failure });
    },
    order: (created_at, account_id) => this.order(this.id('order'), { account_id, created_at, origin: 'redraw' }),
    order_event: async (created_at, account_id) => {
      const order_id = this.id('order');
      await this.order(order_id, { account_id, created_at: this.longBefore });
      const status = 'received.walk_in_test.ordered';
      await this.insert('order_events', { order_id, event_id: 1, created_at, status });
    },
    appointment: (version, account_id) => {
      const appointment = { order_id: 'o', type: 'patient_service_center', status: 'confirmed', history: '[]' };
      return this.insert('appointments', {
        appointment_id: this.id('a'),
        account_id,
        ...appointment,
        ...observed,
        version,
      });
    },
    unmatched_result: (created_at, account_id) => {
      const codes = { status: 'pending_customer_review', sub_reason_codes: '[]', allowed_actions: '[]' };
      const result = { ...codes, decision_code: 'no_match', version: 0, observed_at: created_at, attempts: 0 };
      return this.insert('unmatched_results', { id: this.id('unmatched'), account_id, ...result, created_at });
    },
    parsing_job: (first_seen_at, account_id) => {
      const job = { status: 'completed', content: '{"canary":"value"}', first_seen_at, observed_at: first_seen_at };
      return this.insert('parsing_jobs', { job_id: this.id('job'), account_id, order_id: 'o', ...job });
    },
    critical_result: (created_at, account_id) => {
      const result = { sample_id: 's', interpretation: 'canary-interpretation', ...observed };
      return this.insert('critical_results', {
        order_id: this.id('order'),
        finding: this.id('finding'),
        account_id,
        ...result,
        created_at,
      });
    },
    result: (first_seen_at, account_id) => {
      const seen = { source: 'fetch', first_seen_at, last_confirmed_at: first_seen_at, checksum: 'c', bytes: 1 };
      const result = { scope: 'order', form: 'json', version: 1, status: 'final', content: '{"canary":"value"}' };
      return this.insert('lab_results', { subject_id: this.id('order'), account_id, ...result, ...seen });
    },
    user_replaced: (replaced_at, account_id) =>
      this.insert('former_upstream_users', { user_id: this.id('user'), account_id, replaced_at }),
    operator_act: (at, account_ref) => {
      const act = { actor: 'desk', role: 'operator', action: 'POST /admin/v1/accounts/:account_id/sync', status: 202 };
      const chain = { request_id: 'r', previous_hash: '', hash: '' };
      return this.insert('access_log', { seq: 1_000_000 + this.serial++, at, account_ref, ...act, ...chain });
    },
  };

  private attempt(over: Row): Promise<number> {
    const times = { created_at: this.longBefore, expires_at: this.longBefore };
    return this.insert('link_attempts', { link_attempt_id: this.id('attempt'), ...times, ...over });
  }

  private message(over: Row): Promise<number> {
    const message = { message_id: this.id('msg'), event_type: 'daily.data.sleep.created', attempts: 1, size: 0 };
    return this.insert('messages', { ...message, received_at: this.longBefore, sent_at: this.longBefore, ...over });
  }

  private task(over: Row): Promise<number> {
    return this.insert('sync_tasks', { ...pull, ...noCounts, created_at: this.longBefore, ...over });
  }

  private order(order_id: string, over: Row): Promise<number> {
    return this.insert('orders', { order_id, ...observed, stored_at: 1, ...over });
  }

  /** Ids that texts sort in the order of their making. */
  private id(kind: string): string {
    return `${kind}-${String(this.serial++).padStart(5, '0')}`;
  }
}
