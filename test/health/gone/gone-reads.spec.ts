import { RecordsReader } from '../../../src/health/reads/records.reader.js';
import { at, first, GoneWorld, iso, resource } from './support/gone-world.js';

interface Row {
  readonly time: string;
  readonly value: number;
  readonly gone?: { readonly reason: string; readonly gone_between: string[]; readonly task_ids: number[] };
}

interface Listed {
  readonly data: Row[];
  readonly next_cursor: string | null;
}

let world: GoneWorld;

beforeEach(async () => {
  world = await GoneWorld.create({ env: { DELETION_CONFIRM_HOURS: '0' } });
  await world.put([0, 1, 2, 3]);
  await world.remove([1, 2]);
  await world.look();
});
afterEach(() => world.close());

function list(query: string) {
  return world.app.admin<Listed>('GET', `/accounts/person/records/${resource}?${query}`, undefined, 'reader');
}

describe('a record that is gone', () => {
  it('is shown to operators on request, with its reason, its time and both looks', async () => {
    expect((await list('')).body.data.map(({ value }) => value)).toEqual([1, 4]);
    const { body } = await list('include=gone');
    expect(body.data.map(({ value }) => value)).toEqual([1, 2, 3, 4]);
    const [stored, gone] = body.data;
    expect(stored).not.toHaveProperty('gone');
    const [row] = await world.missing();
    const lastSeen = iso(Math.floor((row?.seen_by ?? 0) / 64));
    expect(gone?.gone).toEqual({
      reason: 'gone',
      gone_between: [lastSeen, iso(row?.missed_at ?? 0)],
      task_ids: [row?.missed_by, row?.confirmed_by],
    });
    expect(Date.parse(lastSeen)).toBeLessThan(row?.missed_at ?? 0);
    expect(row?.confirmed_by).toBeGreaterThan(row?.missed_by ?? 0);
  });

  it('is listed once over all pages', async () => {
    const values: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: { body: Listed } = await list(`include=gone&limit=1${cursor && `&cursor=${cursor}`}`);
      values.push(...body.data.map(({ value }) => value));
      cursor = body.next_cursor;
    }
    expect(values).toEqual([1, 2, 3, 4]);
  });

  it.each(['before', 'after'])('is listed once also if it goes just %s the stored records are read', async (when) => {
    await world.remove([3]);
    const reader = world.app.get(RecordsReader);
    const read = reader.list.bind(reader);
    jest.spyOn(reader, 'list').mockImplementationOnce(async (query) => {
      const early = when === 'after' ? await read(query) : null;
      await world.look();
      return early ?? read(query);
    });
    expect((await list('include=gone')).body.data.map(({ value }) => value)).toEqual([1, 2, 3, 4]);
    expect(await world.missing()).toHaveLength(3);
  });

  it('can be filtered by time and provider only', async () => {
    const range = `start=${iso(at(1))}&end=${iso(at(2))}&provider=oura`;
    expect((await list(`include=gone&${range}`)).body.data.map(({ value }) => value)).toEqual([2]);
    expect((await list('include=gone&provider=garmin')).body.data).toEqual([]);
    expect(await list('include=gone&source_type=ring')).toMatchObject({ status: 400 });
    expect(await list('include=all')).toMatchObject({ status: 400 });
  });

  it('is never shown to the app, and is in the export', async () => {
    expect((await world.app.as('person', 'GET', `/me/records/${resource}?include=gone`)).status).toBe(400);
    const { body } = await world.app.admin<string>('GET', '/accounts/person/export', undefined, 'reader');
    const lines = body.split('\n').filter((line) => line.startsWith('{"type":"missing_record"'));
    expect(lines).toHaveLength(2);
    expect(lines.join()).toContain('"state":"gone"');
    expect(lines.join()).toContain('"value":2');
  });

  it('is named by explain', async () => {
    const day = iso(first).slice(0, 10);
    await world.remove([0, 3]);
    await world.look();
    interface Explained {
      readonly reason: string;
      readonly conclusion: string;
      readonly evidence: { kind: string; finding: string; ref: { type: string; id: string } | null }[];
    }
    const { body } = await world.app.admin<Explained>(
      'GET',
      `/accounts/person/explain?resource=${resource}&day=${day}`,
    );
    expect(body.reason).toBe('gone_upstream');
    expect(body.conclusion).toMatch(/^4 mindfulness minutes records of oura were stored for \S+, but complete pulls/);
    const [last] = (await world.missing()).slice(-1);
    const coverage = await world.app.admin<{ data: { runs: object[] }[] }>(
      'GET',
      `/accounts/person/coverage?resource=${resource}&first_day=${day}&last_day=${day}`,
    );
    expect(coverage.body.data[0]?.runs).toMatchObject([{ records: 0, gone: 4 }]);
    expect(body.evidence).toContainEqual(
      expect.objectContaining({
        kind: 'records',
        finding: expect.stringMatching(
          new RegExp(
            `^4 records of the day are hidden because the complete pulls ${last?.missed_by} .* and ${last?.confirmed_by} .*did not return them\\.$`,
          ),
        ),
        ref: { type: 'task', id: String(last?.confirmed_by) },
      }),
    );
  });

  it('is in the timeline, once for each look that hid records', async () => {
    const { body } = await world.app.admin<{ data: object[] }>('GET', '/accounts/person/timeline?kind=records_gone');
    const [row] = await world.missing();
    expect(body.data).toEqual([
      {
        at: expect.any(String),
        kind: 'records_gone',
        title: expect.stringMatching(
          /^\w.*: \d+ records? hidden because two complete pulls no longer returned them\.$/,
        ),
        ref: { type: 'sync_task', id: String(row?.confirmed_by) },
        details: { resource, provider: 'oura', reason: 'gone', records: 2, first_missed_by: String(row?.missed_by) },
      },
    ]);
  });

  it('leaves nothing behind when the person is erased', async () => {
    await world.app.admin('DELETE', '/accounts/person');
    await world.app.settle();
    expect(await world.missing()).toEqual([]);
  });
});
