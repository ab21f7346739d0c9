import { TestApp } from '../../support/test-app.js';
import { json, type Answer as Scripted, ScriptedServer, text } from '../../upstream/client/support/scripted-server.js';

const canonical = { mode: 'canonical', query: 'a1c' };
const crosswalk = { mode: 'crosswalk', query: 'a1c' };
const entry = { loinc_set_hash: 'h', display_name: 'A1c', popularity_score: 97.3, confidence: 0.9 };
const lists = {
  aliases: [],
  loinc_codes: [],
  provider_ids: [],
  loinc_components: [],
  loinc_groups: [],
  cpt_codes: [],
};
const hit = json(200, { mode: 'canonical', selected_canonical: entry, canonical_candidates: [entry] });
const miss = json(200, { mode: 'canonical', selected_canonical: null });

let upstream: ScriptedServer;
let app: TestApp;

async function open(): Promise<void> {
  upstream = await ScriptedServer.start();
  app = await TestApp.create({ upstream });
  upstream.answer(hit);
}

async function close(): Promise<void> {
  await app.close();
  await upstream.close();
}

const search = (body: unknown = canonical) => app.as('cust-1', 'POST', '/labs/compendium/search', body);

describe('one of many compendium searches', () => {
  beforeAll(open);

  /** No answer is kept for an hour, and no circuit stays open. */
  beforeEach(async () => {
    await app.wait(3_600);
    upstream.answer(hit);
  });

  afterAll(close);

  it('returns every list, and keeps unknown values and fields [compendium#candidates-of-labs] [compendium#canonical-entries] [environments#open-lists]', async () => {
    const candidate = {
      marker_id: 7,
      lab_id: 1,
      name: 'A1C',
      relation: 'cousin',
      confidence: 1,
      brand_new: { a: [1] },
    };
    upstream.answer(
      json(200, {
        mode: 'a_new_mode',
        selected_canonical: { ...entry, brand_new: 1 },
        per_lab: { a_new_lab: [candidate], quest: null },
        related: [{ canonical: entry, relation: 'cousin', confidence: 0.4, brand_new: 2 }],
      }),
    );
    const { status, headers, body } = await search(crosswalk);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      mode: 'a_new_mode',
      selected_canonical: { ...entry, ...lists, brand_new: 1 },
      canonical_candidates: [],
      per_lab: {
        a_new_lab: [
          {
            ...candidate,
            lab_slug: null,
            provider_id: null,
            result_names: [],
            loinc_codes: [],
            loinc_components: [],
            loinc_groups: [],
            cpt_codes: [],
            reason_codes: [],
          },
        ],
        quest: [],
      },
      related: [
        { canonical: { ...entry, ...lists }, relation: 'cousin', confidence: 0.4, reason_codes: [], brand_new: 2 },
      ],
    });
  });

  it.each<[object, object]>([
    [canonical, { ...canonical, include_related: true, limit: 3 }],
    [
      { ...canonical, query: ' a1c ', limit: 10, cpt_codes: ['83036'], labs: null, loinc_set_hash: null },
      { ...canonical, cpt_codes: ['83036'], include_related: true, limit: 10 },
    ],
    [
      { mode: 'crosswalk', loinc_set_hash: 'h', labs: ['quest', 'a_new_lab'], include_related: false, limit: 20 },
      { mode: 'crosswalk', loinc_set_hash: 'h', labs: ['quest', 'a_new_lab'], include_related: false, limit: 20 },
    ],
  ])('requested as %j is sent as %j [compendium#search]', async (asked, sent) => {
    expect((await search(asked)).status).toBe(200);
    expect(upstream.sent).toEqual(sent);
  });

  it.each<[string, Scripted, number, string]>([
    [
      '422',
      json(422, { detail: [{ loc: ['body', 'labs', 1], msg: 'm', type: 't' }] }),
      422,
      'upstream_invalid_request',
    ],
    ['404', json(404, { detail: 'no' }), 502, 'upstream_rejected'],
    ['403', json(403, { detail: 'closed beta' }), 502, 'upstream_rejected'],
    ['429', json(429, { detail: 'slow' }), 503, 'upstream_throttled'],
    ['500', text(500, 'Internal Server Error'), 503, 'upstream_unavailable'],
    ['200 without a mode', json(200, { selected_canonical: null }), 502, 'upstream_contract'],
  ])(
    'returns a clear problem for a %s, and calls upstream again the next time [compendium#search]',
    async (_, answer, status, code) => {
      upstream.answer(answer);
      expect(await search()).toMatchObject({ status, body: { code } });
      upstream.answer(hit);
      expect((await search()).status).toBe(200);
    },
  );
});

describe('a compendium search', () => {
  beforeEach(open);

  afterEach(close);

  it('is answered from the cache for ten minutes, for every caller', async () => {
    const first = await search();
    await app.wait(599);
    const again = await app.admin(
      'POST',
      '/labs/compendium/search',
      { ...canonical, query: 'a1c ', limit: 3 },
      'viewer',
    );
    expect([again.body, upstream.received.length]).toEqual([first.body, 1]);
    await app.wait(1);
    await search();
    expect(upstream.received.length).toBe(2);
  });

  it('goes to upstream again after a minute if nothing was found', async () => {
    upstream.answer(miss);
    await search();
    await app.wait(59);
    await search();
    expect(upstream.received.length).toBe(1);
    await app.wait(1);
    await search();
    expect(upstream.received.length).toBe(2);
  });

  it('is a different search with any other input', async () => {
    const others = [
      canonical,
      crosswalk,
      { ...canonical, query: 'A1c' },
      { ...canonical, limit: 4 },
      { ...canonical, include_related: false },
      { ...crosswalk, labs: ['quest'] },
      { ...crosswalk, labs: ['labcorp'] },
      { ...crosswalk, cpt_codes: ['1'] },
      { mode: 'crosswalk', loinc_set_hash: 'a1c' },
    ];
    for (const other of others) await search(other);
    expect(upstream.received.length).toBe(others.length);
  });

  it('is counted, and never logged', async () => {
    await search({ ...canonical, query: 'canary-query' });
    await search({ ...canonical, query: 'canary-query' });
    upstream.answer(miss);
    await search({ ...canonical, query: 'canary-nothing' });
    const figures = await app.figures();
    for (const line of [
      'labs_answers_total{search="compendium",use="miss"} 2',
      'labs_answers_total{search="compendium",use="hit"} 1',
      'labs_calls_total{search="compendium",outcome="found"} 1',
      'labs_calls_total{search="compendium",outcome="nothing"} 1',
    ]) {
      expect(figures).toContain(line);
    }
    expect(figures + app.logs.join('')).not.toMatch(/canary/i);
  });
});

describe('a compendium search that breaks a rule,', () => {
  beforeAll(open);

  afterAll(close);

  it.each<[object, string, RegExp]>([
    [{ query: 'a1c' }, 'mode', /must be the name of a mode/],
    [{ ...canonical, mode: 'no mode' }, 'mode', /must be the name of a mode/],
    [{ mode: 'canonical' }, 'query', /required when mode is canonical/],
    [{ ...canonical, query: '' }, 'query', /must not be blank/],
    [{ ...canonical, query: 7 }, 'query', /must be a string/],
    [{ ...canonical, query: 'x'.repeat(501) }, 'query', /500/],
    [{ ...canonical, loinc_set_hash: 'h' }, 'loinc_set_hash', /not allowed when mode is canonical/],
    [{ ...canonical, limit: 11 }, 'limit', /from 1 to 10 when mode is canonical/],
    [{ ...canonical, limit: 0 }, 'limit', /from 1 to 10/],
    [{ ...canonical, limit: 2.5 }, 'limit', /whole number/],
    [{ ...canonical, limit: '3' }, 'limit', /whole number/],
    [{ mode: 'crosswalk' }, 'query', /exactly one of query and loinc_set_hash/],
    [{ ...crosswalk, loinc_set_hash: 'h' }, 'query', /exactly one of query and loinc_set_hash/],
    [{ ...crosswalk, limit: 21 }, 'limit', /from 1 to 20 when mode is crosswalk/],
    [{ mode: 'crosswalk', loinc_set_hash: '' }, 'loinc_set_hash', /1 to 256 characters/],
    [{ ...crosswalk, labs: [] }, 'labs', /at least 1/],
    [{ ...crosswalk, labs: 'quest' }, 'labs', /must be an array/],
    [{ ...crosswalk, labs: ['Quest Diagnostics'] }, 'labs', /slug of a lab/],
    [{ ...crosswalk, cpt_codes: [83036] }, 'cpt_codes', /must be a string/],
    [{ ...crosswalk, cpt_codes: '83036' }, 'cpt_codes', /must be an array/],
    [{ ...crosswalk, include_related: 'no' }, 'include_related', /boolean/],
    [{ ...crosswalk, lab: 'quest' }, 'lab', /unknown/],
  ])('as %j is refused by its %s before upstream is asked [compendium#search]', async (asked, field, rule) => {
    for (const { status, body } of [
      await search(asked),
      await app.admin('POST', '/labs/compendium/search', asked, 'viewer'),
    ]) {
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.errors).toContainEqual({ field, message: expect.stringMatching(rule) });
    }
    expect(upstream.received.length).toBe(0);
  });

  it('reports all faults together [compendium#search]', async () => {
    const { body } = await search({ mode: 'canonical', loinc_set_hash: 'h', limit: 11 });
    expect(body.errors.map(({ field }) => field)).toEqual(['query', 'loinc_set_hash', 'limit']);
  });
});
