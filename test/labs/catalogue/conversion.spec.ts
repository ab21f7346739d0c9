import { TestApp } from '../../support/test-app.js';

interface Conversion {
  target_lab_slug: string;
  source_provider_ids: string[];
  converted_provider_ids: string[];
  unresolved_provider_ids: string[];
  by_source_provider_id: Record<string, { candidates: { lab_slug: string | null; reason_codes: string[] }[] }>;
  source_lab_test_id: string | null;
}

let app: TestApp;

beforeEach(async () => {
  app = await TestApp.create();
});

afterEach(() => app.close());

const asApp = (body: unknown) => app.as<Conversion>('cust-1', 'POST', '/labs/compendium/convert', body);
const asBackend = (body: unknown) => app.admin<Conversion>('POST', '/labs/compendium/convert', body, 'backend');

describe('the conversion of tests to another lab', () => {
  it('shows the offer of the lab for each test, and the tests without one [compendium#convert]', async () => {
    const { lab_tests } = await app.sandbox.control.labTests();
    const test = lab_tests.find(({ slug }) => slug === 'lipid-panel');
    const asked = { lab_test_id: test?.id, target_lab: 'labcorp' };
    const { status, headers, body } = await asApp(asked);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toMatchObject({ target_lab_slug: 'labcorp', source_lab_test_id: test?.id });
    expect(body.source_provider_ids).toEqual(['120295', '011817', '001172']);
    expect(body.unresolved_provider_ids).toEqual(['011817', '001172']);
    expect(body.by_source_provider_id['120295']?.candidates).toMatchObject([{ lab_slug: 'labcorp' }]);
    expect(body.by_source_provider_id['011817']?.candidates).toEqual([]);
    expect((await asBackend(asked)).body).toEqual(body);
    expect(await app.callsTo('POST /v3/compendium/convert')).toBe(1);
  });

  it('accepts ids of tests, and caches for ten minutes, or one if nothing was found', async () => {
    const found = { provider_ids: ['120295'], target_lab: 'quest', limit: 1 };
    const nothing = { provider_ids: ['none'], target_lab: 'quest' };
    expect((await asApp(found)).body.converted_provider_ids).toHaveLength(1);
    expect((await asApp(nothing)).body.unresolved_provider_ids).toEqual(['none']);
    await app.wait(60);
    await asApp(found);
    await asApp(nothing);
    expect(await app.callsTo('POST /v3/compendium/convert')).toBe(3);
  });

  it.each([
    [{ target_lab: 'quest' }, 'lab_test_id'],
    [{ provider_ids: ['1'], lab_test_id: '00000000-0000-4000-8000-00000000dead', target_lab: 'quest' }, 'lab_test_id'],
    [{ provider_ids: ['1'] }, 'target_lab'],
    [{ provider_ids: [], target_lab: 'quest' }, 'provider_ids'],
    [{ lab_test_id: 'x', target_lab: 'quest' }, 'lab_test_id'],
    [{ provider_ids: ['1'], target_lab: 'quest', limit: 0 }, 'limit'],
    [{ provider_ids: ['1'], target_lab: 'quest', query: 'a' }, 'query'],
  ])('of %j is refused by %s before upstream is asked', async (body, field) => {
    const answer = await asApp(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ errors: expect.arrayContaining([expect.objectContaining({ field })]) });
    expect(await app.callsTo('POST /v3/compendium/convert')).toBe(0);
  });

  it('reports that upstream knows no such test or lab', async () => {
    const unknown = { lab_test_id: '00000000-0000-4000-8000-00000000dead', target_lab: 'quest' };
    const noLab = { provider_ids: ['120295'], target_lab: 'nowhere' };
    for (const body of [unknown, noLab]) {
      expect(await asApp(body)).toMatchObject({ status: 422, body: { code: 'upstream_invalid_request' } });
    }
  });

  it('is a clear problem while upstream is down, and works once it is back', async () => {
    const asked = { provider_ids: ['120295'], target_lab: 'quest' };
    await app.sandbox.control.fault({ kind: 'plain_text_500', path: '/v3/compendium/convert' });
    expect(await asApp(asked)).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    await app.sandbox.control.clearFaults();
    expect((await asApp(asked)).status).toBe(200);
  });
});
