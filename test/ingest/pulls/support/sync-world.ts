import type { Sandbox } from '../../../../sandbox/server.js';
import { AccountsService } from '../../../../src/accounts/accounts/accounts.service.js';
import { PullWorker } from '../../../../src/ingest/pulls/pull.worker.js';
import { PullRequests } from '../../../../src/ingest/pulls/pull-requests.service.js';
import { PullScheduleWorker } from '../../../../src/ingest/pulls/pull-schedule.worker.js';
import type { PullTaskEntity } from '../../../../src/ingest/pulls/pull-task.entity.js';
import { type PullRequest } from '../../../../src/ingest/pulls/pull-tasks.repository.js';
import { HistoricalPulls } from '../../../../src/ingest/sources/historical-pulls.service.js';
import { SourcePollWorker } from '../../../../src/ingest/sources/source-poll.worker.js';
import type { HistoricalPullEntity } from '../../../../src/ingest/streams/historical-pull.entity.js';
import type { PullStreamEntity } from '../../../../src/ingest/streams/pull-stream.entity.js';
import { PullStreams } from '../../../../src/ingest/streams/pull-streams.service.js';
import type { Store } from '../../../../src/storage/database/store.js';
import type { Tx } from '../../../../src/storage/database/tx.js';
import type { WorkerLoop } from '../../../../src/storage/work/worker-loop.js';
import { TransportTuning } from '../../../../src/upstream/transport/transport-tuning.js';
import { DAY, START } from '../../../support/environment.js';
import type { FakeClock } from '../../../support/fake-clock.js';
import { TestApp } from '../../../support/test-app.js';

export const start = START;
export const day = DAY;

const env = { UPSTREAM_TIMEOUT_MS: '20000' };
/** A page that fails is the matter of the worker, which tries again later. */
const tuning = { retry: { ...new TransportTuning().retry, tries: 1 } };

export interface Account {
  readonly ref: number;
  readonly userId: string;
}

/** A service, by what pulls consist of. */
export class SyncService {
  constructor(readonly app: TestApp) {}

  get logged(): readonly string[] {
    return this.app.logs;
  }

  get backfill(): WorkerLoop {
    return this.app.get(PullWorker).loop;
  }

  get schedule(): WorkerLoop {
    return this.app.get(PullScheduleWorker).loop;
  }

  get sourceCheck(): WorkerLoop {
    return this.app.get(SourcePollWorker).loop;
  }

  get sync(): PullRequests {
    return this.app.get(PullRequests);
  }

  get streams(): PullStreams {
    return this.app.get(PullStreams);
  }

  get history(): HistoricalPulls {
    return this.app.get(HistoricalPulls);
  }

  get accounts(): AccountsService {
    return this.app.get(AccountsService);
  }

  write<T>(work: (tx: Tx, sync: PullRequests) => Promise<T>): Promise<T> {
    return this.app.store.lane.run((tx) => work(tx, this.sync));
  }

  /** Until none of the three workers finds anything to do. */
  async settle(): Promise<void> {
    const loops = [this.sourceCheck, this.schedule, this.backfill];
    let before: number;
    do {
      before = loops.reduce((sum, loop) => sum + loop.productiveRounds, 0);
      for (const loop of loops) await loop.runUntilIdle();
    } while (loops.reduce((sum, loop) => sum + loop.productiveRounds, 0) !== before);
  }
}

/** Upstream at one instant, whose events never come, and the services that pull from it into one store. */
export class SyncWorld {
  private constructor(private readonly app: TestApp) {}

  static async create(): Promise<SyncWorld> {
    return new SyncWorld(await TestApp.create({ env, tuning, sandbox: { seed: 'sync' }, webhooks: false }));
  }

  get sandbox(): Sandbox {
    return this.app.sandbox;
  }

  get store(): Store {
    return this.app.store;
  }

  get clock(): FakeClock {
    return this.app.clock;
  }

  /** The service there is from the beginning. */
  get service(): SyncService {
    return new SyncService(this.app);
  }

  /** One more. */
  async another(more: Readonly<Record<string, string>> = {}): Promise<SyncService> {
    return new SyncService(await this.app.another({ env: { ...env, ...more }, tuning }));
  }

  /** A user of upstream with an account here. */
  async account(service: SyncService, name = 'customer'): Promise<Account> {
    const { users } = await this.sandbox.control.createUsers({ client_user_id: name });
    const userId = users[0]?.user_id ?? '';
    const { id } = await service.accounts.adopt({ ...users[0], user_id: userId, client_user_id: name } as never);
    return { ref: id, userId };
  }

  /** Samples or summaries of the last days at upstream, visible immediately. */
  async data(
    userId: string,
    resource: string,
    size: { days: number; per_day: number; provider?: string },
  ): Promise<void> {
    const { provider = 'oura', ...history } = size;
    const { connections } = await this.connectionsOf(userId);
    if (!connections.includes(provider)) {
      await this.sandbox.control.connect({ user_id: userId, provider, resources: [resource], notify: false });
      await this.sandbox.control.advance(60);
    }
    await this.sandbox.control.generate({ user_id: userId, provider, resource, ...history, notify: false });
    await this.sandbox.control.pullAgain({ user_id: userId, provider, resources: [resource] });
    await this.sandbox.control.advance(60);
  }

  request(service: SyncService, account: number, given: Partial<PullRequest> = {}): Promise<number> {
    const window = { start: start - 90 * day, end: start };
    const request = { account, provider: '', resource: 'mindfulness_minutes', origin: 'operator', ...window } as const;
    return service.write((tx, sync) => sync.request(tx, { ...request, ...given }));
  }

  /** Moves both clocks. */
  advance(seconds: number): Promise<void> {
    return this.app.wait(seconds);
  }

  tasks(): Promise<PullTaskEntity[]> {
    return this.store.reader.rows('SELECT * FROM sync_tasks ORDER BY id');
  }

  async task(id: number): Promise<PullTaskEntity> {
    const [task] = await this.store.reader.rows<PullTaskEntity>('SELECT * FROM sync_tasks WHERE id = ?', [id]);
    if (!task) throw new Error('no such task');
    return task;
  }

  streams(): Promise<PullStreamEntity[]> {
    return this.store.reader.rows('SELECT * FROM pull_streams ORDER BY account_id, provider, resource');
  }

  pulls(): Promise<HistoricalPullEntity[]> {
    return this.store.reader.rows('SELECT * FROM historical_pulls ORDER BY account_id, provider, resource');
  }

  /** Covered ranges, settled or not. */
  async coverage(): Promise<{ provider: string; resource: string; range_start: number; range_end: number }[]> {
    const rows = await this.store.reader.rows<{
      provider: string;
      resource: string;
      range_start: number;
      range_end: number;
    }>('SELECT provider, resource, range_start, range_end FROM coverage ORDER BY provider, resource, range_start');
    return rows.reduce<typeof rows>((joined, row) => {
      const last = joined.at(-1);
      const touches = last?.provider === row.provider && last.resource === row.resource;
      if (!touches || last.range_end !== row.range_start) return [...joined, row];
      return [...joined.slice(0, -1), { ...last, range_end: row.range_end }];
    }, []);
  }

  /** Calls of the sandbox for one page of a timeseries each. */
  async pageCalls(): Promise<number> {
    return (await this.sandbox.control.calls({ path: '/v2/timeseries' })).calls.length;
  }

  /** Calls that an armed fault has met so far. */
  async faultsStruck(): Promise<number> {
    const { faults } = await this.sandbox.control.faults();
    return faults.reduce((sum, { struck }) => sum + struck, 0);
  }

  /** Samples of a timeseries as the store has them and as upstream does, both in one form. */
  async samples({ ref, userId }: Account, resource: string): Promise<{ stored: string[]; upstream: string[] }> {
    const rows = await this.store.reader.rows<{
      provider: string;
      time: number;
      value: number;
      text_value: string | null;
    }>(
      `SELECT provider, time, value, text_value FROM samples JOIN series ON series.id = series_id
       WHERE account_id = ? AND resource = ?`,
      [ref, resource],
    );
    const { rows: truth } = await this.sandbox.control.truth(userId, resource);
    return {
      stored: rows.map((row) => [row.provider, row.time, row.value, row.text_value].join(' ')).sort(),
      upstream: truth
        .map(({ provider, start: time, value }) => {
          const [first, second] = typeof value === 'object' ? [value.systolic, value.diastolic] : [value, null];
          return [provider, Date.parse(time), first, second].join(' ');
        })
        .sort(),
    };
  }

  /** Ids and versions of summaries, in both places. */
  async summaries({ ref, userId }: Account, resource: string): Promise<{ stored: string[]; upstream: string[] }> {
    const rows = await this.store.reader.rows<{ summary_id: string; raw: string }>(
      'SELECT summary_id, raw FROM summaries WHERE account_id = ? AND resource = ?',
      [ref, resource],
    );
    const { rows: truth } = await this.sandbox.control.truth<{ id: string; updated_at: string }>(userId, resource);
    const form = ({ id, updated_at }: { id: string; updated_at: string }): string => `${id} ${updated_at}`;
    return {
      stored: rows.map(({ raw }) => form(JSON.parse(raw) as { id: string; updated_at: string })).sort(),
      upstream: truth.map(form).sort(),
    };
  }

  close(): Promise<void> {
    return this.app.close();
  }

  private async connectionsOf(userId: string): Promise<{ connections: string[] }> {
    const { users } = await this.sandbox.control.truthUsers();
    return { connections: users.find((user) => user.user_id === userId)?.providers ?? [] };
  }
}
