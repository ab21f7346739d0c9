import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';
import { json, type Answer as Scripted, ScriptedServer, text } from '../../upstream/client/support/scripted-server.js';
import { found, near, nothing, site, slot } from './support/slots.js';

let upstream: ScriptedServer;
let app: TestApp;

async function open(): Promise<void> {
  upstream = await ScriptedServer.start();
  app = await TestApp.create({ upstream });
  upstream.answer(found(slot));
}

async function close(): Promise<void> {
  await app.close();
  await upstream.close();
}

const search = (body: unknown = near) => app.as('cust-1', 'POST', '/labs/availability', body);

describe('one of many searches for appointments', () => {
  beforeAll(open);

  /** No answer is kept for an hour, and no circuit stays open. */
  beforeEach(async () => {
    await app.wait(3_600);
    upstream.answer(found(slot));
  });

  afterAll(close);

  it('keeps nulls of upstream and unknown values [appointments#answer-of-availability]', async () => {
    const day = { location: { code: 'X', lab: 'a_new_lab', radius: '75' }, date: '2026-11-21', slots: [slot] };
    upstream.answer(json(200, { slots: [day, { ...day, location: null }], timezone: null }));
    expect((await search()).body).toMatchObject({
      slots: [{ location: { code: 'X', lab: 'a_new_lab', radius: '75', distance: null } }, { location: null }],
      timezone: null,
    });
  });

  it('returns no slots, and no error, if upstream has none [appointments#errors-of-availability-and-booking]', async () => {
    upstream.answer(nothing);
    expect(await search()).toMatchObject({ status: 200, body: { slots: [], timezone: null } });
  });

  it.each([
    [near, { radius: '25' }],
    [{ ...near, radius: 50 }, { radius: '50' }],
    [{ ...near, radius: '100' }, { radius: '100' }],
    [{ ...near, radius: 30 }, { radius: '30' }],
    [{ ...near, radius: 'statewide' }, { radius: 'statewide' }],
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
    'returns a clear problem for a %s, and calls upstream again the next time [appointments#availability]',
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
});

describe('a search for appointments', () => {
  beforeEach(open);

  afterEach(close);

  it('returns all data of upstream, with our form of times and whether a slot can be booked [appointments#answer-of-availability]', async () => {
    upstream.answer(found({ ...slot, brand_new: [1] }, { ...slot, booking_key: null, expires_at: null }));
    const { status, headers, body } = await search();
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    const ours = { ...slot, start: '2026-11-21T13:00:00.000Z', end: '2026-11-21T13:15:00.000Z', bookable: true };
    expect(body).toEqual({
      slots: [
        {
          location: { ...site, address: { ...site.address, access_notes: null } },
          date: '2026-11-21',
          slots: [
            { ...ours, expires_at: '2026-11-20T12:15:00.000Z', brand_new: [1] },
            { ...ours, booking_key: null, expires_at: null, bookable: false },
          ],
        },
      ],
      timezone: 'America/New_York',
    });
  });

  it('accepts the current day of any time zone of the United States', async () => {
    app.clock.set(Date.parse('2026-11-20T10:30:00Z'));
    expect((await search({ ...near, start_date: '2026-11-19' })).status).toBe(200);
    await app.wait(30 * 60);
    expect((await search({ ...near, start_date: '2026-11-19' })).status).toBe(400);
  });

  it('is one call for simultaneous requests, even if it fails', async () => {
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
      // Each of the two callers gets four of the 16 places.
      const asking = Array.from({ length: 8 }, (_, index) =>
        index % 2 === 0 ? search() : app.admin('POST', '/labs/availability', near, 'viewer'),
      );
      await until(() => shared(count));
      release();
      return (await Promise.all(asking)).map(({ status }) => status);
    };

    upstream.answer(held(json(400, { detail: 'no' })));
    expect(new Set(await allAtOnce(7))).toEqual(new Set([422]));
    expect(upstream.received.length).toBe(1);
    upstream.answer(held(found(slot)));
    expect(new Set(await allAtOnce(14))).toEqual(new Set([200]));
    expect(upstream.received.length).toBe(2);
  });

  it('is counted, and never logged', async () => {
    const canary = { lab: 'quest', site_codes: ['CANARY-SITE'], allow_stale: true };
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
    expect(told).not.toMatch(/canary|\b9876[345]\b|key-1/i);
  });
});
