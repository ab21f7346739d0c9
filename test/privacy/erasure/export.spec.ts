import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { AdminConfig } from '../../../src/platform/config/config.js';
import { Clock } from '../../../src/platform/platform/clock.js';
import { Log } from '../../../src/platform/platform/log.js';
import { Metrics } from '../../../src/platform/platform/metrics.js';
import { ExportReader } from '../../../src/privacy/erasure/export.reader.js';
import { ExportService } from '../../../src/privacy/erasure/export.service.js';
import { PersonalDataMap } from '../../../src/privacy/erasure/personal-data-map.js';
import type { SqlInput } from '../../../src/storage/database/dialect.js';
import { Reader } from '../../../src/storage/database/reader.js';
import { newAccountId } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';
import { declarations, Filling } from './support/filling.js';

const mark = { text: 'MARKED-OF-THE-PERSON', number: 48_151.5 };
const otherMark = { text: 'MARKED-OF-ANOTHER', number: 31_415.5 };

interface Line {
  type: string;
  data: Record<string, unknown>;
}

/** The reader of the application, which says how many rows it was asked for. */
class CountingReader extends Reader {
  count = 0;

  constructor(private readonly inner: Reader) {
    super();
  }

  get dialect(): Reader['dialect'] {
    return this.inner.dialect;
  }

  async rows<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    return this.counted(await this.inner.rows<T>(sql, parameters));
  }

  override async few<T>(sql: string, parameters: readonly SqlInput[] = []): Promise<T[]> {
    return this.counted(await this.inner.few<T>(sql, parameters));
  }

  private counted<T>(rows: T[]): T[] {
    this.count += rows.length;
    return rows;
  }
}

describe('an export', () => {
  let pulsekeep: TestApp;
  let account: string;
  let ref: number;

  beforeEach(async () => {
    pulsekeep = await TestApp.create();
    account = newAccountId();
    await pulsekeep.as(account, 'POST', '/me/sign-in-token', {});
    ref = await refOf(account);
  });

  afterEach(() => pulsekeep.close());

  const refOf = async (id: string): Promise<number> => {
    const sql = 'SELECT id FROM accounts WHERE account_id = ?';
    return Number((await pulsekeep.store.reader.row<{ id: number }>(sql, [id]))?.id);
  };
  const exported = async (): Promise<string[]> => {
    const answer = await pulsekeep.admin<string>('GET', `/accounts/${account}/export`, undefined, 'reader');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    return answer.body.trimEnd().split('\n');
  };
  const countOf = (lines: readonly Line[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { type } of lines) counts[type] = (counts[type] ?? 0) + 1;
    return counts;
  };

  it('has a line for all stored data of the person, and nothing of others', async () => {
    const { store } = pulsekeep.pulsekeep;
    const other = newAccountId();
    await pulsekeep.as(other, 'POST', '/me/sign-in-token', {});
    await new Filling(store, await refOf(other), otherMark).fill(3);
    const filled = await new Filling(store, ref, mark).fill(3, { samples: 450, messages: 250, sync_tasks: 410 });
    const lines = await exported();
    expect(lines.join('')).not.toContain(otherMark.text);
    const [header, ...rest] = lines.map((line) => JSON.parse(line) as Line);
    const footer = rest.pop() as unknown as { type: string; counts: Record<string, number> };
    expect(header).toMatchObject({ type: 'header', account_id: account, exported_at: '2026-11-20T12:00:00.000Z' });
    expect(footer.type).toBe('footer');
    expect(countOf(rest)).toEqual(footer.counts);
    expect(footer.counts).toMatchObject({ account: 1, message: 250, sync_task: 410 });
    expect(footer.counts['record']).toBe(Number(filled['samples']) + Number(filled['summaries']));
    for (const { table, exported: rows } of declarations.personal) {
      if (typeof rows === 'string') continue;
      expect([table, Number(footer.counts[rows.as]) >= Number(filled[table])]).toEqual([table, true]);
    }
    expect(footer.counts['access']).toBeGreaterThan(0);
    const internal = /"(lease_owner|lease_until|account_id)":/;
    expect(rest.filter((line) => internal.test(JSON.stringify(line.data)) && line.type !== 'account')).toEqual([]);
  });

  it('shows records like the list of records, and has the bodies of messages', async () => {
    await pulsekeep.connect(account, 'oura', { days: 2, per_day: 4 });
    await pulsekeep.advance(900, 5);
    const user = (await pulsekeep.sandbox.control.truthUsers()).users[0]?.user_id ?? '';
    const point = { timestamp: '2026-11-20T08:00:00+00:00', value: 61 };
    await pulsekeep.sandbox.control.put({
      user_id: user,
      provider: 'oura',
      resource: 'heartrate',
      points: [point],
      notify: true,
    });
    await pulsekeep.settle();
    const lines = (await exported()).map((line) => JSON.parse(line) as Line);
    const records = lines.filter(({ type }) => type === 'record').map(({ data }) => data);
    for (const resource of ['sleep', 'mindfulness_minutes', 'blood_pressure', 'heartrate']) {
      const { body } = await pulsekeep.admin<{ data: Record<string, unknown>[] }>(
        'GET',
        `/accounts/${account}/records/${resource}?limit=500`,
      );
      expect(body.data.length).toBeGreaterThan(0);
      const bare = ({ provenance: _, ...record }: Record<string, unknown>): string => JSON.stringify(record);
      const own = records.filter((record) => record['resource'] === resource);
      expect(own.map(bare).sort()).toEqual(body.data.map(bare).sort());
      expect(own[0]).toMatchObject({ provenance: { observed_at: expect.any(String) } });
    }
    const message = lines
      .filter(({ type }) => type === 'message')
      .find(({ data }) => String(data['body']).includes('heartrate'));
    expect(JSON.parse(String(message?.data['body']))).toMatchObject({ event_type: 'daily.data.heartrate.created' });
    const connection = lines.find(({ type }) => type === 'connection');
    expect(connection?.data).toMatchObject({
      provider: 'oura',
      status: 'connected',
      observed_at: expect.stringMatching(/Z$/),
    });
  });

  it('is for readers, of existing accounts that are not being erased', async () => {
    expect((await pulsekeep.admin('GET', `/accounts/${account}/export`, undefined, 'viewer')).status).toBe(403);
    expect((await pulsekeep.admin('GET', `/accounts/${newAccountId()}/export`)).status).toBe(404);
    await pulsekeep.sandbox.control.fault({ kind: 'status', status: 503, method: 'DELETE', path: '/v2/user' });
    await pulsekeep.admin('DELETE', `/accounts/${account}`);
    expect((await pulsekeep.admin('GET', `/accounts/${account}/export`)).body).toMatchObject({
      code: 'account_erased',
    });
  });

  const opened = async (reader: Reader): Promise<Readable> => {
    const { app } = pulsekeep.pulsekeep;
    const get = <T>(type: abstract new (...args: never[]) => T): T => app.get(type);
    const exports = new ExportReader(reader, get(PersonalDataMap), declarations);
    return new ExportService(get(AccountsService), exports, get(Clock), get(Log), get(Metrics)).open(
      account,
      (lines) => lines,
      async () => undefined,
    );
  };

  it('reads no further ahead of a slow reader than its buffer allows', async () => {
    const { store } = pulsekeep.pulsekeep;
    await new Filling(store, ref, mark).fill(1, { samples: 8_000 });
    const reader = new CountingReader(store.reader);
    const stream = await opened(reader);
    let taken = 0;
    let furthest = 0;
    for await (const chunk of stream) {
      taken += String(chunk).split('\n').length - 1;
      for (let turns = 0; turns < 5; turns++) await turn();
      furthest = Math.max(furthest, reader.count - taken);
    }
    expect(taken).toBeGreaterThan(8_000);
    expect(furthest).toBeLessThan(1_500);
  });

  it('has no footer after a failure, and the connection is cut', async () => {
    const { store } = pulsekeep.pulsekeep;
    await new Filling(store, ref, mark).fill(2, { samples: 3_000 });
    await store.lane.run((tx) => tx.execute('ALTER TABLE link_attempts RENAME TO link_attempts_gone'));
    const response = await fetch(`${pulsekeep.url}/admin/v1/accounts/${account}/export`, {
      headers: { authorization: 'Bearer reader-key' },
    });
    expect(response.status).toBe(200);
    let received = '';
    const decoder = new TextDecoder();
    const reading = async (): Promise<void> => {
      for await (const chunk of response.body ?? []) received += decoder.decode(chunk as Uint8Array);
    };
    await expect(reading()).rejects.toThrow();
    expect(received).toContain('"type":"header"');
    expect(received).not.toContain('"type":"footer"');
    await store.lane.run((tx) => tx.execute('ALTER TABLE link_attempts_gone RENAME TO link_attempts'));
    expect(pulsekeep.logs.some((line) => line.includes('export.failed'))).toBe(true);
  });

  it('ends without a footer once the key of the caller is revoked', async () => {
    await new Filling(pulsekeep.store, ref, mark).fill(2, { samples: 3_000 });
    const { keys } = pulsekeep.get(AdminConfig);
    const given = keys.current;
    const reader = pulsekeep.get(ExportReader);
    const pages = reader.pages.bind(reader);
    let read = 0;
    reader.pages = async function* (accountId) {
      for await (const page of pages(accountId)) {
        read += 1;
        yield page;
        keys.replace(given.filter(({ name }) => name !== 'reader'));
      }
    };
    const response = await fetch(`${pulsekeep.url}/admin/v1/accounts/${account}/export`, {
      headers: { authorization: 'Bearer reader-key' },
    });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    keys.replace(given);
    expect(read).toBe(2);
    expect(pulsekeep.logs.some((line) => line.includes('"event":"export.ended","account_ref"'))).toBe(true);
  });

  it('stops reading once the caller hangs up', async () => {
    const { store } = pulsekeep.pulsekeep;
    await new Filling(store, ref, mark).fill(1, { samples: 20_000 });
    const call = request(`${pulsekeep.url}/admin/v1/accounts/${account}/export`, {
      headers: { authorization: 'Bearer reader-key' },
    });
    call.end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    call.destroy();
    const ended = (): string | undefined => pulsekeep.logs.find((line) => line.includes('export.ended'));
    await until(async () => ended() !== undefined);
    expect(ended()).toContain('"outcome":"cut"');
    expect(Number(/"count":(\d+)/.exec(ended() ?? '')?.[1])).toBeLessThan(20_000);
  });
});
