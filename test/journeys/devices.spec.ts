import { randomUUID } from 'node:crypto';
import { compareWithTruth } from '../support/compare.js';
import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Shown {
  readonly time: string;
  readonly value: number;
  readonly source: { readonly device_id: string | null };
}

const provider = 'garmin';
const resource = 'steps';
const [first, second] = [randomUUID(), randomUUID()];

describe('devices that come and go for the same samples', () => {
  let app: TestApp;
  let account_id: string;
  let user_id: string;

  beforeEach(async () => {
    app = await TestApp.create({ env: { SYNC_RESOURCES: resource } });
    await app.sandbox.control.configure({ page_size: 7 });
    account_id = newAccountId();
    user_id = await app.connect(account_id, provider, { days: 1, per_day: 1 });
    const points = Array.from({ length: 24 }, (_, hour) => {
      const start = new Date(Date.UTC(2026, 10, 19, hour));
      return { start: start.toISOString(), end: new Date(start.getTime() + 600_000).toISOString(), value: 100 + hour };
    });
    await app.sandbox.control.put({ user_id, provider, resource, source_type: 'watch', points, notify: true });
    await app.settle();
  });

  afterEach(() => app.close());

  const named = (device_ids: (string | null)[], notify: boolean) =>
    app.sandbox.control.nameDevices({ user_id, provider, resource, device_ids, notify });
  const pulled = async (): Promise<void> => {
    await app.admin('POST', `/accounts/${account_id}/sync`, { resources: [resource], start: '2026-11-01' });
    await app.advance(1);
  };

  /** What app, operators and the export show, which is what upstream shows. */
  async function shown(): Promise<{ samples: number; sum: number; devices: (string | null)[] }> {
    expect((await compareWithTruth(app, { account_id, user_id }, resource)).differing).toBe(0);
    const operators = (
      await app.admin<{ data: Shown[] }>('GET', `/accounts/${account_id}/records/${resource}?limit=500`)
    ).body.data;
    const own = (await app.as<{ data: Shown[] }>(account_id, 'GET', `/me/records/${resource}?limit=500`)).body.data;
    const lines = (await app.admin<string>('GET', `/accounts/${account_id}/export`, undefined, 'reader')).body;
    const exported = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: Shown & { resource: string } })
      .flatMap(({ type, data }) => (type === 'record' && data.resource === resource ? [data] : []));
    const form = (rows: readonly Shown[]) =>
      rows.map(({ time, value, source }) => `${time} ${value} ${source.device_id}`).sort();
    expect(form(own)).toEqual(form(operators));
    expect(form(exported)).toEqual(form(operators));
    return {
      samples: operators.length,
      sum: operators.reduce((sum, { value }) => sum + value, 0),
      devices: [...new Set(operators.map(({ source }) => source.device_id))],
    };
  }

  const sum = 24 * 100 + (23 * 24) / 2;

  it.each([
    ['events', true],
    ['pulls', false],
  ])('are never counted twice by %s [timeseries#siblings]', async (_, notify) => {
    for (const device of [first, null, second]) {
      await named([device], notify);
      if (notify) await app.settle();
      else await pulled();
      expect(await shown()).toEqual({ samples: 24, sum, devices: [device] });
    }
  });

  it.each([
    ['events', true],
    ['pulls', false],
  ])('are siblings while upstream shows both, delivered by %s', async (_, notify) => {
    await named([first, second], notify);
    if (notify) await app.settle();
    else await pulled();
    expect(await shown()).toMatchObject({ samples: 48 });
    await named([null], notify);
    if (notify) await app.settle();
    else await pulled();
    expect(await shown()).toEqual({ samples: 24, sum, devices: [null] });
  });
});
