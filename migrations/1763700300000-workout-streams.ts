import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ddlFor, dialectOf } from './ddl.js';

/** Streams of workouts to fetch, and an index for the newest summary of each day. */
export class WorkoutStreams1763700300000 implements MigrationInterface {
  readonly name = 'WorkoutStreams1763700300000';

  async up(runner: QueryRunner): Promise<void> {
    const { int, text, counted, strict } = ddlFor(dialectOf(runner));
    const statements = [
      `CREATE TABLE workout_stream_fetches (
        "id" ${counted}, account_id ${int} NOT NULL, workout_id ${text} NOT NULL, user_id ${text}, facts ${text} NOT NULL,
        message_seq ${int} NOT NULL, received_at ${int} NOT NULL, requests ${int} NOT NULL, status ${text} NOT NULL
          CONSTRAINT "workout_stream_fetches_status" CHECK (status IN ('due', 'done', 'failed')),
        due_at ${int}, failures ${int} NOT NULL, lease_owner ${text}, lease_until ${int}, error_code ${text},
        stored_at ${int},
        CONSTRAINT "workout_stream_fetches_account" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id")
      ) ${strict}`,
      `CREATE UNIQUE INDEX workout_stream_fetches_workout ON workout_stream_fetches (workout_id, account_id)`,
      `CREATE INDEX workout_stream_fetches_due ON workout_stream_fetches (due_at, id) WHERE due_at IS NOT NULL`,
      `CREATE INDEX workout_stream_fetches_account_id ON workout_stream_fetches (account_id, id)`,
      `CREATE INDEX workout_stream_fetches_status_id ON workout_stream_fetches (status, id)`,
      `CREATE INDEX summaries_day ON summaries
        (account_id, resource, calendar_date, provider, version, observation_id, summary_id)
        WHERE calendar_date IS NOT NULL`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Going back means restoring the copy made before the migration.');
  }
}
