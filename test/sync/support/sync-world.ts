import { Test, type TestingModule } from '@nestjs/testing';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { AccountsService } from '../../../src/accounts/accounts.service.js';
import { AuthModule } from '../../../src/auth/auth.module.js';
import { pulledResources } from '../../../src/catalogue/catalogue.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { readConfig } from '../../../src/config/environment.js';
import type { HistoricalPullEntity } from '../../../src/coverage/historical-pull.entity.js';
import type { PullStreamEntity } from '../../../src/coverage/pull-stream.entity.js';
import { PullStreams } from '../../../src/coverage/pull-streams.service.js';
import { DatabaseModule } from '../../../src/database/database.module.js';
import type { Tx } from '../../../src/database/tx.js';
import { Log } from '../../../src/platform/log.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { PlatformModule } from '../../../src/platform/platform.module.js';
import { PullWorker } from '../../../src/pulls/pull.worker.js';
import { PullScheduleWorker } from '../../../src/pulls/pull-schedule.worker.js';
import type { PullTaskEntity } from '../../../src/pulls/pull-task.entity.js';
import { type PullRequest, PullsService } from '../../../src/pulls/pulls.service.js';
import { SchemaModule } from '../../../src/schema/schema.module.js';
import { HistoricalPulls } from '../../../src/source-polls/historical-pulls.service.js';
import { SourcePollWorker } from '../../../src/source-polls/source-poll.worker.js';
import { TransportTuning } from '../../../src/upstream-transport/tuning.js';
import { WorkModule } from '../../../src/work/work.module.js';
import type { WorkerLoop } from '../../../src/work/worker-loop.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';
import { syncModules } from './sync-modules.js';

/** Each test starts a service or two and a sandbox, which takes long on a busy machine. */
jest.setTimeout(30_000);

export const start = Date.parse('2026-11-20T12:00:00Z');
export const day = 86_400_000;

const environment = {
  UPSTREAM_API_KEY: 'sk_us_sandbox',
  UPSTREAM_REGION: 'us',
  UPSTREAM_ENVIRONMENT: 'sandbox',
  UPSTREAM_REQUESTS_PER_SECOND: '10000',
  UPSTREAM_TIMEOUT_MS: '20000',
  WEBHOOK_SECRETS: `whsec_${Buffer.from('a-webhook-secret-for-tests-1').toString('base64')}`,
  APP_JWT_SECRET: 'an-app-token-secret-for-tests-only-0123456789',
  ADMIN_API_KEYS: `viewer:viewer:${'0'.repeat(64)}`,
};

export interface Account {
  readonly ref: number;
  readonly userId: string;
}

/** One process: the modules up to sync, wired as the application does it. */
export class SyncProcess {
  constructor(
    private readonly module: TestingModule,
    private readonly store: TestStore,
    readonly logged: string[],
  ) {}

  get backfill(): WorkerLoop {
    return this.module.get(PullWorker, { strict: false }).loop;
  }

  get schedule(): WorkerLoop {
    return this.module.get(PullScheduleWorker, { strict: false }).loop;
  }

  get sourceCheck(): WorkerLoop {
    return this.module.get(SourcePollWorker, { strict: false }).loop;
  }

  get sync(): PullsService {
    return this.module.get(PullsService, { strict: false });
  }

  get streams(): PullStreams {
    return this.module.get(PullStreams, { strict: false });
  }

  get history(): HistoricalPulls {
    return this.module.get(HistoricalPulls, { strict: false });
  }

  get accounts(): AccountsService {
    return this.module.get(AccountsService, { strict: false });
  }

  write<T>(work: (tx: Tx, sync: PullsService) => Promise<T>): Promise<T> {
    return this.store.lane.run((tx) => work(tx, this.sync));
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

  close(): Promise<void> {
    return this.module.close();
  }
}

/** A sandbox and a store at one instant, and the processes that work on them. */
export class SyncWorld {
  private readonly processes: SyncProcess[] = [];

  private constructor(
    readonly sandbox: Sandbox,
    readonly store: TestStore,
    readonly clock: FakeClock,
  ) {}

  static async create(): Promise<SyncWorld> {
    const [sandbox, store] = await Promise.all([
      startSandbox({ seed: 'sync', timeScale: 0, startAt: start }),
      testStore(),
    ]);
    return new SyncWorld(sandbox, store, new FakeClock(start));
  }

  async process(env: Record<string, string> = {}): Promise<SyncProcess> {
    const { store, clock } = this;
    const logged: string[] = [];
    const log = new Log({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } });
    const config = readConfig({ ...environment, UPSTREAM_BASE_URL: this.sandbox.url, ...env }, pulledResources);
    const tuning = Object.assign(new TransportTuning(), { retry: { ...new TransportTuning().retry, tries: 1 } });
    const module = await Test.createTestingModule({
      imports: [
        ConfigModule.register(config),
        PlatformModule.register({ clock, log, metrics: new Metrics(), gate: store.gate }),
        WorkModule,
        DatabaseModule.register(store),
        SchemaModule,
        AuthModule,
        ...syncModules,
      ],
    })
      .overrideProvider(TransportTuning)
      .useValue(tuning)
      .compile();
    await module.init();
    const made = new SyncProcess(module, store, logged);
    this.processes.push(made);
    return made;
  }

  /** A user of upstream with an account here. */
  async account(process: SyncProcess, name = 'customer'): Promise<Account> {
    const { users } = await this.sandbox.control.createUsers({ client_user_id: name });
    const userId = users[0]?.user_id ?? '';
    const { id } = await process.accounts.adopt({ ...users[0], user_id: userId, client_user_id: name } as never);
    return { ref: id, userId };
  }

  /** Samples or summaries made by upstream over the days before now, visible at once. */
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

  request(process: SyncProcess, account: number, given: Partial<PullRequest> = {}): Promise<number> {
    const window = { start: start - 90 * day, end: start };
    const request = { account, provider: '', resource: 'mindfulness_minutes', origin: 'operator', ...window } as const;
    return process.write((tx, sync) => sync.request(tx, { ...request, ...given }));
  }

  /** Moves both clocks. */
  async advance(seconds: number): Promise<void> {
    this.clock.advance(seconds * 1_000);
    await this.sandbox.control.advance(seconds);
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
    return this.store.reader.rows('SELECT * FROM sync_streams ORDER BY account_id, provider, resource');
  }

  pulls(): Promise<HistoricalPullEntity[]> {
    return this.store.reader.rows('SELECT * FROM historical_pulls ORDER BY account_id, provider, resource');
  }

  /** What is covered, settled or not. */
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
    const rows = await this.store.reader.rows<{ provider: string; time: number; value: number; value2: number | null }>(
      `SELECT provider, time, value, value2 FROM samples JOIN series ON series.id = series_id
       WHERE account_id = ? AND resource = ?`,
      [ref, resource],
    );
    const { rows: truth } = await this.sandbox.control.truth(userId, resource);
    return {
      stored: rows.map((row) => [row.provider, row.time, row.value, row.value2].join(' ')).sort(),
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

  async close(): Promise<void> {
    for (const process of this.processes) await process.close();
    await this.sandbox.close();
    await this.store.close();
  }

  private async connectionsOf(userId: string): Promise<{ connections: string[] }> {
    const { users } = await this.sandbox.control.truthUsers();
    return { connections: users.find((user) => user.user_id === userId)?.providers ?? [] };
  }
}
