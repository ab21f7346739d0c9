import type { Sandbox } from '../../../sandbox/server.js';
import { TestApp } from '../../support/test-app.js';
import { json, ScriptedServer } from '../../upstream/client/support/scripted-server.js';

interface List {
  data: { id: string; name: string | null; lab: { slug: string } | null; markers: unknown[] }[];
  next_cursor: string | null;
  unreadable: number;
}

const unknownId = '00000000-0000-4000-8000-00000000dead';

describe('lab tests to order', () => {
  let app: TestApp;
  let sandbox: Sandbox;

  beforeEach(async () => {
    app = await TestApp.create();
    sandbox = app.sandbox;
  });

  afterEach(() => app.close());

  const list = (query = '', role: 'viewer' | 'backend' = 'viewer') =>
    app.admin<List>('GET', `/labs/tests${query}`, undefined, role);

  it('are listed as in upstream, for viewers and the backend [orders#lab-tests]', async () => {
    const { lab_tests } = await sandbox.control.labTests();
    for (const role of ['viewer', 'backend'] as const) {
      const { status, body } = await list('', role);
      expect(status).toBe(200);
      expect(body).toMatchObject({ next_cursor: null, unreadable: 0 });
      // `is_active` is of upstream and in no list of ours.
      expect(body.data).toEqual(lab_tests);
      expect(body.data[0]).toHaveProperty('is_active', true);
    }
  });

  it('are listed page by page, each once', async () => {
    const { lab_tests } = await sandbox.control.labTests();
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: List } = await list(`?limit=4${cursor === null ? '' : `&cursor=${cursor}`}`);
      ids.push(...body.data.map(({ id }) => id));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(ids).toEqual(lab_tests.map(({ id }) => id));
    expect(await app.callsTo('GET /v3/lab_test')).toBe(2);
  });

  it('are shown one by one, at any position in the list', async () => {
    const { lab_tests } = await sandbox.control.labTests();
    const last = lab_tests.at(-1);
    const { status, body } = await app.admin('GET', `/labs/tests/${last?.id.toUpperCase()}`, undefined, 'viewer');
    expect([status, body]).toEqual([200, last]);
    expect(await app.admin('GET', `/labs/tests/${unknownId}`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('that cannot be read are skipped and counted, and the rest is listed', async () => {
    await sandbox.control.configure({ malformed_items: true });
    const { lab_tests } = await sandbox.control.labTests();
    const { status, body } = await list();
    expect([status, body.data.length, body.unreadable]).toEqual([200, lab_tests.length, 1]);
  });

  it('can be ordered by their id, and are read again after a minute', async () => {
    const { body } = await list();
    await list();
    expect(await app.callsTo('GET /v3/lab_test')).toBe(1);
    await app.wait(60);
    await list();
    expect(await app.callsTo('GET /v3/lab_test')).toBe(2);
    expect(body.data.find(({ lab }) => lab?.slug === 'quest')?.markers).not.toEqual([]);
  });

  it('are refused with a foreign cursor', async () => {
    for (const cursor of ['nonsense', Buffer.from('["not of upstream"]').toString('base64url')]) {
      expect(await list(`?cursor=${cursor}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
  });

  it('are a clear problem while upstream is down, and work once it is back', async () => {
    await sandbox.control.fault({ kind: 'plain_text_500', path: '/v3/lab_test' });
    expect(await list()).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    await sandbox.control.clearFaults();
    expect((await list()).status).toBe(200);
  });
});

describe('an upstream with odd pages of lab tests', () => {
  let upstream: ScriptedServer;
  let app: TestApp;

  beforeEach(async () => {
    upstream = await ScriptedServer.start();
    app = await TestApp.create({ upstream });
  });

  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  it('gets null for a missing or malformed field, and its items are kept [environments#open-lists]', async () => {
    upstream.answer(json(200, { data: [{ id: 'a', price: 'free', lab: 'quest', brand_new: [1] }, 7, null, {}] }));
    const { body } = await app.admin<List>('GET', '/labs/tests');
    const nothing = { slug: null, name: null, sample_type: null, method: null, status: null, fasting: null };
    expect(body).toEqual({
      data: [
        {
          id: 'a',
          ...nothing,
          price: null,
          lab: null,
          markers: [],
          common_tat_days: null,
          worst_case_tat_days: null,
          brand_new: [1],
        },
      ],
      next_cursor: null,
      unreadable: 3,
    });
  });

  it('whose markers have several pages, or are a plain list, are read completely [orders#questions]', async () => {
    const markersOf = async () =>
      (await app.admin<List>('GET', `/labs/tests/${unknownId}/markers`)).body.data.map(({ id }) => id);
    const page = (id: number, of: number) => json(200, { markers: [{ id, name: null }, { name: 'no id' }], pages: of });
    upstream.answer(page(1, 3), page(2, 3), page(3, 3));
    expect(await markersOf()).toEqual([1, 2, 3]);
    await app.wait(60);
    upstream.answer(json(200, [{ id: 7 }]));
    expect(await markersOf()).toEqual([7]);
  });

  it('whose markers never end breaks the contract, and causes no endless walk', async () => {
    upstream.answer(...Array.from({ length: 30 }, (_, n) => json(200, { markers: [{ id: n }], pages: 1_000 })));
    expect(await app.admin('GET', `/labs/tests/${unknownId}/markers`)).toMatchObject({
      status: 502,
      body: { code: 'upstream_contract' },
    });
    expect(upstream.received.length).toBeLessThan(25);
  });

  it('that returns another test than the one asked for breaks the contract', async () => {
    upstream.answer(json(200, { id: 'another' }));
    expect(await app.admin('GET', `/labs/tests/${unknownId}`)).toMatchObject({
      status: 502,
      body: { code: 'upstream_contract' },
    });
  });
});
