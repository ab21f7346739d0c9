import { NewestRecords } from '../../../src/health/reads/newest-records.service.js';
import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import { ProviderDeliveryEntity } from '../../../src/health/records/record.entity.js';
import { InboxWorker } from '../../../src/ingest/inbox/inbox.worker.js';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { HOUR, SECOND } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

interface Shown {
  readonly code: string;
  readonly count: number;
  readonly since: string;
  readonly providers: readonly string[];
}

const day = 24 * HOUR;

describe('the alarm about a provider that is silent', () => {
  let app: TestApp;
  let users: string[];

  beforeEach(async () => {
    app = await TestApp.create();
    users = [];
  });

  afterEach(() => app.close());

  const connect = async (provider: string, accounts: number): Promise<void> => {
    for (let number = 0; number < accounts; number++) {
      users.push(await app.connect(`${provider}-${number}`, provider, { days: 1, per_day: 1 }));
    }
    await app.settle();
  };

  /** Through the sandbox and the inbox, all of one person, which is all it takes to know that a provider delivers. */
  const deliver = async (providers: readonly string[]): Promise<void> => {
    const timestamp = new Date(app.clock.now()).toISOString();
    for (const provider of providers) {
      const points = [{ timestamp, value: 60 }];
      await app.sandbox.control.put({ user_id: users[0] ?? '', provider, resource: 'heartrate', points, notify: true });
    }
    await app.sandbox.control.advance(0);
    await app.run(InboxWorker);
  };

  const goOn = async (count: number, every: number, providers: readonly string[]): Promise<void> => {
    for (let done = 0; done < count; done++) {
      await deliver(providers);
      await app.wait(every / SECOND);
    }
  };

  const raised = async (): Promise<Shown[]> => {
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ data: Shown[] }>('GET', '/alarms', undefined, 'monitor');
    return body.data.filter(({ code }) => code === 'provider_silent');
  };

  it('is raised when one stops while another continues, names it, and ends when it returns', async () => {
    await connect('oura', 10);
    await goOn(2, HOUR, ['oura', 'garmin']);
    const since = new Date(app.clock.now() - HOUR).toISOString();
    await goOn(23, HOUR, ['garmin']);
    expect(await raised()).toEqual([]);
    await goOn(1, HOUR, ['garmin']);
    expect(await raised()).toMatchObject([{ code: 'provider_silent', count: 1, since, providers: ['oura'] }]);
    const lines = app.logs.filter((line) => line.includes('alarm.raised') && line.includes('"providers":["oura"]'));
    expect(lines).toHaveLength(1);
    expect(await app.metric('alarm', { code: 'provider_silent' })).toBe(1);
    await deliver(['oura']);
    expect(await raised()).toEqual([]);
    expect(await app.metric('alarm', { code: 'provider_silent' })).toBe(0);
  });

  it('is not raised while all are silent, nor for one that is no longer connected', async () => {
    await connect('oura', 10);
    await deliver(['oura', 'garmin']);
    await app.wait((2 * day) / SECOND);
    expect(await raised()).toEqual([]);
    await deliver(['garmin']);
    expect(await raised()).toMatchObject([{ providers: ['oura'] }]);
    for (const user_id of users) {
      await app.sandbox.control.breakConnection({ user_id, provider: 'oura', error_type: 'token_refresh_failed' });
    }
    await deliver(['garmin']);
    expect(await raised()).toEqual([]);
  });

  it('uses one row for each provider, updated after five minutes', async () => {
    await connect('oura', 1);
    const at = app.clock.now();
    await deliver(['oura', 'garmin']);
    await app.wait(299);
    await deliver(['oura']);
    const rows = (): Promise<ProviderDeliveryEntity[]> => app.table(ProviderDeliveryEntity).all();
    const byName = async () => Object.fromEntries((await rows()).map((row) => [row.provider, row.last_at]));
    expect(await byName()).toEqual({ oura: at, garmin: at });
    await app.wait(1);
    await deliver(['oura']);
    expect(await byName()).toEqual({ oura: at + 300 * SECOND, garmin: at });
  });

  it('uses the receipt of a message, not the time of its application', async () => {
    const { lane } = app.store;
    const note = (at: number) =>
      lane.run((tx) => app.get(HealthDataService).noteDeliveries(tx, new Map([['oura', at]])));
    await note(2 * HOUR);
    await note(HOUR);
    expect(await app.get(NewestRecords).lastDeliveries()).toEqual([{ provider: 'oura', last_at: 2 * HOUR }]);
  });
});
