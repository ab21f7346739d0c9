import { SECOND, START } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { json, type Answer as Scripted, ScriptedServer, text } from '../upstream/support/scripted-server.js';

/** A time of upstream, so many seconds after the test began. */
function at(seconds: number): string {
  return new Date(START + seconds * SECOND).toISOString().replace('.000Z', '+00:00');
}

const near = { lab: 'quest', zip_code: '10001' };
const slot = {
  booking_key: 'key-1',
  start: at(90_000),
  end: at(90_900),
  expires_at: at(900),
  price: 12.5,
  is_priority: true,
  num_appointments_available: 2,
};
const site = {
  location: { lng: -73.9, lat: 40.7 },
  distance: 3,
  address: { first_line: '1 Main', second_line: null, city: 'NYC', state: 'NY', zip_code: '10001', unit: null },
  code: 'QNY1',
  name: 'Center',
  iana_timezone: 'America/New_York',
};

function found(...slots: object[]): Scripted {
  return json(200, { slots: [{ location: site, date: '2026-11-21', slots }], timezone: 'America/New_York' });
}

const nothing = json(404, { detail: 'none' });

describe('a search for appointments', () => {
  let upstream: ScriptedServer;
  let app: TestApp;

  beforeEach(async () => {
    upstream = await ScriptedServer.start();
    app = await TestApp.create({ upstream });
    upstream.answer(found(slot));
  });

  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  const search = (body: unknown = near) => app.as('cust-1', 'POST', '/labs/availability', body);

  it('answers all that upstream tells, with times as ours and whether a slot can be booked [appointments#answer-of-availability]', async () => {
    upstream.answer(found(slot, { ...slot, booking_key: null, expires_at: null }));
    const { status, headers, body } = await search();
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    const ours = { ...slot, start: '2026-11-21T13:00:00.000Z', end: '2026-11-21T13:15:00.000Z', bookable: true };
    expect(body).toEqual({
      slots: [
        {
          location: { ...site, address: { ...site.address, access_notes: null } },
          date: '2026-11-21',
          slots: [
            { ...ours, expires_at: '2026-11-20T12:15:00.000Z' },
            { ...ours, booking_key: null, expires_at: null, bookable: false },
          ],
        },
      ],
      timezone: 'America/New_York',
    });
  });

  it('keeps what upstream does not know, and words that are new [appointments#answer-of-availability]', async () => {
    const day = { location: { code: 'X', lab: 'a_new_lab', radius: '75' }, date: '2026-11-21', slots: [slot] };
    upstream.answer(json(200, { slots: [day, { ...day, location: null }], timezone: null }));
    expect((await search()).body).toMatchObject({
      slots: [{ location: { code: 'X', lab: 'a_new_lab', radius: '75', distance: null } }, { location: null }],
      timezone: null,
    });
  });

  it('is no slots, and no error, where upstream has none [appointments#errors-of-availability-and-booking]', async () => {
    upstream.answer(nothing);
    expect(await search()).toMatchObject({ status: 200, body: { slots: [], timezone: null } });
  });

  it.each([
    [near, { radius: '25' }],
    [{ ...near, radius: 50 }, { radius: '50' }],
    [{ ...near, radius: '100' }, { radius: '100' }],
    [{ ...near, radius: null, start_date: null, allow_stale: null, site_codes: null }, { radius: '25' }],
    [
      { ...near, allow_stale: true, start_date: '2026-12-24' },
      { allow_stale: true, start_date: '2026-12-24' },
    ],
    [{ ...near, allow_stale: false }, { allow_stale: false }],
    [{ ...near, lab: 'sonora_quest' }, { lab: 'sonora_quest' }],
  ])('sends %j with %j [appointments#stale-availability]', async (asked, sent) => {
    expect((await search(asked)).status).toBe(200);
    expect(upstream.sent).toEqual({ lab: 'quest', zip_code: '10001', radius: '25', ...sent });
  });

  it('sends up to three sites [appointments#availability]', async () => {
    expect((await search({ lab: 'quest', site_codes: ['A', 'B', 'C'] })).status).toBe(200);
    expect(upstream.sent).toEqual({ lab: 'quest', site_codes: ['A', 'B', 'C'], radius: '25' });
  });

  it.each<[string, Scripted, number, string]>([
    ['400 in words', json(400, { detail: 'no such site' }), 422, 'upstream_invalid_request'],
    ['400 of a proxy', text(400, '<html>no</html>', { 'content-type': 'text/html' }), 502, 'upstream_rejected'],
    ['401', json(401, { detail: 'key' }), 502, 'upstream_rejected'],
    ['403', json(403, { detail: 'team' }), 502, 'upstream_rejected'],
    ['404 of a proxy', text(404, 'nothing here'), 502, 'upstream_rejected'],
    ['429', json(429, { detail: 'slow' }, { 'retry-after': '2' }), 503, 'upstream_throttled'],
    ['500 in plain text', text(500, 'Internal Server Error'), 503, 'upstream_unavailable'],
    ['503', json(503, { detail: 'not enabled' }), 503, 'upstream_unavailable'],
    ['200 without slots', json(200, { timezone: null }), 502, 'upstream_contract'],
    ['200 that is no JSON', text(200, 'ok'), 502, 'upstream_contract'],
  ])(
    'makes a clear problem of a %s, and asks again the next time [appointments#availability]',
    async (_, answer, status, code) => {
      upstream.answer(answer);
      expect(await search()).toMatchObject({ status, body: { code } });
      upstream.answer(found(slot));
      expect((await search()).status).toBe(200);
    },
  );

  it('names the fields that upstream refuses', async () => {
    const refused = [
      { loc: ['body', 'site_codes', 0], msg: 'canary-text', type: 'x' },
      { loc: ['query', 'radius'], msg: 'canary-text', type: 'x' },
      { loc: ['body'], msg: 'canary-text', type: 'x' },
    ];
    upstream.answer(json(422, { detail: refused }));
    const { status, body } = await search();
    expect([status, body.code]).toEqual([422, 'upstream_invalid_request']);
    expect(body.errors.map(({ field }) => field)).toEqual(['site_codes[0]', 'radius']);
    expect(JSON.stringify(body)).not.toContain('canary');
  });

  it('takes for today what is today anywhere in the United States', async () => {
    app.clock.set(Date.parse('2026-11-20T10:30:00Z'));
    expect((await search({ ...near, start_date: '2026-11-19' })).status).toBe(200);
    await app.wait(30 * 60);
    expect((await search({ ...near, start_date: '2026-11-19' })).status).toBe(400);
  });

  describe('asked again', () => {
    it('is answered without upstream for a minute, whoever asks', async () => {
      const first = await search();
      await app.wait(59.999);
      const again = await app.admin('POST', '/labs/availability', { ...near, radius: 25, start_date: null }, 'viewer');
      expect([again.body, again.headers['cache-control'], upstream.received.length]).toEqual([
        first.body,
        'no-store',
        1,
      ]);
      await app.wait(0.001);
      await search();
      expect(upstream.received.length).toBe(2);
    });

    it('is never answered with a slot that has expired', async () => {
      upstream.answer(found(slot, { ...slot, expires_at: at(20) }, { ...slot, expires_at: at(40) }));
      await search();
      await app.wait(19.999);
      await search();
      expect(upstream.received.length).toBe(1);
      await app.wait(0.001);
      upstream.answer(found(slot));
      expect((await search()).body).toMatchObject({ slots: [{ slots: [{ booking_key: 'key-1' }] }] });
      expect(upstream.received.length).toBe(2);
    });

    it('is asked anew where upstream itself sent a slot that has expired, which then cannot be booked', async () => {
      upstream.answer(found({ ...slot, expires_at: at(-1) }));
      expect((await search()).body).toMatchObject({ slots: [{ slots: [{ bookable: false }] }] });
      await search();
      expect(upstream.received.length).toBe(2);
    });

    it('is asked anew sooner where there was nothing', async () => {
      upstream.answer(nothing);
      await search();
      await app.wait(14.999);
      await search();
      expect(upstream.received.length).toBe(1);
      await app.wait(0.001);
      await search();
      expect(upstream.received.length).toBe(2);
    });

    it('is another question with any other input', async () => {
      const others = [
        near,
        { ...near, allow_stale: true },
        { ...near, allow_stale: false },
        { ...near, radius: 50 },
        { ...near, zip_code: '10002' },
        { ...near, lab: 'sonora_quest' },
        { ...near, start_date: '2026-11-20' },
        { ...near, start_date: '2026-11-21' },
        { lab: 'quest', site_codes: ['A'] },
        { lab: 'quest', site_codes: ['A', 'B'] },
        { lab: 'quest', site_codes: ['A,B'] },
      ];
      for (const other of others) await search(other);
      expect(upstream.received.length).toBe(others.length);
    });

    it('does not outlive the day it asks for', async () => {
      app.clock.set(Date.parse('2026-11-20T10:59:59.500Z'));
      const yesterday = { ...near, start_date: '2026-11-19' };
      expect((await search(yesterday)).status).toBe(200);
      await app.wait(1);
      expect((await search(yesterday)).status).toBe(400);
    });
  });

  it('is one call while many ask at once, the failed one included', async () => {
    let release = (): void => undefined;
    const held = (answer: Scripted): Scripted => {
      const gate = new Promise<void>((resolve) => (release = resolve));
      return async (response, request) => {
        await gate;
        await answer(response, request);
      };
    };
    const shared = async (count: number): Promise<boolean> =>
      (await app.figures()).includes(`pulsekeep_labs_answers_total{search="availability",use="shared"} ${count}`);
    const allAtOnce = async (count: number): Promise<number[]> => {
      const asking = Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0 ? search() : app.admin('POST', '/labs/availability', near, 'viewer'),
      );
      await until(() => shared(count));
      release();
      return (await Promise.all(asking)).map(({ status }) => status);
    };

    upstream.answer(held(json(400, { detail: 'no' })));
    expect(new Set(await allAtOnce(9))).toEqual(new Set([422]));
    expect(upstream.received.length).toBe(1);
    upstream.answer(held(found(slot)));
    expect(new Set(await allAtOnce(18))).toEqual(new Set([200]));
    expect(upstream.received.length).toBe(2);
  });

  it('is counted, and never told', async () => {
    const canary = { lab: 'quest', site_codes: ['CANARY-SITE'] };
    await search(canary);
    await search(canary);
    upstream.answer(nothing);
    await search({ lab: 'quest', zip_code: '98765' });
    upstream.answer(json(400, { detail: 'canary-text' }));
    await search({ lab: 'quest', zip_code: '98764' });
    upstream.answer(json(403, { detail: 'canary-text' }));
    await search({ lab: 'quest', zip_code: '98763' });
    const figures = await app.figures();
    for (const line of [
      'labs_answers_total{search="availability",use="miss"} 4',
      'labs_answers_total{search="availability",use="hit"} 1',
      'labs_calls_total{search="availability",outcome="found"} 1',
      'labs_calls_total{search="availability",outcome="nothing"} 1',
      'labs_calls_total{search="availability",outcome="input_refused"} 1',
      'labs_calls_total{search="availability",outcome="rejected"} 1',
    ]) {
      expect(figures).toContain(line);
    }
    const told = figures + app.logs.join('');
    expect(told).toContain('labs.searched');
    expect(told).not.toMatch(/canary|9876\d|key-1/i);
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
    [{ ...near, site_codes: ['A'] }, 'zip_code', /exclude each other/],
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
    [{ ...near, radius: 30 }, 'radius', /must be one of 10, 20, 25, 50, 100/],
    [{ ...near, radius: '25.0' }, 'radius', /must be one of/],
    [{ ...near, radius: true }, 'radius', /must be one of/],
    [{ ...near, start_date: '2026-11-19' }, 'start_date', /must not be in the past/],
    [{ ...near, start_date: '2026-02-30' }, 'start_date', /YYYY-MM-DD/],
    [{ ...near, start_date: '2026-11-21T00:00:00Z' }, 'start_date', /YYYY-MM-DD/],
    [{ ...near, start_date: '' }, 'start_date', /YYYY-MM-DD/],
    [{ ...near, allow_stale: 'true' }, 'allow_stale', /boolean/],
    [{ ...near, allow_stale: 1 }, 'allow_stale', /boolean/],
    [{ ...near, account_id: 'cust-2' }, 'account_id', /not known here/],
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
