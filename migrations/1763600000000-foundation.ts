import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Times are epoch milliseconds, booleans 0 or 1, empty text stands for "none" inside unique keys. */
export class Foundation1763600000000 implements MigrationInterface {
  readonly name = 'Foundation1763600000000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, real, text, bytes, counted, strict, clustered } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE instance (
        id ${int} PRIMARY KEY NOT NULL, region ${text} NOT NULL, environment ${text} NOT NULL, team_id ${text},
        stamped_at ${int} NOT NULL
      ) ${strict}`,

      `CREATE TABLE accounts (
        "id" ${counted}, account_id ${text} NOT NULL, upstream_user_id ${text}, status ${text} NOT NULL
          CONSTRAINT "accounts_status" CHECK (status IN ('pending', 'active', 'blocked', 'erasing')),
        created_at ${int} NOT NULL, updated_at ${int} NOT NULL, linked_at ${int},
        fallback_time_zone ${text}, fallback_birth_date ${text}, ingestion_start ${text}, ingestion_end ${text}
      ) ${strict}`,
      `CREATE UNIQUE INDEX accounts_account_id ON accounts (account_id)`,
      `CREATE UNIQUE INDEX accounts_upstream_user_id ON accounts (upstream_user_id)`,
      `CREATE INDEX accounts_status_id ON accounts (status, id)`,

      `CREATE TABLE connections (
        account_id ${int} NOT NULL, provider ${text} NOT NULL, status ${text} NOT NULL, error_type ${text},
        error_at ${int}, connected_at ${int}, resource_availability ${text}, observed_at ${int} NOT NULL,
        PRIMARY KEY (account_id, provider),
        CONSTRAINT "connections_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX connections_provider_status ON connections (provider, status)`,
      `CREATE TABLE devices (
        device_id ${text} PRIMARY KEY NOT NULL, account_id ${int} NOT NULL, provider ${text} NOT NULL,
        source_type ${text}, manufacturer ${text}, model ${text}, version ${text}, observed_at ${int} NOT NULL,
        CONSTRAINT "devices_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX devices_account_id ON devices (account_id)`,

      `CREATE TABLE token_issues (
        "id" ${counted}, account_id ${int} NOT NULL, kind ${text} NOT NULL
          CONSTRAINT "token_issues_kind" CHECK (kind IN ('sign_in', 'link')), installation_id ${text},
        issued_at ${int} NOT NULL,
        CONSTRAINT "token_issues_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX token_issues_account_id ON token_issues (account_id, kind, issued_at)`,
      `CREATE TABLE link_attempts (
        link_attempt_id ${text} PRIMARY KEY NOT NULL, account_id ${int} NOT NULL, provider ${text},
        created_at ${int} NOT NULL, expires_at ${int} NOT NULL, outcome ${text}
          CONSTRAINT "link_attempts_outcome" CHECK (outcome IN ('success', 'exit', 'error')), error_type ${text},
        outcome_at ${int},
        CONSTRAINT "link_attempts_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX link_attempts_account_id ON link_attempts (account_id, created_at)`,

      `CREATE TABLE messages (
        "seq" ${counted}, message_id ${text} NOT NULL, received_at ${int} NOT NULL, sent_at ${int} NOT NULL,
        status ${text} NOT NULL
          CONSTRAINT "messages_status" CHECK (status IN ('received', 'done', 'retry', 'dead', 'ignored')), event_type ${text}, account_id ${int}, attempts ${int} NOT NULL,
        next_attempt_at ${int}, lease_owner ${text}, lease_until ${int}, reason ${text}, finished_at ${int},
        size ${int} NOT NULL
      ) ${strict}`,
      `CREATE TABLE message_bodies (
        seq ${int} PRIMARY KEY NOT NULL, body ${bytes} NOT NULL,
        CONSTRAINT "message_bodies_message" FOREIGN KEY ("seq") REFERENCES "messages" ("seq") ON DELETE CASCADE
      ) ${strict}`,
      `CREATE UNIQUE INDEX messages_message_id ON messages (message_id)`,
      `CREATE INDEX messages_due ON messages (next_attempt_at, seq) WHERE next_attempt_at IS NOT NULL`,
      `CREATE INDEX messages_status_seq ON messages (status, seq)`,
      `CREATE INDEX messages_account_seq ON messages (account_id, seq) WHERE account_id IS NOT NULL`,
      `CREATE INDEX messages_event_type_seq ON messages (event_type, seq) WHERE event_type IS NOT NULL`,
      `CREATE INDEX messages_received_at ON messages (received_at)`,

      `CREATE TABLE observations (
        id ${int} PRIMARY KEY NOT NULL, kind ${text} NOT NULL
          CONSTRAINT "observations_kind" CHECK (kind IN ('message', 'sync')), ref ${int} NOT NULL, page ${int}
      ) ${strict}`,
      `CREATE INDEX observations_kind_ref ON observations (kind, ref)`,
      `CREATE TABLE series (
        "id" ${counted}, account_id ${int} NOT NULL, resource ${text} NOT NULL, provider ${text} NOT NULL,
        source_type ${text} NOT NULL, device_id ${text} NOT NULL, workout_id ${text} NOT NULL, sport ${text} NOT NULL,
        sub_series ${text} NOT NULL, floating_time ${int} NOT NULL, created_at ${int} NOT NULL,
        CONSTRAINT "series_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE UNIQUE INDEX series_natural_key ON series
        (account_id, resource, provider, source_type, device_id, workout_id, sport, sub_series)`,
      `CREATE TABLE sample_attributes ("id" ${counted}, content ${text} NOT NULL) ${strict}`,
      `CREATE UNIQUE INDEX sample_attributes_content ON sample_attributes (content)`,
      `CREATE TABLE samples (
        series_id ${int} NOT NULL, time ${int} NOT NULL, value ${real}, value2 ${real}, text_value ${text},
        duration_ms ${int}, attributes_id ${int} NOT NULL, observation_id ${int} NOT NULL,
        PRIMARY KEY (series_id, time),
        CONSTRAINT "samples_series" FOREIGN KEY ("series_id") REFERENCES "series" ("id")
      ) ${clustered}`,
      `CREATE TABLE summaries (
        account_id ${int} NOT NULL, resource ${text} NOT NULL, summary_id ${text} NOT NULL, time ${int} NOT NULL,
        end_time ${int}, calendar_date ${text}, provider ${text} NOT NULL, source_type ${text} NOT NULL,
        floating_time ${int} NOT NULL, version ${int} NOT NULL, observation_id ${int} NOT NULL, raw ${text} NOT NULL,
        PRIMARY KEY (account_id, resource, summary_id),
        CONSTRAINT "summaries_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX summaries_time ON summaries (account_id, resource, time, summary_id)`,

      `CREATE TABLE sync_streams (
        account_id ${int} NOT NULL, provider ${text} NOT NULL, resource ${text} NOT NULL, status ${text} NOT NULL
          CONSTRAINT "sync_streams_status" CHECK (status IN ('active', 'paused')),
        covered_until ${int}, next_due_at ${int}, last_pulled_at ${int}, created_at ${int} NOT NULL,
        PRIMARY KEY (account_id, provider, resource),
        CONSTRAINT "sync_streams_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX sync_streams_due ON sync_streams (next_due_at) WHERE next_due_at IS NOT NULL`,
      `CREATE TABLE sync_tasks (
        "id" ${counted}, account_id ${int} NOT NULL, provider ${text} NOT NULL, resource ${text} NOT NULL,
        origin ${text} NOT NULL, priority ${int} NOT NULL, window_start ${int} NOT NULL, window_end ${int} NOT NULL,
        status ${text} NOT NULL
          CONSTRAINT "sync_tasks_status" CHECK (status IN ('pending', 'running', 'done', 'failed')), next_cursor ${text}, anchor_cursor ${text}, pages ${int} NOT NULL,
        records ${int} NOT NULL, written ${int} NOT NULL, rejected ${int} NOT NULL, reached ${int},
        attempts ${int} NOT NULL, failures ${int} NOT NULL, restarts ${int} NOT NULL, due_at ${int}, lease_owner ${text}, lease_until ${int}, error_code ${text},
        created_at ${int} NOT NULL, started_at ${int}, finished_at ${int}, dedupe_key ${text},
        CONSTRAINT "sync_tasks_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX sync_tasks_due ON sync_tasks (priority, due_at, id) WHERE due_at IS NOT NULL`,
      `CREATE INDEX sync_tasks_account_id ON sync_tasks (account_id, id)`,
      `CREATE INDEX sync_tasks_status_id ON sync_tasks (status, id)`,
      `CREATE UNIQUE INDEX sync_tasks_dedupe_key ON sync_tasks (dedupe_key)`,
      `CREATE TABLE coverage (
        account_id ${int} NOT NULL, provider ${text} NOT NULL, resource ${text} NOT NULL, range_start ${int} NOT NULL,
        range_end ${int} NOT NULL, confirmed_at ${int} NOT NULL,
        PRIMARY KEY (account_id, provider, resource, range_start),
        CONSTRAINT "coverage_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${clustered}`,
      `CREATE TABLE source_checks (
        account_id ${int} PRIMARY KEY NOT NULL, due_at ${int}, attempts ${int} NOT NULL, lease_owner ${text},
        lease_until ${int}, checked_at ${int}, error_code ${text},
        CONSTRAINT "source_checks_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX source_checks_due ON source_checks (due_at) WHERE due_at IS NOT NULL`,
      `CREATE TABLE historical_pulls (
        account_id ${int} NOT NULL, provider ${text} NOT NULL, resource ${text} NOT NULL, status ${text} NOT NULL,
        days_with_data ${int}, range_start ${int}, range_end ${int}, release ${text}, trace_id ${text},
        error_details ${text}, scheduled_at ${int}, started_at ${int}, ended_at ${int}, task_id ${int}, observed_at ${int} NOT NULL,
        PRIMARY KEY (account_id, provider, resource),
        CONSTRAINT "historical_pulls_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX historical_pulls_status ON historical_pulls (status, account_id)`,

      `CREATE TABLE order_transactions (
        order_transaction_id ${text} PRIMARY KEY NOT NULL, account_id ${int}, status ${text}, needs ${text},
        created_at ${int} NOT NULL, version ${int} NOT NULL, observed_at ${int} NOT NULL,
        CONSTRAINT "order_transactions_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX order_transactions_account_id ON order_transactions (account_id, order_transaction_id)`,
      `CREATE INDEX order_transactions_created_at ON order_transactions (created_at, order_transaction_id)`,
      `CREATE INDEX order_transactions_needs ON order_transactions (needs, created_at) WHERE needs IS NOT NULL`,
      `CREATE TABLE orders (
        order_id ${text} PRIMARY KEY NOT NULL, account_id ${int}, order_transaction_id ${text}, origin ${text},
        parent_id ${text}, status ${text}, status_detail ${text}, status_at ${int}, created_at ${int} NOT NULL,
        version ${int} NOT NULL, observed_at ${int} NOT NULL, stored_at ${int} NOT NULL,
        CONSTRAINT "orders_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX orders_account_id ON orders (account_id, created_at, order_id)`,
      `CREATE INDEX orders_transaction ON orders (order_transaction_id, created_at, order_id)`,
      `CREATE INDEX orders_created_at ON orders (created_at, order_id)`,
      `CREATE TABLE order_events (
        order_id ${text} NOT NULL, event_id ${int} NOT NULL, created_at ${int} NOT NULL, status ${text} NOT NULL,
        status_detail ${text},
        PRIMARY KEY (order_id, event_id),
        CONSTRAINT "order_events_order" FOREIGN KEY ("order_id") REFERENCES "orders" ("order_id")
      ) ${strict}`,
      `CREATE TABLE appointments (
        appointment_id ${text} PRIMARY KEY NOT NULL, account_id ${int}, order_id ${text} NOT NULL,
        order_transaction_id ${text}, type ${text}, provider ${text}, status ${text}, event_status ${text},
        start_at ${int}, end_at ${int}, iana_timezone ${text}, history ${text} NOT NULL, version ${int} NOT NULL,
        observed_at ${int} NOT NULL,
        CONSTRAINT "appointments_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX appointments_order_id ON appointments (order_id)`,
      `CREATE INDEX appointments_account_id ON appointments (account_id)`,
      `CREATE TABLE critical_results (
        order_id ${text} NOT NULL, sample_id ${text} NOT NULL, account_id ${int}, status ${text},
        interpretation ${text}, created_at ${int} NOT NULL, version ${int} NOT NULL, observed_at ${int} NOT NULL,
        PRIMARY KEY (order_id, sample_id),
        CONSTRAINT "critical_results_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE INDEX critical_results_account_id ON critical_results (account_id)`,
      `CREATE TABLE order_refreshes (
        order_id ${text} PRIMARY KEY NOT NULL, due_at ${int}, attempts ${int} NOT NULL, lease_owner ${text},
        lease_until ${int}, error_code ${text},
        CONSTRAINT "order_refreshes_order" FOREIGN KEY ("order_id") REFERENCES "orders" ("order_id")
      ) ${strict}`,
      `CREATE INDEX order_refreshes_due ON order_refreshes (due_at) WHERE due_at IS NOT NULL`,
      `CREATE TABLE order_sync (
        id ${int} PRIMARY KEY NOT NULL, high_water_mark ${int}, window_start ${int}, pass_started_at ${int},
        page ${int} NOT NULL, due_at ${int} NOT NULL, failures ${int} NOT NULL, lease_owner ${text},
        lease_until ${int}, error_code ${text}
      ) ${strict}`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
