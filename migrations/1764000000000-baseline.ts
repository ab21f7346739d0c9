import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { Dialect } from '../src/storage/database/dialect.js';
import { type Ddl, ddlFor, dialectOf } from './ddl.js';

/*
 * The schema, a function for each subject. Times are epoch milliseconds, booleans 0 or 1; empty text stands for "none"
 * inside unique keys. Names stand in quotes where TypeORM looks for them in the text of a table, to compare it with the
 * entities.
 */

export class Baseline1764000000000 implements MigrationInterface {
  readonly name = 'Baseline1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner);
    const ddl = ddlFor(dialect);
    const statements = [
      ...operations(ddl),
      ...changes(ddl),
      ...subscriptions(ddl),
      ...accounts(ddl),
      ...accountImports(ddl),
      ...connections(ddl),
      ...tokens(ddl),
      ...healthData(ddl),
      ...missingRecords(ddl),
      ...pulls(ddl),
      ...audits(ddl),
      ...sourcePriorities(ddl),
      ...inbox(ddl),
      ...orders(ddl),
      ...orderCalls(ddl),
      ...labs(ddl),
      ...unmatchedResults(ddl),
      ...accessLog(ddl),
      ...accessLogGuards[dialect],
      ...erasures(ddl),
      ...vacuumOften[dialect],
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('There is no version before this one.');
  }
}

/**
 * Tables that grow without end. By default, autovacuum comes when a fifth of the rows have changed, which for a store
 * of years is too late to overwrite what an erasure deleted.
 */
const growing = ['samples', 'sample_groups', 'summaries', 'observations', 'messages', 'message_bodies', 'changes'];
const vacuumOften: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [],
  postgres: [...growing, 'pushes', 'access_log', 'coverage', 'sync_tasks'].map(
    (table) =>
      `ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.05)`,
  ),
};

/**
 * Which upstream team and region this database belongs to, the processes on it, what they raised, and how far they have
 * read upstream's lists.
 */
function operations({ int, real, text, strict }: Ddl): string[] {
  return [
    `CREATE TABLE database_identity (
      id ${int} PRIMARY KEY NOT NULL, region ${text} NOT NULL, environment ${text} NOT NULL, team_id ${text},
      stamped_at ${int} NOT NULL, journal ${text}
    ) ${strict}`,

    `CREATE TABLE database_copies (
      id ${int} PRIMARY KEY NOT NULL, copy_id ${text} NOT NULL,
      side ${text} NOT NULL
        CONSTRAINT "database_copies_side" CHECK (side IN ('source', 'target')),
      begun_at ${int} NOT NULL, ended_at ${int}
    ) ${strict}`,
    `CREATE TABLE database_copy_tables (
      name ${text} PRIMARY KEY NOT NULL, last_key ${text}, copied ${int} NOT NULL, digest ${text} NOT NULL,
      complete ${int} NOT NULL
    ) ${strict}`,

    `CREATE TABLE processes (
      instance ${text} PRIMARY KEY NOT NULL, role ${text} NOT NULL, seen_at ${int} NOT NULL,
      report ${text} NOT NULL, lends ${real}, lends_until ${int}, borrows ${real}, borrows_until ${int}
    ) ${strict}`,

    `CREATE TABLE walks (
      name ${text} PRIMARY KEY NOT NULL
        CONSTRAINT "walks_name" CHECK (name IN ('ingestion_state', 'order_list', 'source_priorities', 'unmatched_results')),
      started_at ${int}, pages ${int} NOT NULL DEFAULT 0, next_cursor ${text}, high_water_mark ${int},
      window_start ${int}, unreadable ${int} NOT NULL DEFAULT 0, due_at ${int} NOT NULL DEFAULT 0,
      attempts ${int} NOT NULL DEFAULT 0, waits ${int} NOT NULL DEFAULT 0, lease_owner ${text}, lease_until ${int},
      error_code ${text}
    ) ${strict}`,
    `INSERT INTO walks (name) VALUES ('ingestion_state'), ('order_list'), ('source_priorities'), ('unmatched_results')`,

    `CREATE TABLE alarms (
      code ${text} PRIMARY KEY NOT NULL, count ${int}, since ${int} NOT NULL, raised_at ${int} NOT NULL,
      providers ${text}, reasons ${text}, acknowledged ${text}
    ) ${strict}`,

    `CREATE TABLE console_sessions (
      session_id ${text} PRIMARY KEY NOT NULL, digest ${text} NOT NULL,
      kind ${text} NOT NULL
        CONSTRAINT "console_sessions_kind" CHECK (kind IN ('key', 'person')),
      name ${text} NOT NULL, role ${text} NOT NULL, bound_to ${text} NOT NULL, given_by ${text}, identity ${text},
      created_at ${int} NOT NULL, used_at ${int} NOT NULL
    ) ${strict}`,
    `CREATE UNIQUE INDEX console_sessions_digest ON console_sessions (digest)`,
    `CREATE INDEX console_sessions_bound_to ON console_sessions (bound_to, created_at, session_id)`,
  ];
}

/** What changed, before and after it has its place in the feed. */
function changes({ int, text, counted, strict, clustered }: Ddl): string[] {
  const columns = `at ${int} NOT NULL, kind ${text} NOT NULL, action ${text} NOT NULL, origin ${text} NOT NULL,
      account_id ${int}, subject ${text} NOT NULL, resource ${text}, provider ${text}, start_time ${int},
      end_time ${int}, count ${int}, first_day ${int}, last_day ${int}`;
  return [
    `CREATE TABLE pending_changes ("id" ${counted}, ${columns}) ${strict}`,
    `CREATE INDEX pending_changes_account_id ON pending_changes (account_id) WHERE account_id IS NOT NULL`,
    `CREATE TABLE changes (number ${int} PRIMARY KEY NOT NULL, ${columns}) ${strict}`,
    `CREATE INDEX changes_account_number ON changes (account_id, number) WHERE account_id IS NOT NULL`,
    `CREATE TABLE resource_changes (
      account_id ${int} NOT NULL, resource ${text} NOT NULL, provider ${text} NOT NULL, changed_at ${int} NOT NULL,
      PRIMARY KEY (account_id, resource, provider)
    ) ${clustered}`,
    `CREATE TABLE change_feed (
      id ${int} PRIMARY KEY NOT NULL, feed ${text} NOT NULL, last_number ${int} NOT NULL,
      expired_number ${int} NOT NULL, history ${text}, departed_at ${int}
    ) ${strict}`,
    `CREATE TABLE change_consumers (
      name ${text} PRIMARY KEY NOT NULL, feed ${text} NOT NULL, number ${int} NOT NULL, at ${int} NOT NULL,
      reported_by ${text} NOT NULL, reported_at ${int} NOT NULL
    ) ${strict}`,
  ];
}

/** Endpoints that changes are pushed to, and the pushes. */
function subscriptions({ int, text, counted, strict }: Ddl): string[] {
  const lease = `due_at ${int}, attempts ${int} NOT NULL, waits ${int} NOT NULL, lease_owner ${text}, lease_until ${int}`;
  return [
    `CREATE TABLE subscriptions (
      id ${text} PRIMARY KEY NOT NULL, url ${text} NOT NULL, description ${text},
      payload ${text} NOT NULL
        CONSTRAINT "subscriptions_payload" CHECK (payload IN ('thin', 'whole', 'fhir', 'text', 'teams', 'pagerduty')),
      kinds ${text}, resources ${text}, origins ${text}, account_id ${int}, secret_number ${int} NOT NULL,
      secret_key ${text} NOT NULL, previous_key ${text}, previous_until ${int},
      state ${text} NOT NULL
        CONSTRAINT "subscriptions_state" CHECK (state IN ('active', 'disabled')),
      reason ${text}, feed ${text} NOT NULL, number ${int} NOT NULL, number_at ${int} NOT NULL, round ${int} NOT NULL,
      created_at ${int} NOT NULL, delivered_at ${int}, failing_since ${int}, last_status ${int}, error_code ${text},
      ${lease}
    ) ${strict}`,
    `CREATE INDEX subscriptions_account_id ON subscriptions (account_id) WHERE account_id IS NOT NULL`,

    `CREATE TABLE subscription_lanes (
      subscription_id ${text} NOT NULL, account_id ${int} NOT NULL, created_at ${int} NOT NULL, error_code ${text},
      ${lease},
      PRIMARY KEY (subscription_id, account_id)
    ) ${strict}`,
    `CREATE INDEX subscription_lanes_due_at ON subscription_lanes (due_at) WHERE due_at IS NOT NULL`,
    `CREATE INDEX subscription_lanes_account_id ON subscription_lanes (account_id)`,

    `CREATE TABLE pushes (
      "id" ${counted}, subscription_id ${text} NOT NULL, number ${int} NOT NULL, change_id ${text} NOT NULL,
      kind ${text} NOT NULL, account_id ${int} NOT NULL,
      state ${text} NOT NULL
        CONSTRAINT "pushes_state" CHECK (state IN ('waiting', 'delivered', 'given_up')),
      round ${int} NOT NULL, attempts ${int} NOT NULL, status ${int}, error_code ${text}, duration_ms ${int},
      created_at ${int} NOT NULL, waiting_since ${int}, attempted_at ${int}
    ) ${strict}`,
    `CREATE UNIQUE INDEX pushes_subscription_number ON pushes (subscription_id, number)`,
    `CREATE INDEX pushes_waiting ON pushes (subscription_id, account_id, number) WHERE state = 'waiting'`,
    `CREATE INDEX pushes_account_id ON pushes (account_id)`,
  ];
}

/** People, and the users that upstream made of them. */
function accounts({ int, text, counted, strict, clustered }: Ddl): string[] {
  return [
    `CREATE TABLE accounts (
      "id" ${counted}, account_id ${text} NOT NULL, upstream_user_id ${text},
      status ${text} NOT NULL
        CONSTRAINT "accounts_status" CHECK (status IN ('pending', 'active', 'blocked', 'erasing')),
      created_at ${int} NOT NULL, updated_at ${int} NOT NULL, linked_at ${int}, user_created_at ${int},
      user_gone_at ${int}, relinked_at ${int}, fallback_time_zone ${text}, fallback_time_zone_source ${text},
      fallback_time_zone_updated_at ${int}, fallback_birth_date ${text}, fallback_birth_date_source ${text},
      fallback_birth_date_updated_at ${int}, ingestion_start ${text}, ingestion_end ${text},
      pseudonym ${text}, pseudonym_at ${int}, log_ref ${text}, fallback_time_zone_set_at ${int},
      fallback_birth_date_set_at ${int}
    ) ${strict}`,
    `CREATE UNIQUE INDEX accounts_account_id ON accounts (account_id)`,
    `CREATE UNIQUE INDEX accounts_upstream_user_id ON accounts (upstream_user_id)`,
    `CREATE INDEX accounts_status_id ON accounts (status, id)`,
    `CREATE INDEX accounts_user_gone ON accounts (status, id) WHERE user_gone_at IS NOT NULL`,
    `CREATE UNIQUE INDEX accounts_pseudonym ON accounts (pseudonym) WHERE pseudonym IS NOT NULL`,
    `CREATE UNIQUE INDEX accounts_log_ref ON accounts (log_ref) WHERE log_ref IS NOT NULL`,

    `CREATE TABLE former_upstream_users (
      user_id ${text} PRIMARY KEY NOT NULL, account_id ${int} NOT NULL, replaced_at ${int} NOT NULL,
      ${ofAccount('former_upstream_users')}
    ) ${clustered}`,
    `CREATE INDEX former_upstream_users_account_id ON former_upstream_users (account_id)`,

    `CREATE TABLE former_time_zones (
      account_id ${int} NOT NULL, until ${int} NOT NULL, time_zone ${text} NOT NULL,
      PRIMARY KEY (account_id, until), ${ofAccount('former_time_zones')}
    ) ${clustered}`,

    `CREATE TABLE source_polls (
      account_id ${int} PRIMARY KEY NOT NULL, due_at ${int}, attempts ${int} NOT NULL,
      waits ${int} NOT NULL DEFAULT 0, lease_owner ${text}, lease_until ${int}, checked_at ${int},
      error_code ${text}, user_read_at ${int},
      ${ofAccount('source_polls')}
    ) ${strict}`,
    `CREATE INDEX source_polls_due ON source_polls (due_at, account_id) WHERE due_at IS NOT NULL`,
  ];
}

/** Walks through the users that upstream already had. */
function accountImports({ int, text, counted, strict, clustered }: Ddl): string[] {
  return [
    `CREATE TABLE account_imports (
      "id" ${counted},
      state ${text} NOT NULL
        CONSTRAINT "account_imports_state" CHECK (state IN ('running', 'done', 'failed')),
      phase ${text} NOT NULL
        CONSTRAINT "account_imports_phase" CHECK (phase IN ('walk', 'verify')),
      pass ${int} NOT NULL, next_offset ${int} NOT NULL, total ${int}, pass_total ${int},
      pass_seen ${int} NOT NULL, stable ${int}, verified_until ${int} NOT NULL, pages ${int} NOT NULL,
      known ${int} NOT NULL, adopted ${int} NOT NULL, refused ${int} NOT NULL, missing ${int} NOT NULL,
      verified ${int} NOT NULL, due_at ${int}, attempts ${int} NOT NULL, waits ${int} NOT NULL DEFAULT 0,
      lease_owner ${text}, lease_until ${int}, error_code ${text}, started_at ${int} NOT NULL,
      finished_at ${int}
    ) ${strict}`,
    `CREATE UNIQUE INDEX account_imports_running ON account_imports (state) WHERE state = 'running'`,
    `CREATE INDEX account_imports_due ON account_imports (due_at) WHERE due_at IS NOT NULL`,

    `CREATE TABLE account_import_seen_users (
      import_id ${int} NOT NULL, user_id ${text} NOT NULL, account_id ${int}, pass ${int} NOT NULL,
      PRIMARY KEY (import_id, user_id),
      CONSTRAINT "account_import_seen_users_import" FOREIGN KEY ("import_id") REFERENCES "account_imports" ("id"),
      ${ofAccount('account_import_seen_users')}
    ) ${clustered}`,
    `CREATE INDEX account_import_seen_users_account_id ON account_import_seen_users (account_id)
      WHERE account_id IS NOT NULL`,

    `CREATE TABLE account_import_differences (
      "id" ${counted}, import_id ${int} NOT NULL,
      kind ${text} NOT NULL
        CONSTRAINT "account_import_differences_kind" CHECK (kind IN ('adopted', 'refused', 'unknown_upstream')),
      reason ${text}, account_id ${int}, user_id ${text}, found_at ${int} NOT NULL,
      CONSTRAINT "account_import_differences_import" FOREIGN KEY ("import_id") REFERENCES "account_imports" ("id"),
      ${ofAccount('account_import_differences')}
    ) ${strict}`,
    `CREATE INDEX account_import_differences_page ON account_import_differences (import_id, id)`,
    `CREATE INDEX account_import_differences_kind_page ON account_import_differences (import_id, kind, id)`,
    `CREATE INDEX account_import_differences_account_id ON account_import_differences (account_id)
      WHERE account_id IS NOT NULL`,
  ];
}

/** Sources that people linked, and the attempts to link them. */
function connections({ int, text, counted, strict }: Ddl): string[] {
  return [
    `CREATE TABLE connections (
      account_id ${int} NOT NULL, provider ${text} NOT NULL, status ${text} NOT NULL, error_type ${text},
      error_at ${int}, connected_at ${int}, resource_availability ${text}, observed_at ${int} NOT NULL,
      person_mark ${text}, other_account_at ${int}, successor ${text}, overlap_start ${int}, overlap_end ${int},
      PRIMARY KEY (account_id, provider),
      ${ofAccount('connections')}
    ) ${strict}`,
    `CREATE INDEX connections_provider_status ON connections (provider, status)`,
    `CREATE INDEX connections_status ON connections (status, account_id, provider)`,
    `CREATE INDEX connections_other_account ON connections (account_id) WHERE other_account_at IS NOT NULL`,

    `CREATE TABLE connection_changes (
      "id" ${counted}, account_id ${int} NOT NULL, provider ${text} NOT NULL, status ${text} NOT NULL,
      error_type ${text}, at ${int} NOT NULL, since ${int} NOT NULL, asked_by ${text},
      ${ofAccount('connection_changes')}
    ) ${strict}`,
    `CREATE INDEX connection_changes_account_at ON connection_changes (account_id, at, id)`,

    `CREATE TABLE devices (
      account_id ${int} NOT NULL, device_id ${text} NOT NULL, provider ${text} NOT NULL,
      source_type ${text}, manufacturer ${text}, model ${text}, version ${text}, observed_at ${int} NOT NULL,
      missed_at ${int}, gone_at ${int},
      PRIMARY KEY (account_id, device_id),
      ${ofAccount('devices')}
    ) ${strict}`,

    `CREATE TABLE link_attempts (
      link_attempt_id ${text} PRIMARY KEY NOT NULL, account_id ${int} NOT NULL, provider ${text},
      created_at ${int} NOT NULL, expires_at ${int} NOT NULL,
      outcome ${text}
        CONSTRAINT "link_attempts_outcome" CHECK (outcome IN ('success', 'exit', 'error')),
      error_type ${text}, outcome_at ${int},
      outcome_source ${text}
        CONSTRAINT "link_attempts_outcome_source" CHECK (outcome_source IN ('report', 'redirect', 'connection')),
      connected_provider ${text},
      ${ofAccount('link_attempts')}
    ) ${strict}`,
    `CREATE INDEX link_attempts_account_id ON link_attempts (account_id, created_at)`,
    `CREATE INDEX link_attempts_created_at ON link_attempts (created_at, link_attempt_id, expires_at,
      outcome, outcome_source, error_type, provider, connected_provider)`,
    `CREATE INDEX link_attempts_outcome_at ON link_attempts (account_id, outcome_at, link_attempt_id)
      WHERE outcome_at IS NOT NULL`,
  ];
}

/** Sign-in and link tokens that were given out. */
function tokens({ int, text, counted, strict }: Ddl): string[] {
  return [
    `CREATE TABLE token_issues (
      "id" ${counted}, account_id ${int} NOT NULL,
      kind ${text} NOT NULL
        CONSTRAINT "token_issues_kind" CHECK (kind IN ('sign_in', 'link')),
      installation_id ${text}, issued_at ${int} NOT NULL, frequency ${int},
      ${ofAccount('token_issues')}
    ) ${strict}`,
    `CREATE INDEX token_issues_account_id ON token_issues (account_id, kind, issued_at)`,
    `CREATE INDEX token_issues_frequent ON token_issues (issued_at, account_id, installation_id, frequency)
      WHERE frequency IS NOT NULL`,

    `CREATE TABLE token_issuance (
      id ${int} PRIMARY KEY NOT NULL, closed_at ${int}, closed_by ${text}
    ) ${strict}`,
    `INSERT INTO token_issuance (id) VALUES (1)`,
  ];
}

/**
 * Samples and summaries, and where each was seen. Samples of one observation with the same attributes share a group.
 */
function healthData({ int, real, text, counted, strict, clustered }: Ddl): string[] {
  return [
    `CREATE TABLE observations (
      id ${int} PRIMARY KEY NOT NULL,
      kind ${text} NOT NULL
        CONSTRAINT "observations_kind" CHECK (kind IN ('message', 'sync')),
      ref ${int} NOT NULL, page ${int}, first_time ${int}, last_time ${int}
    ) ${strict}`,
    `CREATE INDEX observations_kind_ref_page ON observations (kind, ref, page)`,

    `CREATE TABLE series (
      "id" ${counted}, account_id ${int} NOT NULL, resource ${text} NOT NULL, provider ${text} NOT NULL,
      source_type ${text} NOT NULL, sub_series ${text} NOT NULL, floating_time ${int} NOT NULL,
      created_at ${int} NOT NULL, gone_until ${int}, measure ${text}, is_mixed ${int} NOT NULL DEFAULT 0,
      thinned_until ${int},
      ${ofAccount('series')}
    ) ${strict}`,
    `CREATE UNIQUE INDEX series_natural_key ON series (account_id, resource, provider, source_type, sub_series)`,
    `CREATE INDEX series_of_resource ON series (resource, account_id, provider, source_type, sub_series)`,

    `CREATE TABLE sample_attributes (
      "id" ${counted}, account_id ${int} NOT NULL DEFAULT 0, device_id ${text} NOT NULL DEFAULT '',
      workout_id ${text} NOT NULL DEFAULT '', sport ${text} NOT NULL DEFAULT '', content ${text} NOT NULL
    ) ${strict}`,
    `CREATE UNIQUE INDEX sample_attributes_content ON sample_attributes (content, account_id, device_id,
      workout_id, sport)`,
    `CREATE INDEX sample_attributes_account_id ON sample_attributes (account_id) WHERE account_id <> 0`,

    `CREATE TABLE sample_groups (
      "id" ${counted}, observation_id ${int} NOT NULL, attributes_id ${int} NOT NULL,
      CONSTRAINT "sample_groups_observation" FOREIGN KEY ("observation_id") REFERENCES "observations" ("id")
        ON DELETE CASCADE
    ) ${strict}`,
    `CREATE UNIQUE INDEX sample_groups_natural_key ON sample_groups (observation_id, attributes_id)`,

    `CREATE TABLE samples (
      series_id ${int} NOT NULL, time ${int} NOT NULL, sibling ${int} NOT NULL, value ${real},
      text_value ${text}, duration_ms ${int}, group_id ${int} NOT NULL,
      PRIMARY KEY (series_id, time, sibling),
      CONSTRAINT "samples_series" FOREIGN KEY ("series_id") REFERENCES "series" ("id")
    ) ${clustered}`,
    `CREATE INDEX samples_siblings ON samples (series_id, time) WHERE sibling > 0`,

    `CREATE TABLE sample_hours (
      series_id ${int} NOT NULL, time ${int} NOT NULL, attributes_id ${int} NOT NULL, end_time ${int} NOT NULL,
      count ${int} NOT NULL, sum ${real} NOT NULL, min ${real} NOT NULL, max ${real} NOT NULL,
      first_at ${int} NOT NULL, first ${real} NOT NULL, last_at ${int} NOT NULL, last ${real} NOT NULL,
      sum_2 ${real}, min_2 ${real}, max_2 ${real}, first_2 ${real}, last_2 ${real},
      observation_id ${int} NOT NULL, sent_again_at ${int},
      PRIMARY KEY (series_id, time, attributes_id),
      CONSTRAINT "sample_hours_series" FOREIGN KEY ("series_id") REFERENCES "series" ("id")
    ) ${clustered}`,

    `CREATE TABLE daily_numbers (
      account_id ${int} NOT NULL, day ${text} NOT NULL, resource ${text} NOT NULL, cells ${text} NOT NULL,
      PRIMARY KEY (account_id, day, resource),
      ${ofAccount('daily_numbers')}
    ) ${clustered}`,
    `CREATE TABLE daily_run (
      id ${int} PRIMARY KEY NOT NULL, position ${text} NOT NULL, columns ${text} NOT NULL, made_at ${int} NOT NULL
    ) ${strict}`,

    `CREATE TABLE summaries (
      account_id ${int} NOT NULL, resource ${text} NOT NULL, summary_id ${text} NOT NULL,
      time ${int} NOT NULL, end_time ${int}, calendar_date ${text}, provider ${text} NOT NULL,
      source_type ${text} NOT NULL, floating_time ${int} NOT NULL, version ${int} NOT NULL,
      observation_id ${int} NOT NULL, kind ${text}, raw ${text} NOT NULL,
      PRIMARY KEY (account_id, resource, summary_id),
      ${ofAccount('summaries')}
    ) ${strict}`,
    `CREATE INDEX summaries_of_day ON summaries (resource, calendar_date, account_id, summary_id)`,
    `CREATE INDEX summaries_time ON summaries (account_id, resource, time, summary_id, provider)`,
    `CREATE INDEX summaries_observation_id ON summaries (observation_id)`,
    `CREATE INDEX summaries_day ON summaries (account_id, resource, calendar_date, provider, source_type,
      version, observation_id, summary_id)
      WHERE calendar_date IS NOT NULL`,

    `CREATE TABLE provider_deliveries (
      provider ${text} PRIMARY KEY NOT NULL, last_at ${int} NOT NULL
    ) ${strict}`,

    `CREATE TABLE rejected_records (
      account_id ${int} NOT NULL, digest ${text} NOT NULL, resource ${text} NOT NULL,
      provider ${text} NOT NULL, reason ${text} NOT NULL, time_from ${int} NOT NULL, time_to ${int} NOT NULL,
      count ${int} NOT NULL, raw ${text}, kind ${text} NOT NULL, ref ${int} NOT NULL,
      seen_at ${int} NOT NULL,
      PRIMARY KEY (account_id, digest),
      ${ofAccount('rejected_records')}
    ) ${clustered}`,
    `CREATE INDEX rejected_records_origin ON rejected_records (kind, ref)`,
    `CREATE INDEX rejected_records_resource ON rejected_records (account_id, resource, time_from)`,
    `CREATE INDEX rejected_records_seen_at ON rejected_records (seen_at)`,
  ];
}

/** Records that upstream did not show where it should have; the content of those that are gone moves here. */
function missingRecords({ int, text, counted, strict, clustered }: Ddl): string[] {
  return [
    `CREATE TABLE missing_records (
      account_id ${int} NOT NULL, resource ${text} NOT NULL, time ${int} NOT NULL, series_id ${int} NOT NULL,
      summary_id ${text} NOT NULL, provider ${text} NOT NULL, end_time ${int} NOT NULL,
      state ${text} NOT NULL
        CONSTRAINT "missing_records_state" CHECK (state IN ('suspect', 'candidate', 'held', 'kept', 'gone', 'superseded')),
      seen_by ${int} NOT NULL, missed_by ${int}, missed_at ${int}, confirmed_by ${int}, confirmed_at ${int},
      look_due_at ${int}, looks ${int} NOT NULL, hold_id ${int}, gone_at ${int}, records ${text},
      PRIMARY KEY (account_id, resource, time, series_id, summary_id),
      ${ofAccount('missing_records')}
    ) ${clustered}`,
    `CREATE INDEX missing_records_summary ON missing_records (account_id, resource, summary_id)
      WHERE summary_id <> ''`,
    `CREATE INDEX missing_records_look_due_at ON missing_records (look_due_at) WHERE look_due_at IS NOT NULL`,
    `CREATE INDEX missing_records_gone_at ON missing_records (gone_at) WHERE gone_at IS NOT NULL`,
    `CREATE INDEX missing_records_together ON missing_records (account_id, gone_at, confirmed_by, state, time)
      WHERE gone_at IS NOT NULL`,
    `CREATE INDEX missing_records_hold_id ON missing_records (hold_id) WHERE hold_id IS NOT NULL`,

    `CREATE TABLE held_deletions (
      "id" ${counted}, account_id ${int} NOT NULL, provider ${text} NOT NULL, resource ${text} NOT NULL,
      state ${text} NOT NULL
        CONSTRAINT "held_deletions_state" CHECK (state IN ('open', 'released', 'rejected')),
      task_id ${int} NOT NULL, looked_at ${int} NOT NULL, shown ${int} NOT NULL, missing ${int} NOT NULL,
      created_at ${int} NOT NULL, decided_at ${int}, decided_by ${text}, reason ${text},
      ${ofAccount('held_deletions')}
    ) ${strict}`,
    `CREATE INDEX held_deletions_account_id ON held_deletions (account_id)`,
    `CREATE INDEX held_deletions_state_id ON held_deletions (state, id)`,
  ];
}

/** Comparisons of stored days with upstream. */
function audits({ int, text, counted, strict, clustered }: Ddl): string[] {
  return [
    `CREATE TABLE audits (
      "id" ${counted}, account_id ${int} NOT NULL,
      origin ${text} NOT NULL CONSTRAINT "audits_origin" CHECK (origin IN ('request', 'sample', 'question')),
      resource ${text} NOT NULL, first_day ${text} NOT NULL, last_day ${text} NOT NULL, report_only ${int} NOT NULL, repair_all ${int} NOT NULL,
      state ${text} NOT NULL
        CONSTRAINT "audits_state" CHECK (state IN ('waiting', 'comparing', 'repairing', 'done', 'cancelled', 'failed')),
      place ${text}, days_total ${int} NOT NULL, days_compared ${int} NOT NULL, calls ${int} NOT NULL,
      objects ${int} NOT NULL, created_at ${int} NOT NULL, cancelled_at ${int}, finished_at ${int}, due_at ${int},
      attempts ${int} NOT NULL DEFAULT 0, error_code ${text}, waits ${int} NOT NULL DEFAULT 0, lease_owner ${text},
      lease_until ${int},
      ${ofAccount('audits')}
    ) ${strict}`,
    `CREATE INDEX audits_due ON audits (due_at) WHERE due_at IS NOT NULL`,
    `CREATE INDEX audits_account_id ON audits (account_id, id)`,
    `CREATE INDEX audits_created_at ON audits (created_at)`,
    `CREATE UNIQUE INDEX audits_sampling ON audits (state) WHERE origin <> 'request' AND state = 'comparing'`,
    `CREATE INDEX audits_waiting ON audits (account_id, id) WHERE state = 'waiting'`,

    `CREATE TABLE day_proofs (
      account_id ${int} NOT NULL, resource ${text} NOT NULL, provider ${text} NOT NULL, day ${text} NOT NULL,
      state ${text} NOT NULL
        CONSTRAINT "day_proofs_state" CHECK (state IN ('proven', 'repairing', 'held', 'different')),
      hash ${text} NOT NULL, objects ${int} NOT NULL, looked_at ${int} NOT NULL, proven_at ${int},
      missing ${int} NOT NULL, extra ${int} NOT NULL, differing ${int} NOT NULL, fields ${text} NOT NULL,
      cause ${text}
        CONSTRAINT "day_proofs_cause" CHECK (cause IN ('mapping', 'lost', 'rejected', 'late', 'upstream_changed')),
      audit_id ${int} NOT NULL, task_id ${int}, looks ${int} NOT NULL, look_due_at ${int},
      PRIMARY KEY (account_id, resource, provider, day),
      ${ofAccount('day_proofs')}
    ) ${clustered}`,
    `CREATE INDEX day_proofs_audit_id ON day_proofs (audit_id, state)`,
    `CREATE INDEX day_proofs_open ON day_proofs (state, looked_at) WHERE state <> 'proven'`,
    `CREATE INDEX day_proofs_differed ON day_proofs (looked_at) WHERE cause IS NOT NULL`,
    `CREATE INDEX day_proofs_proven_at ON day_proofs (proven_at) WHERE proven_at IS NOT NULL`,

    `CREATE TABLE audit_reports (
      id ${text} PRIMARY KEY NOT NULL, salt ${text} NOT NULL, created_at ${int} NOT NULL
    ) ${strict}`,
  ];
}

/** Windows of time to pull, and what was pulled whole. */
function pulls({ int, text, counted, strict, clustered }: Ddl): string[] {
  return [
    `CREATE TABLE pull_streams (
      account_id ${int} NOT NULL, provider ${text} NOT NULL, resource ${text} NOT NULL,
      status ${text} NOT NULL
        CONSTRAINT "pull_streams_status" CHECK (status IN ('active', 'paused')),
      covered_until ${int}, next_due_at ${int}, promised_at ${int}, last_pulled_at ${int},
      created_at ${int} NOT NULL,
      PRIMARY KEY (account_id, provider, resource),
      ${ofAccount('pull_streams')}
    ) ${strict}`,
    `CREATE INDEX pull_streams_due ON pull_streams (next_due_at) WHERE next_due_at IS NOT NULL`,
    `CREATE INDEX pull_streams_promised ON pull_streams (promised_at)
      WHERE status = 'active' AND next_due_at IS NOT NULL`,

    `CREATE TABLE recoveries (
      "id" ${counted},
      state ${text} NOT NULL
        CONSTRAINT "recoveries_state" CHECK (state IN ('planning', 'pulling', 'done')),
      window_start ${int} NOT NULL, window_end ${int} NOT NULL, asked_end ${int} NOT NULL,
      resources ${text} NOT NULL, accounts_total ${int} NOT NULL, accounts_planned ${int} NOT NULL,
      planned_until ${int} NOT NULL, last_account ${int} NOT NULL, pulls_expected ${int} NOT NULL,
      pulls_planned ${int} NOT NULL, pulls_joined ${int} NOT NULL, pulls_shared ${int} NOT NULL,
      pulls_done ${int} NOT NULL, pulls_failed ${int} NOT NULL, pages ${int} NOT NULL,
      created_at ${int} NOT NULL, planned_at ${int}, finished_at ${int}
    ) ${strict}`,
    `CREATE UNIQUE INDEX recoveries_open ON recoveries (window_start, asked_end, resources)
      WHERE finished_at IS NULL`,

    `CREATE TABLE sync_tasks (
      "id" ${counted}, account_id ${int} NOT NULL, provider ${text} NOT NULL, resource ${text} NOT NULL,
      origin ${text} NOT NULL, recovery_id ${int}, dedupe_key ${text}, priority ${int} NOT NULL,
      window_start ${int} NOT NULL, window_end ${int} NOT NULL,
      status ${text} NOT NULL
        CONSTRAINT "sync_tasks_status" CHECK (status IN ('pending', 'running', 'done', 'failed')),
      next_cursor ${text}, anchor_cursor ${text}, anchor_content ${text}, pages ${int} NOT NULL,
      empty_pages ${int} DEFAULT 0 NOT NULL, repeated_pages ${int} DEFAULT 0 NOT NULL,
      records ${int} NOT NULL, written ${int} NOT NULL, rejected ${int} NOT NULL, reached ${int},
      turns ${int} NOT NULL, attempts ${int} NOT NULL, waits ${int} NOT NULL DEFAULT 0,
      restarts ${int} NOT NULL, due_at ${int}, lease_owner ${text}, lease_until ${int}, error_code ${text},
      created_at ${int} NOT NULL, started_at ${int}, finished_at ${int},
      ${ofAccount('sync_tasks')}
    ) ${strict}`,
    `CREATE INDEX sync_tasks_due ON sync_tasks (priority, due_at, id) WHERE due_at IS NOT NULL`,
    `CREATE INDEX sync_tasks_account_id ON sync_tasks (account_id, id)`,
    `CREATE INDEX sync_tasks_status_id ON sync_tasks (status, id)`,
    `CREATE UNIQUE INDEX sync_tasks_dedupe_key ON sync_tasks (dedupe_key)`,
    `CREATE INDEX sync_tasks_not_done ON sync_tasks (account_id, resource, id) WHERE status <> 'done'`,
    `CREATE INDEX sync_tasks_account_created_at ON sync_tasks (account_id, created_at, id)`,
    `CREATE INDEX sync_tasks_account_ended ON sync_tasks (account_id, status, finished_at, id)
      WHERE finished_at IS NOT NULL`,
    `CREATE INDEX sync_tasks_failed ON sync_tasks (status, finished_at) WHERE status = 'failed'`,
    `CREATE INDEX sync_tasks_recovery ON sync_tasks (recovery_id, status, pages) WHERE recovery_id IS NOT NULL`,

    `CREATE TABLE coverage (
      account_id ${int} NOT NULL, provider ${text} NOT NULL, resource ${text} NOT NULL,
      range_start ${int} NOT NULL, range_end ${int} NOT NULL, confirmed_at ${int} NOT NULL,
      state ${text} NOT NULL
        CONSTRAINT "coverage_state" CHECK (state IN ('fresh', 'settled', 'proven')),
      PRIMARY KEY (account_id, provider, resource, range_start),
      ${ofAccount('coverage')}
    ) ${clustered}`,

    `CREATE TABLE historical_pulls (
      account_id ${int} NOT NULL, provider ${text} NOT NULL, resource ${text} NOT NULL,
      status ${text} NOT NULL, days_with_data ${int}, range_start ${int}, range_end ${int}, release ${text},
      trace_id ${text}, error_details ${text}, scheduled_at ${int}, started_at ${int}, ended_at ${int},
      task_id ${int}, observed_at ${int} NOT NULL,
      PRIMARY KEY (account_id, provider, resource),
      ${ofAccount('historical_pulls')}
    ) ${strict}`,
    `CREATE INDEX historical_pulls_status ON historical_pulls (status, account_id)`,
    `CREATE INDEX historical_pulls_status_at ON historical_pulls (status, observed_at, scheduled_at)`,

    `CREATE TABLE workout_series_fetches (
      "id" ${counted}, account_id ${int} NOT NULL, workout_id ${text} NOT NULL, user_id ${text},
      facts ${text} NOT NULL, message_seq ${int} NOT NULL, received_at ${int} NOT NULL,
      requests ${int} NOT NULL,
      status ${text} NOT NULL
        CONSTRAINT "workout_series_fetches_status" CHECK (status IN ('due', 'done', 'failed')),
      due_at ${int}, attempts ${int} NOT NULL, waits ${int} NOT NULL DEFAULT 0, lease_owner ${text},
      lease_until ${int}, error_code ${text}, stored_at ${int},
      ${ofAccount('workout_series_fetches')}
    ) ${strict}`,
    `CREATE UNIQUE INDEX workout_series_fetches_workout ON workout_series_fetches (workout_id, account_id)`,
    `CREATE INDEX workout_series_fetches_due ON workout_series_fetches (due_at, id) WHERE due_at IS NOT NULL`,
    `CREATE INDEX workout_series_fetches_account_id ON workout_series_fetches (account_id, id)`,
    `CREATE INDEX workout_series_fetches_status_id ON workout_series_fetches (status, id)`,
  ];
}

/** Which of several sources stands for a person. */
function sourcePriorities({ int, text, clustered }: Ddl): string[] {
  return [
    `CREATE TABLE source_priorities (
      account_id ${int} NOT NULL, data_type ${text} NOT NULL,
      origin ${text} NOT NULL
        CONSTRAINT "source_priorities_origin" CHECK (origin IN ('upstream', 'operator', 'account')),
      sources ${text} NOT NULL, unreadable ${int} NOT NULL, changed_at ${int} NOT NULL, changed_by ${text},
      PRIMARY KEY (account_id, data_type, origin)
    ) ${clustered}`,
  ];
}

/** Webhooks. A delivery is written to two indexes before the 204: that of the ids, and that of what is due. */
function inbox({ int, text, bytes, counted, strict }: Ddl): string[] {
  return [
    `CREATE TABLE messages (
      "seq" ${counted}, message_id ${text} NOT NULL, received_at ${int} NOT NULL,
      sent_at ${int} NOT NULL, size ${int} NOT NULL,
      status ${text} NOT NULL
        CONSTRAINT "messages_status" CHECK (status IN ('received', 'done', 'retry', 'dead', 'ignored')),
      event_type ${text}, account_id ${int}, lookup_id ${int}, attempts ${int} NOT NULL,
      waits ${int} NOT NULL DEFAULT 0, replays ${int} NOT NULL DEFAULT 0, due_at ${int}, lease_owner ${text},
      lease_until ${int}, finished_at ${int}, reason ${text}, outcomes ${text}, replay_id ${int}
    ) ${strict}`,
    `CREATE UNIQUE INDEX messages_message_id ON messages (message_id)`,
    `CREATE INDEX messages_due ON messages (due_at, seq) WHERE due_at IS NOT NULL`,
    `CREATE INDEX messages_status_seq ON messages (status, seq) WHERE status <> 'received'`,
    `CREATE INDEX messages_account_seq ON messages (account_id, seq) WHERE account_id IS NOT NULL`,
    `CREATE INDEX messages_event_type_seq ON messages (event_type, seq) WHERE event_type IS NOT NULL`,
    `CREATE INDEX messages_received_at ON messages (received_at) WHERE finished_at IS NOT NULL`,
    `CREATE INDEX messages_account_received_at ON messages (account_id, received_at, seq)
      WHERE account_id IS NOT NULL`,
    `CREATE INDEX messages_dead ON messages (account_id, finished_at, seq) WHERE status = 'dead'`,
    `CREATE INDEX messages_ownerless ON messages (seq) WHERE account_id IS NULL AND due_at IS NULL`,
    `CREATE INDEX messages_foreign ON messages (received_at) WHERE reason = 'foreign_team'`,
    `CREATE INDEX messages_lookup ON messages (lookup_id, seq) WHERE lookup_id IS NOT NULL`,
    `CREATE INDEX messages_replay ON messages (replay_id) WHERE replay_id IS NOT NULL`,
    `CREATE INDEX messages_reason_seq ON messages (reason, seq) WHERE reason IS NOT NULL`,
    `CREATE INDEX messages_due_long ON messages (due_at, seq) WHERE due_at IS NOT NULL AND size > 262144`,

    `CREATE TABLE message_replays (
      "id" ${counted}, filter ${text}, matched ${int} NOT NULL, without_body ${int} NOT NULL,
      after_seq ${int} NOT NULL, last_seq ${int} NOT NULL, replayed ${int} NOT NULL, applied ${int} NOT NULL,
      ignored ${int} NOT NULL, retrying ${int} NOT NULL, failed ${int} NOT NULL, created_at ${int} NOT NULL,
      cancelled_at ${int}, finished_at ${int}
    ) ${strict}`,
    `CREATE UNIQUE INDEX message_replays_open ON message_replays (filter)
      WHERE cancelled_at IS NULL AND finished_at IS NULL`,

    `CREATE TABLE message_bodies (
      seq ${int} PRIMARY KEY NOT NULL, body ${bytes} NOT NULL,
      CONSTRAINT "message_bodies_message" FOREIGN KEY ("seq") REFERENCES "messages" ("seq") ON DELETE CASCADE
    ) ${strict}`,

    `CREATE TABLE owner_lookups (
      "id" ${counted}, user_id ${text}, client_user_id ${text}, due_at ${int}, attempts ${int} NOT NULL,
      waits ${int} NOT NULL DEFAULT 0, lease_owner ${text}, lease_until ${int}, error_code ${text},
      awaited ${int} NOT NULL, refused_until ${int}
    ) ${strict}`,
    `CREATE UNIQUE INDEX owner_lookups_user_id ON owner_lookups (user_id)`,
    `CREATE UNIQUE INDEX owner_lookups_client_user_id ON owner_lookups (client_user_id)`,
    `CREATE INDEX owner_lookups_due ON owner_lookups (due_at, id) WHERE due_at IS NOT NULL`,
    `CREATE INDEX owner_lookups_answered ON owner_lookups (id) WHERE due_at IS NULL AND awaited = 1`,
    `CREATE INDEX owner_lookups_refused ON owner_lookups (refused_until) WHERE refused_until IS NOT NULL`,
  ];
}

/** How a patient was informed. */
function notifiedHow(table: string): string {
  const ways = ['phone', 'message', 'email', 'letter', 'in_person', 'app', 'other'];
  return `CONSTRAINT "${table}_notified_how" CHECK (notified_how IN (${ways.map((way) => `'${way}'`).join(', ')}))`;
}

/** Orders of lab tests as upstream reports them. */
function orders({ int, text, strict }: Ddl): string[] {
  return [
    `CREATE TABLE order_transactions (
      order_transaction_id ${text} PRIMARY KEY NOT NULL, account_id ${int}, status ${text}, needs ${text},
      needs_after ${text}, needs_since ${int}, inconsistent_since ${int}, replaced_at ${int}, replaced_by ${text},
      replaced_loss ${text}, created_at ${int} NOT NULL, version ${int} NOT NULL, observed_at ${int} NOT NULL,
      notified_at ${int}, notified_by ${text},
      notified_how ${text} ${notifiedHow('order_transactions')},
      ${ofAccount('order_transactions')}
    ) ${strict}`,
    `CREATE INDEX order_transactions_account_id ON order_transactions (account_id, order_transaction_id)`,
    `CREATE INDEX order_transactions_created_at ON order_transactions (created_at, order_transaction_id)`,
    `CREATE INDEX order_transactions_needs ON order_transactions (needs, created_at) WHERE needs IS NOT NULL`,
    `CREATE INDEX order_transactions_inconsistent ON order_transactions (inconsistent_since)
      WHERE inconsistent_since IS NOT NULL`,

    `CREATE TABLE orders (
      order_id ${text} PRIMARY KEY NOT NULL, account_id ${int}, order_transaction_id ${text}, origin ${text},
      parent_id ${text}, lab_test_name ${text}, lab_name ${text}, collection_method ${text}, sample_id ${text},
      expected_result_by_date ${text}, worst_case_result_by_date ${text}, activate_by ${text},
      named_version ${int} NOT NULL DEFAULT 0, status ${text}, status_detail ${text}, status_at ${int},
      status_version ${int} NOT NULL DEFAULT 0, status_event_id ${int}, created_at ${int} NOT NULL,
      version ${int} NOT NULL, observed_at ${int} NOT NULL, stored_at ${int} NOT NULL,
      ${ofAccount('orders')}
    ) ${strict}`,
    `CREATE INDEX orders_account_id ON orders (account_id, created_at, order_id)`,
    `CREATE INDEX orders_transaction ON orders (order_transaction_id, created_at, order_id)`,
    `CREATE INDEX orders_created_at ON orders (created_at, order_id)`,

    `CREATE TABLE order_events (
      order_id ${text} NOT NULL, event_id ${int} NOT NULL, created_at ${int} NOT NULL,
      status ${text} NOT NULL, status_detail ${text},
      PRIMARY KEY (order_id, event_id),
      CONSTRAINT "order_events_order" FOREIGN KEY ("order_id") REFERENCES "orders" ("order_id")
    ) ${strict}`,
  ];
}

/** Calls that may be made once only. */
function orderCalls({ int, text, strict }: Ddl): string[] {
  return [
    `CREATE TABLE idempotency_keys (
      subject ${text} NOT NULL
        CONSTRAINT "idempotency_keys_subject" CHECK (subject IN ('order', 'booking', 'lab_report', 'decision')),
      key_digest ${text} NOT NULL, call_id ${text} NOT NULL, account_id ${int}, object_id ${text},
      state ${text} NOT NULL
        CONSTRAINT "idempotency_keys_state" CHECK (state IN ('calling', 'unknown', 'refused', 'done')),
      fingerprint ${text} NOT NULL, created_at ${int} NOT NULL, open_since ${int}, outcome_id ${text},
      done_at ${int}, error_code ${text}, lease_owner ${text}, lease_until ${int},
      PRIMARY KEY (subject, key_digest),
      ${ofAccount('idempotency_keys')}
    ) ${strict}`,
    `CREATE UNIQUE INDEX idempotency_keys_call_id ON idempotency_keys (call_id)`,
    `CREATE INDEX idempotency_keys_account_id ON idempotency_keys (account_id)`,
    `CREATE INDEX idempotency_keys_object_id ON idempotency_keys (object_id)`,
    `CREATE INDEX idempotency_keys_outcome_id ON idempotency_keys (outcome_id)`,
    `CREATE INDEX idempotency_keys_open ON idempotency_keys (subject, state)`,
  ];
}

/** Appointments and results. */
function labs({ int, text, bytes, strict }: Ddl): string[] {
  return [
    `CREATE TABLE appointments (
      appointment_id ${text} PRIMARY KEY NOT NULL, account_id ${int}, order_id ${text} NOT NULL,
      order_transaction_id ${text}, type ${text}, provider ${text}, status ${text}, event_status ${text},
      start_at ${int}, end_at ${int}, iana_timezone ${text}, history ${text} NOT NULL,
      version ${int} NOT NULL, observed_at ${int} NOT NULL,
      ${ofAccount('appointments')}
    ) ${strict}`,
    `CREATE TABLE parsing_jobs (
      job_id ${text} PRIMARY KEY NOT NULL, account_id ${int} NOT NULL, order_id ${text}, status ${text},
      is_reviewed ${int} NOT NULL DEFAULT 0,
      created_at ${int}, updated_at ${int}, content ${text} NOT NULL, first_seen_at ${int} NOT NULL,
      observed_at ${int} NOT NULL, due_at ${int}, attempts ${int} NOT NULL DEFAULT 0, error_code ${text},
      waits ${int} NOT NULL DEFAULT 0, lease_owner ${text}, lease_until ${int},
      ${ofAccount('parsing_jobs')}
    ) ${strict}`,
    `CREATE INDEX parsing_jobs_due ON parsing_jobs (due_at) WHERE due_at IS NOT NULL`,
    `CREATE INDEX parsing_jobs_given_up ON parsing_jobs (error_code) WHERE due_at IS NULL AND error_code IS NOT NULL`,
    `CREATE INDEX parsing_jobs_account_id ON parsing_jobs (account_id, first_seen_at, job_id)`,
    `CREATE INDEX parsing_jobs_order_id ON parsing_jobs (order_id)`,
    `CREATE INDEX parsing_jobs_first_seen_at ON parsing_jobs (first_seen_at, job_id)`,
    `CREATE INDEX appointments_order_id ON appointments (order_id)`,
    `CREATE INDEX appointments_account_id ON appointments (account_id)`,

    `CREATE TABLE critical_results (
      order_id ${text} NOT NULL, finding ${text} NOT NULL, account_id ${int},
      said_by ${text} NOT NULL DEFAULT 'event'
        CONSTRAINT "critical_results_said_by" CHECK (said_by IN ('event', 'order', 'result', 'marker')),
      result_scope ${text}
        CONSTRAINT "critical_results_result_scope" CHECK (result_scope IN ('order', 'transaction')),
      result_version ${int}, marker ${text}, sample_id ${text}, evidence ${text}, status ${text},
      interpretation ${text}, created_at ${int} NOT NULL, version ${int} NOT NULL,
      observed_at ${int} NOT NULL, settled_at ${int}, notified_at ${int}, notified_by ${text},
      notified_how ${text} ${notifiedHow('critical_results')},
      PRIMARY KEY (order_id, finding),
      ${ofAccount('critical_results')}
    ) ${strict}`,
    `CREATE INDEX critical_results_account_id ON critical_results (account_id)`,
    `CREATE INDEX critical_results_observed_at ON critical_results (observed_at)`,
    `CREATE INDEX critical_results_unnotified ON critical_results (order_id)
       WHERE notified_at IS NULL AND settled_at IS NULL`,

    `CREATE TABLE patient_notifications (
      scope ${text} NOT NULL
        CONSTRAINT "patient_notifications_scope" CHECK (scope IN ('order', 'transaction')),
      subject_id ${text} NOT NULL, recorded_at ${int} NOT NULL, account_id ${int},
      notified_at ${int} NOT NULL, notified_by ${text} NOT NULL,
      notified_how ${text} NOT NULL ${notifiedHow('patient_notifications')},
      result_version ${int}, markers ${text} NOT NULL,
      PRIMARY KEY (scope, subject_id, recorded_at),
      ${ofAccount('patient_notifications')}
    ) ${strict}`,
    `CREATE INDEX patient_notifications_account_id ON patient_notifications (account_id)`,

    `CREATE TABLE lab_results (
      scope ${text} NOT NULL
        CONSTRAINT "lab_results_scope" CHECK (scope IN ('order', 'transaction')),
      subject_id ${text} NOT NULL,
      form ${text} NOT NULL
        CONSTRAINT "lab_results_form" CHECK (form IN ('json', 'pdf')),
      version ${int} NOT NULL, account_id ${int} NOT NULL, checksum ${text} NOT NULL, bytes ${int} NOT NULL,
      status ${text}
        CONSTRAINT "lab_results_status" CHECK (status IN ('partial', 'final')),
      interpretation ${text}, content ${text},
      source ${text} NOT NULL
        CONSTRAINT "lab_results_source" CHECK (source IN ('read', 'fetch')),
      first_seen_at ${int} NOT NULL, last_confirmed_at ${int} NOT NULL, withdrawn_at ${int},
      PRIMARY KEY (scope, subject_id, form, version),
      ${ofAccount('lab_results')}
    ) ${strict}`,
    `CREATE INDEX lab_results_account_id ON lab_results (account_id)`,
    `CREATE INDEX lab_results_withdrawn_at ON lab_results (withdrawn_at) WHERE withdrawn_at IS NOT NULL`,

    `CREATE TABLE result_pdfs (
      scope ${text} NOT NULL CONSTRAINT "result_pdfs_scope" CHECK (scope IN ('order', 'transaction')),
      subject_id ${text} NOT NULL, version ${int} NOT NULL, account_id ${int} NOT NULL, content ${bytes} NOT NULL,
      PRIMARY KEY (scope, subject_id, version),
      ${ofAccount('result_pdfs')}
    ) ${strict}`,
    `CREATE INDEX result_pdfs_account_id ON result_pdfs (account_id)`,

    `CREATE TABLE due_reads (
      scope ${text} NOT NULL CONSTRAINT "due_reads_scope" CHECK (scope IN ('order', 'transaction')),
      subject_id ${text} NOT NULL,
      kind ${text} NOT NULL CONSTRAINT "due_reads_kind" CHECK (kind IN ('order', 'result')),
      account_id ${int}, requested_at ${int} NOT NULL, due_at ${int},
      attempts ${int} NOT NULL, waits ${int} NOT NULL DEFAULT 0, lease_owner ${text}, lease_until ${int},
      error_code ${text},
      PRIMARY KEY (scope, subject_id, kind),
      ${ofAccount('due_reads')}
    ) ${strict}`,
    `CREATE INDEX due_reads_due ON due_reads (kind, due_at, scope, subject_id) WHERE due_at IS NOT NULL`,
    `CREATE INDEX due_reads_given_up ON due_reads (kind, requested_at) WHERE due_at IS NULL`,
    `CREATE INDEX due_reads_account_id ON due_reads (account_id)`,
  ];
}

/** Results that upstream could not attach to an order. */
function unmatchedResults({ int, text, strict }: Ddl): string[] {
  const ofResult = (name: string): string =>
    `CONSTRAINT "${name}" FOREIGN KEY ("unmatched_result_id") REFERENCES "unmatched_results" ("id") ON DELETE CASCADE`;
  return [
    `CREATE TABLE unmatched_results (
      id ${text} PRIMARY KEY NOT NULL, account_id ${int}, status ${text} NOT NULL, decision_code ${text},
      sub_reason_codes ${text} NOT NULL, allowed_actions ${text} NOT NULL, lab_slug ${text}, result_status ${text},
      is_critical ${int} NOT NULL DEFAULT 0, order_id ${text}, order_transaction_id ${text}, created_at ${int} NOT NULL, version ${int} NOT NULL,
      observed_at ${int} NOT NULL, read_at ${int}, gone_at ${int}, due_at ${int}, attempts ${int} NOT NULL,
      waits ${int} NOT NULL DEFAULT 0, lease_owner ${text}, lease_until ${int}, error_code ${text},
      ${ofAccount('unmatched_results')}
    ) ${strict}`,
    `CREATE INDEX unmatched_results_due ON unmatched_results (due_at) WHERE due_at IS NOT NULL`,
    `CREATE INDEX unmatched_results_waiting ON unmatched_results (created_at, id)
      WHERE gone_at IS NULL AND status NOT IN ('matched', 'resolved', 'pending_ops_review')`,
    `CREATE INDEX unmatched_results_created_at ON unmatched_results (created_at, id)`,
    `CREATE INDEX unmatched_results_account_id ON unmatched_results (account_id, created_at, id)`,

    `CREATE TABLE unmatched_result_candidates (
      unmatched_result_id ${text} NOT NULL, position ${int} NOT NULL, account_id ${int}, user_id ${text},
      candidate_type ${text}, order_id ${text}, order_transaction_id ${text}, last_status ${text},
      confidence_level ${text},
      PRIMARY KEY (unmatched_result_id, position),
      ${ofAccount('unmatched_result_candidates')},
      ${ofResult('unmatched_result_candidates_result')}
    ) ${strict}`,
    `CREATE INDEX unmatched_result_candidates_account_id ON unmatched_result_candidates (account_id)`,
    `CREATE INDEX unmatched_result_candidates_user ON unmatched_result_candidates (user_id)`,
  ];
}

/** Who looked at what about whom, chained by hash. */
function accessLog({ int, text, counted, strict }: Ddl): string[] {
  const content = `at ${int} NOT NULL, actor ${text} NOT NULL, role ${text}, action ${text} NOT NULL,
    account_ref ${int}, target ${text}, resource ${text}, window_start ${int}, window_end ${int}, reason ${text},
    address ${text}, request_id ${text} NOT NULL, status ${int} NOT NULL`;
  return [
    `CREATE TABLE access_log (
      seq ${int} PRIMARY KEY NOT NULL, at ${int} NOT NULL, actor ${text} NOT NULL,
      role ${text}
        CONSTRAINT "access_log_role" CHECK (role IN ('monitor', 'viewer', 'reader', 'operator', 'backend', 'feed')),
      action ${text} NOT NULL, account_ref ${int}, target ${text}, resource ${text}, window_start ${int},
      window_end ${int}, reason ${text}, address ${text},
      request_id ${text} NOT NULL, status ${int} NOT NULL, previous_hash ${text} NOT NULL,
      hash ${text} NOT NULL
    ) ${strict}`,
    `CREATE INDEX access_log_account_seq ON access_log (account_ref, seq)`,
    `CREATE INDEX access_log_actor_seq ON access_log (actor, seq)`,
    `CREATE INDEX access_log_action_seq ON access_log (action, seq)`,
    `CREATE INDEX access_log_resource_seq ON access_log (resource, seq) WHERE resource IS NOT NULL`,
    `CREATE INDEX access_log_at ON access_log (at)`,
    `CREATE INDEX access_log_acts ON access_log (account_ref, at, seq) WHERE role IS NOT NULL`,

    `CREATE TABLE access_log_chain (
      id ${int} PRIMARY KEY NOT NULL, first_seq ${int} NOT NULL, anchor_hash ${text} NOT NULL,
      last_seq ${int} NOT NULL, last_hash ${text} NOT NULL
    ) ${strict}`,
    `INSERT INTO access_log_chain (id, first_seq, anchor_hash, last_seq, last_hash)
      VALUES (1, 1, '${noHash}', 0, '${noHash}')`,

    `CREATE TABLE access_log_pending (
      "id" ${counted}, ${content}, writer ${text} NOT NULL, mark ${text} NOT NULL
    ) ${strict}`,
    `CREATE TABLE access_log_writers (
      writer ${text} PRIMARY KEY NOT NULL, mark ${text} NOT NULL, at ${int} NOT NULL
    ) ${strict}`,
  ];
}

/** What the hash of the first entry is chained to. */
const noHash = '0'.repeat(64);

/**
 * Entries never change, and go from the front only: those below the chain's `first_seq` may be deleted, once the anchor
 * was moved past them. Entries that wait for the chain do not change either. The database refuses everything else.
 */
const accessLogGuards = {
  sqlite: [
    `CREATE TRIGGER access_log_unchanged BEFORE UPDATE ON access_log
     BEGIN SELECT RAISE(ABORT, 'the access log is append-only'); END`,
    `CREATE TRIGGER access_log_pending_unchanged BEFORE UPDATE ON access_log_pending
     BEGIN SELECT RAISE(ABORT, 'the access log is append-only'); END`,
    `CREATE TRIGGER access_log_kept BEFORE DELETE ON access_log
     WHEN OLD.seq >= COALESCE((SELECT first_seq FROM access_log_chain WHERE id = 1), 0)
     BEGIN SELECT RAISE(ABORT, 'the access log is append-only'); END`,
    `CREATE TRIGGER access_log_chain_kept BEFORE DELETE ON access_log_chain
     BEGIN SELECT RAISE(ABORT, 'the access log is append-only'); END`,
  ],
  postgres: [
    `CREATE FUNCTION access_log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'the access log is append-only'; END $$`,
    `CREATE FUNCTION access_log_keep() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF OLD.seq >= COALESCE((SELECT first_seq FROM access_log_chain WHERE id = 1), 0) THEN
         RAISE EXCEPTION 'the access log is append-only';
       END IF;
       RETURN OLD;
     END $$`,
    `CREATE TRIGGER access_log_unchanged BEFORE UPDATE OR TRUNCATE ON access_log
     FOR EACH STATEMENT EXECUTE FUNCTION access_log_refuse()`,
    `CREATE TRIGGER access_log_pending_unchanged BEFORE UPDATE OR TRUNCATE ON access_log_pending
     FOR EACH STATEMENT EXECUTE FUNCTION access_log_refuse()`,
    `CREATE TRIGGER access_log_kept BEFORE DELETE ON access_log FOR EACH ROW EXECUTE FUNCTION access_log_keep()`,
    `CREATE TRIGGER access_log_chain_kept BEFORE DELETE OR TRUNCATE ON access_log_chain
     FOR EACH STATEMENT EXECUTE FUNCTION access_log_refuse()`,
  ],
};

/** Erasures, and what keeps the erased from coming back. */
function erasures({ int, text, strict }: Ddl): string[] {
  return [
    `CREATE TABLE erasures (
      id ${text} PRIMARY KEY NOT NULL, account_ref ${int} NOT NULL,
      state ${text} NOT NULL
        CONSTRAINT "erasures_state" CHECK (state IN ('requested', 'deleting', 'upstream', 'waiting', 'done')),
      requested_at ${int} NOT NULL, requested_by ${text} NOT NULL, deleted_at ${int},
      journaled_at ${int}, upstream_at ${int}, scrubbed_at ${int},
      scrub ${text}
        CONSTRAINT "erasures_scrub" CHECK (scrub IN ('rewritten', 'overwritten', 'vacuumed', 'left_to_autovacuum')),
      verified_at ${int}, counts ${text} NOT NULL, attempts ${int} NOT NULL, waits ${int} NOT NULL DEFAULT 0,
      due_at ${int}, lease_owner ${text}, lease_until ${int}, error_code ${text}
    ) ${strict}`,
    `CREATE UNIQUE INDEX erasures_account_ref ON erasures (account_ref)`,
    `CREATE INDEX erasures_requested_at ON erasures (requested_at, id)`,
    `CREATE INDEX erasures_due ON erasures (due_at) WHERE due_at IS NOT NULL`,

    `CREATE TABLE erasure_tombstones (
      digest ${text} PRIMARY KEY NOT NULL, erasure_id ${text} NOT NULL, account_ref ${int} NOT NULL,
      erased_at ${int} NOT NULL, turned_away ${int} NOT NULL
    ) ${strict}`,
    `CREATE INDEX erasure_tombstones_account_ref ON erasure_tombstones (account_ref)`,
    `CREATE INDEX erasure_tombstones_erasure_id ON erasure_tombstones (erasure_id)`,

    `CREATE TABLE erasure_fences (
      digest ${text} PRIMARY KEY NOT NULL, key_id ${text} NOT NULL, erasure_id ${text} NOT NULL,
      fenced_at ${int} NOT NULL, turned_away ${int} NOT NULL
    ) ${strict}`,
    `CREATE INDEX erasure_fences_erasure_id ON erasure_fences (erasure_id)`,
    `CREATE INDEX erasure_fences_fenced_at ON erasure_fences (fenced_at)`,

    `CREATE TABLE erasure_fence_keys (
      id ${int} PRIMARY KEY NOT NULL, secret ${text} NOT NULL
    ) ${strict}`,
  ];
}

function ofAccount(table: string): string {
  return `CONSTRAINT "${table}_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")`;
}
