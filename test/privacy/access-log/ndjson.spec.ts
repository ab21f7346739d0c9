import { AdminKey } from '../../../src/platform/config/admin-key.js';
import { AdminConfig } from '../../../src/platform/config/config.js';
import type { AccessEntryDto } from '../../../src/privacy/access-log/access-log.dto.js';
import { AccessLogRepository } from '../../../src/privacy/access-log/access-log.repository.js';
import { AccessLog } from '../../../src/privacy/access-log/access-log.service.js';
import { hashOf } from '../../../src/privacy/access-log/chain.js';
import { adminKeys, newAccountId, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { access } from './support/access.js';

const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text));

describe('the access log as lines of JSON', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({ upstream: { url: nowhere } });
    await Promise.all(
      Array.from({ length: 700 }, (_, n) => app.get(AccessLog).record(access({ actor: n % 2 ? 'odd' : 'even' }))),
    );
  });

  afterEach(() => app.close());

  const fetched = (query = '', accept = 'application/x-ndjson', role: keyof typeof adminKeys = 'operator') =>
    fetch(`${app.url}/admin/v1/access-log${query}`, {
      headers: { authorization: `Bearer ${adminKeys[role]}`, accept, 'accept-encoding': 'identity' },
    });
  const linesOf = (text: string): AccessEntryDto[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as AccessEntryDto);

  it('are all entries in the order of the chain, which anyone can recompute', async () => {
    const answer = await fetched('', 'text/plain, application/x-ndjson;q=0.9');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const entries = linesOf(await answer.text());
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 700 }, (_, index) => index + 1));
    let previous = '0'.repeat(64);
    for (const { account_id: _, at, window_start, window_end, ...entry } of entries) {
      expect(entry.previous_hash).toBe(previous);
      const times = { at: Date.parse(at), window_start: timeOf(window_start), window_end: timeOf(window_end) };
      expect(hashOf({ ...entry, ...times })).toBe(entry.hash);
      previous = entry.hash;
    }
    expect(app.logs.join('')).toContain('"event":"access_log.streamed","outcome":"whole","count":700');
  });

  it('are filtered and recorded like the list, and for operators alone', async () => {
    expect(linesOf(await (await fetched('?actor=odd')).text())).toHaveLength(350);
    const { body } = await app.admin<{ data: AccessEntryDto[] }>('GET', '/access-log?limit=1');
    expect(body.data[0]).toMatchObject({ actor: 'operator', action: 'GET /admin/v1/access-log', status: 200 });
    expect((await fetched(`?account_id=${newAccountId()}`)).status).toBe(404);
    expect((await fetched('', 'application/x-ndjson', 'reader')).status).toBe(403);
  });

  it('have no pages', async () => {
    for (const query of ['?limit=5', '?cursor=x']) expect((await fetched(query)).status).toBe(400);
    expect(await (await fetched('?limit=1', '*/*')).json()).toMatchObject({ next_cursor: expect.any(String) });
  });

  it.each([
    ['is revoked', (): AdminKey[] => []],
    ['has another role', (key: AdminKey): AdminKey[] => [new AdminKey(key.name, 'viewer', key.sha256)]],
  ])('end once the key of the caller %s', async (_, changed) => {
    const { keys } = app.get(AdminConfig);
    const given = keys.current;
    const repository = app.get(AccessLogRepository);
    const ascending = repository.ascending.bind(repository);
    let slices = 0;
    repository.ascending = (...asked) => {
      slices += 1;
      keys.replace(given.flatMap((key) => (key.name === 'operator' ? changed(key) : [key])));
      return ascending(...asked);
    };
    const answer = await fetched();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    keys.replace(given);
    expect(slices).toBe(1);
    expect(app.logs.join('')).toContain('"event":"access_log.streamed","outcome":"cut","count":100');
  });

  it('end with an error at an unreadable entry', async () => {
    const repository = app.get(AccessLogRepository);
    const ascending = repository.ascending.bind(repository);
    repository.ascending = (filter, after, until, limit) =>
      after > 0 ? Promise.reject(new Error('planned')) : ascending(filter, after, until, limit);
    const answer = await fetched();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    expect(app.logs.join('')).toContain('"event":"access_log.streamed","outcome":"cut"');
  });
});
