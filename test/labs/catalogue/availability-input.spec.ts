import { TestApp } from '../../support/test-app.js';
import { json, type Answer as Scripted, ScriptedServer, text } from '../../upstream/client/support/scripted-server.js';
import { found, near, slot } from './support/slots.js';

describe('the place of the inputs of a search for appointments', () => {
  const wrongPlace = (place: string) =>
    json(422, { detail: [{ loc: [place, 'lab'], msg: 'Field required', type: 'missing' }] });
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

  const search = (to = app) => to.as('cust-1', 'POST', '/labs/availability', near);
  const places = () =>
    upstream.received.map(({ url, body }) => (body === '' && url.includes('?lab=') ? 'query' : 'body'));
  const changes = () => app.logs.filter((line) => line.includes('labs.availability_input_changed')).length;

  it('is the query once a 422 shows that upstream reads it [appointments#where-inputs-go]', async () => {
    upstream.answer(wrongPlace('query'), found(slot));
    expect((await search()).status).toBe(200);
    expect((await search()).status).toBe(200);
    expect(places()).toEqual(['body', 'query', 'query']);
    expect(changes()).toBe(1);
  });

  it('is the body again once a 422 shows that [appointments#where-inputs-go]', async () => {
    upstream.answer(wrongPlace('query'), found(slot), wrongPlace('body'), found(slot));
    for (let turn = 0; turn < 3; turn++) expect((await search()).status).toBe(200);
    expect(places()).toEqual(['body', 'query', 'query', 'body', 'body']);
    expect(changes()).toBe(2);
  });

  it('is found by each process separately', async () => {
    upstream.answer(wrongPlace('query'), found(slot), wrongPlace('query'), found(slot));
    expect((await search()).status).toBe(200);
    expect((await search(await app.another())).status).toBe(200);
    expect(places()).toEqual(['body', 'query', 'body', 'query']);
  });

  it.each<[string, Scripted]>([
    ['of a value', json(422, { detail: [{ loc: ['query', 'radius'], msg: 'x', type: 'x' }] })],
    ['in words', json(400, { detail: 'no such site' })],
  ])('is the query after a refusal %s there as well', async (_, refusal) => {
    upstream.answer(wrongPlace('query'), refusal, found(slot));
    expect((await search()).status).toBe(422);
    expect((await search()).status).toBe(200);
    expect(places()).toEqual(['body', 'query', 'query']);
  });

  it.each<[string, Scripted[], number]>([
    ['upstream points to and fro', [wrongPlace('query'), wrongPlace('body')], 422],
    ['upstream fails in the other place', [wrongPlace('query'), text(500, 'no')], 503],
    [
      'only some of what is refused was looked for elsewhere',
      [json(422, { detail: [{ loc: ['query', 'lab'] }, { loc: ['body', 'radius'] }] })],
      422,
    ],
    ['the refusal is about the place that was used', [wrongPlace('body')], 422],
  ])('stays the body when %s', async (_, answers, status) => {
    upstream.answer(...answers);
    expect((await search()).status).toBe(status);
    upstream.answer(found(slot));
    await search();
    expect(places().at(-1)).toBe('body');
    expect(changes()).toBe(0);
  });

  it.each(['body', 'query'])('is the %s alone when it is configured', async (place) => {
    const fixed = await app.another({ env: { UPSTREAM_AVAILABILITY_INPUT: place } });
    upstream.answer(wrongPlace(place === 'body' ? 'query' : 'body'));
    expect((await search(fixed)).status).toBe(422);
    expect(places()).toEqual([place]);
  });
});

describe('a search for appointments that breaks a rule,', () => {
  let upstream: ScriptedServer;
  let app: TestApp;

  beforeAll(async () => {
    upstream = await ScriptedServer.start();
    app = await TestApp.create({ upstream });
  });

  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  const search = (body: unknown) => app.as('cust-1', 'POST', '/labs/availability', body);

  it.each<[object, string, RegExp]>([
    [{ zip_code: '10001' }, 'lab', /must be one of quest, sonora_quest/],
    [{ ...near, lab: 'labcorp' }, 'lab', /must be one of quest, sonora_quest/],
    [{ ...near, lab: ['quest'] }, 'lab', /must be one of/],
    [{ lab: 'quest' }, 'zip_code', /one of zip_code and site_codes is required/],
    [{ lab: 'quest', zip_code: null, site_codes: null }, 'zip_code', /is required/],
    [{ ...near, site_codes: ['A'] }, 'zip_code', /cannot be combined/],
    [{ ...near, zip_code: '1001' }, 'zip_code', /five digits/],
    [{ ...near, zip_code: '10001-1234' }, 'zip_code', /five digits/],
    [{ ...near, zip_code: '10001\n' }, 'zip_code', /five digits/],
    [{ ...near, zip_code: '１０００１' }, 'zip_code', /five digits/],
    [{ ...near, zip_code: 10001 }, 'zip_code', /five digits/],
    [{ ...near, zip_code: '' }, 'zip_code', /five digits/],
    [{ lab: 'quest', site_codes: [] }, 'site_codes', /at least 1/],
    [{ lab: 'quest', site_codes: ['A', 'B', 'C', 'D'] }, 'site_codes', /no more than 3/],
    [{ lab: 'quest', site_codes: ['A', 'A'] }, 'site_codes', /unique/],
    [{ lab: 'quest', site_codes: [''] }, 'site_codes', /1 to 64 characters/],
    [{ lab: 'quest', site_codes: [1] }, 'site_codes', /1 to 64 characters/],
    [{ lab: 'quest', site_codes: 'A' }, 'site_codes', /must be an array/],
    [{ ...near, radius: '25 miles' }, 'radius', /1 to 32 characters/],
    [{ ...near, radius: true }, 'radius', /1 to 32 characters/],
    [{ ...near, start_date: '2026-11-19' }, 'start_date', /must not be in the past/],
    [{ ...near, start_date: '2026-02-30' }, 'start_date', /YYYY-MM-DD/],
    [{ ...near, start_date: '2026-11-21T00:00:00Z' }, 'start_date', /YYYY-MM-DD/],
    [{ ...near, start_date: '' }, 'start_date', /YYYY-MM-DD/],
    [{ ...near, allow_stale: 'true' }, 'allow_stale', /boolean/],
    [{ ...near, allow_stale: 1 }, 'allow_stale', /boolean/],
    [{ ...near, account_id: 'cust-2' }, 'account_id', /unknown/],
  ])('as %j is refused by its %s before upstream is asked [appointments#availability]', async (asked, field, rule) => {
    for (const { status, body } of [
      await search(asked),
      await app.admin('POST', '/labs/availability', asked, 'viewer'),
    ]) {
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.errors).toContainEqual({ field, message: expect.stringMatching(rule) });
    }
    expect(upstream.received.length).toBe(0);
  });

  it.each([null, []])('refuses %j for a body', async (body) => {
    expect((await search(body)).status).toBe(400);
    expect(upstream.received.length).toBe(0);
  });
});

describe('a search for appointments with its inputs in the query', () => {
  let upstream: ScriptedServer;
  let app: TestApp;

  beforeEach(async () => {
    upstream = await ScriptedServer.start();
    app = await TestApp.create({ upstream, env: { UPSTREAM_AVAILABILITY_INPUT: 'query' } });
    upstream.answer(found(slot));
  });

  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  it('sends them there and nothing in the body [appointments#where-inputs-go]', async () => {
    const asked = { ...near, radius: 10, start_date: '2026-11-21', allow_stale: true };
    expect((await app.as('cust-1', 'POST', '/labs/availability', asked)).status).toBe(200);
    const { method, url, body } = upstream.last;
    const { pathname, searchParams } = new URL(url, 'http://upstream');
    expect([method, pathname, body]).toEqual(['POST', '/v3/order/psc/appointment/availability', '']);
    expect(Object.fromEntries(searchParams)).toEqual({
      lab: 'quest',
      zip_code: '10001',
      radius: '10',
      start_date: '2026-11-21',
      allow_stale: 'true',
    });
  });

  it('repeats the key for each site', async () => {
    await app.as('cust-1', 'POST', '/labs/availability', { lab: 'quest', site_codes: ['A', 'B&C'] });
    const { searchParams } = new URL(upstream.last.url, 'http://upstream');
    expect(searchParams.getAll('site_codes')).toEqual(['A', 'B&C']);
  });
});
