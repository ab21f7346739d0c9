import { AlarmsWorker } from '../../src/alarms/alarms.worker.js';
import { InboxWorker } from '../../src/inbox/inbox.worker.js';
import { ProviderHourEntity } from '../../src/provider-hours/provider-hour.entity.js';
import { ProviderHours } from '../../src/provider-hours/provider-hours.service.js';
import { HOUR, SECOND } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Shown {
  readonly code: string;
  readonly count: number;
  readonly since: string;
  readonly providers: readonly string[];
}

const day = 24 * HOUR;
const pastHours = 16 * 24;

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

  /** What sixteen days of deliveries before now leave behind. */
  const deliveredBefore = async (
    provider: string,
    isOn: (hourOfDay: number) => boolean = () => true,
  ): Promise<void> => {
    const hours = Array.from({ length: pastHours }, (_, index) => app.clock.now() - (index + 1) * HOUR);
    const past = hours.filter((at) => isOn(new Date(at).getUTCHours()));
    await app.store.lane.run(async (tx) => {
      for (const at of past) await app.get(ProviderHours).note(tx, [{ providers: [provider], at }], () => undefined);
    });
  };

  const raised = async (): Promise<Shown[]> => {
    await app.run(AlarmsWorker);
    const { body } = await app.admin<{ data: Shown[] }>('GET', '/alarms', undefined, 'monitor');
    return body.data.filter(({ code }) => code === 'provider_silent');
  };

  it('is raised when one stops while another goes on, names it, and ends when it comes back', async () => {
    await connect('oura', 10);
    await goOn(60, 6 * HOUR, ['oura', 'garmin']);
    const since = new Date(app.clock.now() - 5 * HOUR).toISOString();
    await goOn(10, HOUR, ['garmin']);
    expect(await raised()).toEqual([]);
    await deliver(['garmin']);
    expect(await raised()).toMatchObject([{ code: 'provider_silent', count: 1, since, providers: ['oura'] }]);
    const lines = app.logs.filter((line) => line.includes('alarm.raised') && line.includes('"providers":["oura"]'));
    expect(lines).toHaveLength(1);
    expect(await app.metric('alarm', { code: 'provider_silent' })).toBe(1);
    await deliver(['oura']);
    expect(await raised()).toEqual([]);
    expect(await app.metric('alarm', { code: 'provider_silent' })).toBe(0);
  });

  it('is not raised while everything is silent, nor when the others come back first', async () => {
    await connect('oura', 10);
    for (const provider of ['oura', 'garmin']) await deliveredBefore(provider);
    await app.wait((2 * day) / SECOND);
    expect(await raised()).toEqual([]);
    await goOn(3, HOUR, ['garmin']);
    expect(await raised()).toEqual([]);
    await goOn(2, HOUR, ['garmin']);
    expect(await raised()).toMatchObject([{ providers: ['oura'] }]);
  });

  it('is not raised at night, when a provider always pauses, and is when the day has gone by as well', async () => {
    await connect('oura', 10);
    const night = (hour: number): boolean => hour < 8;
    await deliveredBefore('oura', (hour) => !night(hour));
    await deliveredBefore('garmin');
    const hourNow = new Date(app.clock.now()).getUTCHours();
    await goOn(24 - hourNow, HOUR, ['oura', 'garmin']);
    await goOn(16, HOUR, ['garmin']);
    expect(await raised()).toEqual([]);
    await deliver(['garmin']);
    expect(await raised()).toMatchObject([{ providers: ['oura'] }]);
  });

  it('is not raised for one that delivers seldom, has few accounts or is connected nowhere any more', async () => {
    await connect('oura', 10);
    await connect('whoop', 10);
    await connect('fitbit', 9);
    await deliveredBefore('whoop', (hour) => hour % 12 === 0);
    for (const provider of ['oura', 'fitbit']) await deliveredBefore(provider);
    await goOn(6, HOUR, ['garmin']);
    expect(await raised()).toMatchObject([{ providers: ['oura'] }]);
    for (const user_id of users.slice(0, 10)) {
      await app.sandbox.control.breakConnection({ user_id, provider: 'oura', error_type: 'token_refresh_failed' });
    }
    await deliver(['garmin']);
    expect(await raised()).toEqual([]);
  });

  it('rests on what was committed: an hour whose transaction was undone is written by the next', async () => {
    const { lane } = app.store;
    const hours = app.get(ProviderHours);
    const undone = lane.run(async (tx) => {
      await hours.note(tx, [{ providers: ['oura'], at: HOUR }], () => undefined);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await lane.run((tx) => hours.note(tx, [{ providers: ['oura'], at: HOUR + 1 }], () => undefined));
    expect(await app.table(ProviderHourEntity).all()).toEqual([{ hour: HOUR, provider: 'oura' }]);
  });

  it('rests on one row for each hour and provider, kept for five weeks', async () => {
    await connect('oura', 1);
    const rows = (): Promise<ProviderHourEntity[]> => app.table(ProviderHourEntity).all();
    const hour = app.clock.now() - (app.clock.now() % HOUR);
    for (const providers of [['oura', 'garmin'], ['oura']]) await deliver(providers);
    expect((await rows()).filter((row) => row.hour === hour)).toEqual([
      { hour, provider: 'garmin' },
      { hour, provider: 'oura' },
    ]);
    await app.wait((36 * day) / SECOND);
    await deliver(['garmin']);
    expect(await rows()).toEqual([{ hour: hour + 36 * day, provider: 'garmin' }]);
  });
});
