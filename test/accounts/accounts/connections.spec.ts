import { ConnectionsRepository } from '../../../src/accounts/connections/connections.repository.js';
import { ConnectionsService } from '../../../src/accounts/connections/connections.service.js';
import { DevicesService } from '../../../src/accounts/connections/devices.service.js';
import type { WireConnection, WireDevice } from '../../../src/upstream/client/wire-users.js';
import { HOUR, START } from '../../support/environment.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type TestStore, testStore } from '../../support/test-store.js';

let store: TestStore;
let connections: ConnectionsService;
let devices: DevicesService;
let account: number;

beforeEach(async () => {
  store = await testStore();
  const repository = new ConnectionsRepository(store.reader, new FakeClock(START));
  connections = new ConnectionsService(repository);
  devices = new DevicesService(repository);
  account = await insertAccount('cust-1');
});

afterEach(() => store.close());

async function insertAccount(accountId: string): Promise<number> {
  const sql = `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES (?, 'active', 0, 0) RETURNING id`;
  const [row] = await store.lane.run((tx) => tx.rows<{ id: number }>(sql, [accountId]));
  return row?.id ?? 0;
}

function wire(slug: string, status = 'connected', more: Partial<WireConnection> = {}): WireConnection {
  return {
    slug,
    status,
    external_user_id: null,
    created_on: '2026-11-01T00:00:00+00:00',
    resource_availability: {},
    error_details: null,
    ...more,
  };
}

const connected = (provider: string, observedAt: number): Promise<boolean> =>
  store.lane.run((tx) => connections.recordConnected(tx, account, { provider, observedAt }));
const failed = (provider: string, observedAt: number): Promise<boolean> =>
  store.lane.run((tx) => connections.recordError(tx, account, { provider, error_type: 'unknown', observedAt }));
const reconcile = (listed: WireConnection[], observedAt: number): ReturnType<ConnectionsService['reconcile']> =>
  store.lane.run((tx) =>
    connections.reconcile(tx, account, { listed, unreadable: [], hasNameless: false }, observedAt),
  );
const stored = async (): Promise<string[]> =>
  (await connections.list(account)).map(({ provider, status }) => `${provider} ${status}`);

describe('a connection', () => {
  it('is reported as new only the first time', async () => {
    expect(await connected('oura', 10)).toBe(true);
    expect(await connected('oura', 20)).toBe(false);
    expect(await stored()).toEqual(['oura connected']);
  });

  it('is marked when upstream names another account at the provider, once, and not by an event that names none', async () => {
    const marks = async (): Promise<unknown[]> => (await connections.list(account)).map((one) => one.other_account_at);
    await reconcile([wire('garmin', 'connected', { external_user_id: 'account-a' })], 10);
    await reconcile([wire('garmin', 'error', { external_user_id: 'account-a' })], 20);
    await connected('garmin', 30);
    expect(await marks()).toEqual([null]);
    await reconcile([wire('garmin', 'connected', { external_user_id: 'account-b' })], 40);
    await reconcile([wire('garmin', 'connected', { external_user_id: 'account-b' })], 50);
    await reconcile([wire('garmin')], 60);
    expect(await marks()).toEqual([40]);
    expect(JSON.stringify(await connections.list(account))).not.toContain('account-b');
    const rows = await store.reader.rows(
      `SELECT status, at FROM connection_changes WHERE account_id = ? AND error_type = 'other_account'`,
      [account],
    );
    expect(rows).toEqual([{ status: 'connected', at: 40 }]);
  });

  it('is marked when an event names another account at the provider, also before the list is read', async () => {
    const named = (external_user_id: string | null, observedAt: number): Promise<boolean> =>
      store.lane.run((tx) =>
        connections.recordConnected(tx, account, { provider: 'garmin', external_user_id, observedAt }),
      );
    const marks = async (): Promise<unknown[]> => (await connections.list(account)).map((one) => one.other_account_at);
    await named('account-a', 10);
    await named(null, 20);
    await reconcile([wire('garmin', 'connected', { external_user_id: 'account-a' })], 30);
    expect(await marks()).toEqual([null]);
    await named('account-b', 40);
    expect(await marks()).toEqual([40]);
  });

  it('is the same account at the provider if only the case of its e-mail address changes', async () => {
    for (const [at, external_user_id] of [
      [10, 'Ann@example.com'],
      [20, 'ann@example.com'],
    ] as const)
      await reconcile([wire('garmin', 'connected', { external_user_id })], at);
    expect((await connections.list(account)).map((one) => one.other_account_at)).toEqual([null]);
  });

  it('keeps fields that a later fact omits', async () => {
    const resource_availability = { sleep: { status: 'available' } };
    await store.lane.run((tx) =>
      connections.recordConnected(tx, account, {
        provider: 'oura',
        connected_at: 5,
        resource_availability,
        observedAt: 10,
      }),
    );
    await failed('oura', 20);
    expect(await connections.list(account)).toEqual([
      {
        account_id: account,
        provider: 'oura',
        status: 'error',
        error_type: 'unknown',
        error_at: 20,
        connected_at: 5,
        resource_availability: JSON.stringify(resource_availability),
        observed_at: 20,
        person_mark: null,
        other_account_at: null,
        successor: null,
        overlap_start: null,
        overlap_end: null,
      },
    ]);
  });

  it('goes to error and back, and clears the error', async () => {
    await connected('oura', 10);
    expect(await failed('oura', 20)).toBe(true);
    expect(await failed('oura', 21)).toBe(false);
    expect(await connected('oura', 30)).toBe(true);
    expect(await connections.list(account)).toMatchObject([{ status: 'connected', error_type: null, error_at: null }]);
  });

  it('is not changed by a fact observed before the stored one', async () => {
    await failed('oura', 20);
    expect(await connected('oura', 19)).toBe(false);
    expect(await reconcile([wire('oura')], 19)).toEqual({ connected: [], errored: [], gone: [] });
    expect(await reconcile([], 19)).toEqual({ connected: [], errored: [], gone: [] });
    expect(await stored()).toEqual(['oura error']);
  });

  it('is changed by a fact observed now if the stored one is from hours ahead of the clock', async () => {
    await failed('oura', START + 6 * HOUR);
    expect(await connected('oura', START)).toBe(true);
    expect(await stored()).toEqual(['oura connected']);
  });
});

describe('a change of a connection', () => {
  const changes = (): Promise<unknown[]> =>
    store.reader.rows('SELECT provider, status, error_type, at FROM connection_changes ORDER BY id');

  it('is stored once, from events and from the list alike', async () => {
    await connected('oura', 10);
    await connected('oura', 20);
    await failed('oura', 30);
    await failed('oura', 25);
    await reconcile([wire('oura')], 40);
    await reconcile([wire('oura')], 50);
    await reconcile([wire('oura', 'paused')], 60);
    await reconcile([], 70);
    await reconcile([], 80);
    expect(await changes()).toEqual([
      { provider: 'oura', status: 'connected', error_type: null, at: 10 },
      { provider: 'oura', status: 'error', error_type: 'unknown', at: 30 },
      { provider: 'oura', status: 'connected', error_type: null, at: 40 },
      { provider: 'oura', status: 'paused', error_type: null, at: 60 },
      { provider: 'oura', status: 'disconnected', error_type: null, at: 70 },
    ]);
  });

  it('is stored with the connection or not at all', async () => {
    const planned = store.lane.run(async (tx) => {
      await connections.recordConnected(tx, account, { provider: 'oura', observedAt: 10 });
      throw new Error('planned');
    });
    await expect(planned).rejects.toThrow('planned');
    expect(await changes()).toEqual([]);
  });
});

describe('the time in which a retired source and its successor were both connected', () => {
  const autumn = Date.parse('2026-11-10T00:00:00Z');
  const since = Date.parse('2026-11-01T00:00:00Z');
  const broken = (errored_at: number): WireConnection => {
    const error_details = { error_type: 'deregistered_per_provider', errored_at: new Date(errored_at).toISOString() };
    return wire('fitbit', 'error', { error_details });
  };
  const disconnected = (now: number): Promise<unknown> =>
    store.lane.run((tx) => connections.recordDisconnected(tx, account, { provider: 'fitbit', askedBy: 'person', now }));
  const both = (): Promise<unknown> => reconcile([wire('fitbit'), wire('google_health')], autumn);

  it.each<[string, number, (() => Promise<unknown>)[]]>([
    ['disconnected here', autumn + 10, [both, () => disconnected(autumn + 10)]],
    ['no longer listed', autumn + 20, [both, () => reconcile([wire('google_health')], autumn + 20)]],
    ['in error', autumn + 5, [both, () => reconcile([broken(autumn + 5), wire('google_health')], autumn + 20)]],
    [
      'in error, and disconnected later',
      autumn + 5,
      [
        both,
        () => failed('fitbit', autumn + 10),
        () => reconcile([broken(autumn + 5), wire('google_health')], autumn + 20),
        () => disconnected(autumn + 30),
      ],
    ],
    [
      'in error before the successor was heard of',
      autumn + 10,
      [
        () => reconcile([wire('fitbit')], autumn),
        () => failed('fitbit', autumn + 10),
        () => reconcile([wire('google_health')], autumn + 20),
      ],
    ],
  ])('is kept for one that is %s', async (_name, overlap_end, steps) => {
    for (const step of steps) await step();
    expect(await connections.overlapsOf(account)).toEqual([
      { account_id: account, provider: 'fitbit', successor: 'google_health', overlap_start: since, overlap_end },
    ]);
  });

  it('is empty if the old source ended first, or is still connected', async () => {
    await both();
    expect(await connections.overlapsOf(account)).toEqual([]);
    account = await insertAccount('cust-2');
    await connected('fitbit', since - 20);
    await failed('fitbit', since - 10);
    await reconcile([wire('google_health')], autumn);
    expect(await connections.overlapsOf(account)).toEqual([]);
  });
});

describe("upstream's list of connections", () => {
  it('reports new, failed and gone connections [connections#list-of-connections]', async () => {
    await connected('garmin', 10);
    await connected('oura', 10);
    await connected('fitbit', 10);
    const error_details = { error_type: 'token_refresh_failed', errored_at: '2026-11-02T00:00:00+00:00' };
    const listed = [wire('withings'), wire('oura', 'error', { error_details }), wire('fitbit')];
    expect(await reconcile(listed, 20)).toEqual({ connected: ['withings'], errored: ['oura'], gone: ['garmin'] });
    expect(await stored()).toEqual(['fitbit connected', 'garmin disconnected', 'oura error', 'withings connected']);
    expect((await connections.list(account))[2]).toMatchObject({
      error_type: 'token_refresh_failed',
      error_at: Date.parse('2026-11-02T00:00:00Z'),
      connected_at: Date.parse('2026-11-01T00:00:00Z'),
    });
    expect(await reconcile(listed, 30)).toEqual({ connected: [], errored: [], gone: [] });
  });

  it('counts paused and unknown states as gone, and keeps the state', async () => {
    await connected('oura', 10);
    await connected('fitbit', 10);
    const listed = [wire('oura', 'paused'), wire('fitbit', 'sleeping'), wire('garmin', 'paused')];
    expect(await reconcile(listed, 20)).toEqual({ connected: [], errored: [], gone: ['oura', 'fitbit'] });
    expect(await stored()).toEqual(['fitbit sleeping', 'garmin paused', 'oura paused']);
    expect(await reconcile([], 30)).toEqual({ connected: [], errored: [], gone: [] });
    expect(await reconcile([wire('oura')], 40)).toEqual({ connected: ['oura'], errored: [], gone: [] });
  });

  it('reports a change once for simultaneous reads', async () => {
    const changes = await Promise.all(Array.from({ length: 10 }, () => reconcile([wire('oura')], 20)));
    expect(changes.flatMap((change) => change.connected)).toEqual(['oura']);
  });

  it('does not change other accounts and stores no user name of the provider', async () => {
    const first = account;
    await connected('oura', 10);
    account = await insertAccount('cust-2');
    await reconcile([wire('garmin')], 20);
    expect(await stored()).toEqual(['garmin connected']);
    account = first;
    expect(await stored()).toEqual(['oura connected']);
    expect(JSON.stringify(await store.reader.rows('SELECT * FROM connections'))).not.toContain('somebody@');
  });
});

describe('a device', () => {
  const wire = (id: string, device_model: string): WireDevice => ({
    ...{ id, provider: 'oura', source_type: 'ring', device_model },
    ...{ device_manufacturer: null, device_version: null },
  });
  const record = (ref: number, device_model: string, observedAt: number): Promise<boolean> =>
    store.lane.run((tx) => devices.record(tx, ref, wire('device-1', device_model), observedAt));
  /** A list, complete unless it says otherwise; two that are 100 ms apart confirm each other. */
  const list = (observedAt: number, ids: readonly string[], isComplete = true, judged = true): Promise<void> =>
    store.lane.run((tx) =>
      devices.reconcile(
        tx,
        account,
        { listed: ids.map((id) => wire(id, 'Gen2')), isComplete },
        { observedAt, confirmMs: 100, judges: () => judged },
      ),
    );
  const goneAt = async (): Promise<(number | null)[]> => (await devices.list(account)).map(({ gone_at }) => gone_at);

  it('is updated by later facts and not by earlier ones [connections#devices]', async () => {
    await record(account, 'Gen2', 10);
    await record(account, 'Gen3', 20);
    await record(account, 'Gen1', 15);
    expect(await devices.list(account)).toMatchObject([{ device_id: 'device-1', model: 'Gen3', version: null }]);
  });

  it('is updated by a fact observed now if the stored one is from hours ahead of the clock', async () => {
    await record(account, 'Gen3', START + 6 * HOUR);
    await record(account, 'Gen2', START);
    expect(await devices.list(account)).toMatchObject([{ model: 'Gen2', observed_at: START }]);
  });

  it('that two complete lists do not show is gone, and is back when one shows it [connections#devices]', async () => {
    await record(account, 'Gen2', 10);
    await list(1_000, ['device-2']);
    expect(await goneAt()).toEqual([null, null]);
    await list(1_050, ['device-2']);
    expect(await goneAt()).toEqual([null, null]);
    await list(1_100, ['device-2']);
    expect(await goneAt()).toEqual([1_100, null]);
    expect(await record(account, 'Gen3', 1_200)).toBe(true);
    expect(await goneAt()).toEqual([1_100, null]);
    await list(1_300, ['device-1', 'device-2']);
    expect(await goneAt()).toEqual([null, null]);
  });

  it.each<[string, (() => Promise<unknown>)[]]>([
    ['seen by an event between two lists', [() => record(account, 'Gen3', 1_050), () => list(1_110, [])]],
    ['listed in between', [() => list(1_050, ['device-1']), () => list(1_110, [])]],
    ['missing where an entry could not be read', [() => list(1_110, [], false)]],
    ['of a provider whose deletions are not applied', [() => list(1_110, [], true, false)]],
  ])('%s is not gone', async (_name, steps) => {
    await record(account, 'Gen2', 10);
    await list(1_000, []);
    for (const step of steps) await step();
    expect(await goneAt()).toEqual([null]);
  });

  it('that two people share is stored for both', async () => {
    await record(account, 'Gen2', 10);
    const other = await insertAccount('cust-2');
    await record(other, 'Gen3', 20);
    expect(await devices.list(account)).toMatchObject([{ model: 'Gen2' }]);
    expect(await devices.list(other)).toMatchObject([{ model: 'Gen3' }]);
  });
});
