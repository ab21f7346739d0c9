import { randomUUID } from 'node:crypto';
import { newAccountId } from '../../../support/environment.js';
import { TestApp } from '../../../support/test-app.js';

export interface Fetch {
  workout_id: string;
  account_id: string;
  status: string;
  requests: number;
  failures: number;
  last_error: string | null;
  due_at: string | null;
  stored_at: string | null;
}

export interface StoredStream {
  id: string;
  time: string;
  end_time: string | null;
  source: { provider: string; type: string };
  data: Record<string, unknown>;
  provenance: { kind: string; message_id: string };
}

export interface List<T> {
  data: T[];
  next_cursor: string | null;
}

export const unknownWorkout = '00000000-0000-4000-8000-0000000000ff';
export const streamPath = '/v2/timeseries/workouts';
const eventType = 'daily.data.workout_stream.created';

/** An account with one workout at upstream, and what becomes of its stream. */
export class WorkoutStreams {
  private constructor(
    readonly app: TestApp,
    readonly account_id: string,
    readonly user_id: string,
  ) {}

  static async create(): Promise<WorkoutStreams> {
    const app = await TestApp.create();
    const account_id = newAccountId();
    const { body } = await app.as<{ account: { user_id: string } }>(account_id, 'GET', '/me');
    return new WorkoutStreams(app, account_id, body.account.user_id);
  }

  async workoutOf(owner: string, notify = true): Promise<string> {
    const id = randomUUID();
    const workout = { id, time_start: '2026-11-20T06:00:00+00:00', time_end: '2026-11-20T07:00:00+00:00' };
    const resource = 'workouts';
    await this.app.sandbox.control.put({ user_id: owner, provider: 'garmin', resource, summaries: [workout], notify });
    return id;
  }

  async fetches(query = ''): Promise<Fetch[]> {
    return (await this.app.admin<List<Fetch>>('GET', `/sync/workout-series${query}`, undefined, 'viewer')).body.data;
  }

  async stored(account = this.account_id): Promise<StoredStream[]> {
    return (await this.app.admin<List<StoredStream>>('GET', `/accounts/${account}/records/workout_stream`)).body.data;
  }

  async calls(): Promise<number> {
    return (await this.app.sandbox.control.calls({ path: streamPath })).calls.length;
  }

  async truth(): Promise<Record<string, unknown>[]> {
    return (await this.app.sandbox.control.truth<Record<string, unknown>>(this.user_id, 'workout_stream')).rows;
  }

  event(data: object, owner = this.user_id): Promise<{ message_id: string }> {
    return this.app.sandbox.control.send({ event_type: eventType, user_id: owner, data });
  }

  announce(given: { workout_id: string } & Record<string, unknown>): Promise<{ message_ids: string[] }> {
    return this.app.sandbox.control.announceStream({ user_id: this.user_id, ...given });
  }
}
