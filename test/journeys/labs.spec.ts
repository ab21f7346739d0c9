import { MINUTE, newAccountId } from '../support/environment.js';
import type { Answer } from '../support/http.js';
import { TestApp } from '../support/test-app.js';

interface Appointments {
  slots: {
    location: { code: string; distance: number | null; iana_timezone: string | null } | null;
    date: string;
    slots: { booking_key: string | null; bookable: boolean; start: string; expires_at: string | null }[];
  }[];
  timezone: string | null;
}

interface Compendium {
  mode: string;
  selected_canonical: { loinc_set_hash: string; display_name: string; loinc_codes: string[] } | null;
  canonical_candidates: unknown[];
  per_lab: Record<string, { relation: string; lab_slug: string | null; loinc_codes: string[] }[]>;
  related: unknown[];
}

const upstreamAvailability = '/v3/order/psc/appointment/availability';
const upstreamCompendium = '/v3/compendium/search';
const near = { lab: 'quest', zip_code: '10001' };
const byName = { mode: 'canonical', query: 'a1c' };

describe.each(['app', 'operator'] as const)('labs, for the %s,', (caller) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create();
  });

  /** As long as any search is remembered. */
  beforeEach(() => app.wait(600));

  afterEach(async () => {
    const { control } = app.sandbox;
    await control.configure({ scheduling: true, lean_labs: false });
    await control.clearFaults();
    await control.clearCalls();
  });

  afterAll(() => app.close());

  const ask = <T = Record<string, unknown>>(path: string, body: unknown): Promise<Answer<T>> =>
    caller === 'app'
      ? app.as<T>(newAccountId(), 'POST', `/labs/${path}`, body)
      : app.admin<T>('POST', `/labs/${path}`, body, 'viewer');
  const appointments = (body: unknown = near) => ask<Appointments>('availability', body);
  const compendium = (body: unknown = byName) => ask<Compendium>('compendium/search', body);
  const calls = async (path: string): Promise<number> => (await app.sandbox.control.calls({ path })).calls.length;

  it('offer appointments that can be booked [appointments#availability]', async () => {
    const { status, body } = await appointments();
    expect(status).toBe(200);
    expect(body.timezone).toBe('America/New_York');
    expect(body.slots.map(({ location, date }) => [location?.code, date])).toEqual(
      ['QNY1', 'QNY2'].flatMap((code) => ['2026-11-21', '2026-11-22', '2026-11-23'].map((date) => [code, date])),
    );
    expect(body.slots[0]?.location).toMatchObject({ distance: 3, iana_timezone: 'America/New_York' });
    expect(body.slots[0]?.slots.map(({ bookable }) => bookable)).toEqual([true, true, true, false]);
    expect(body.slots[0]?.slots[0]).toMatchObject({
      start: '2026-11-21T13:00:00.000Z',
      expires_at: new Date(app.clock.now() + 15 * MINUTE).toISOString(),
      num_appointments_available: 1,
    });
  });

  it('call upstream once a minute if stale responses are allowed, and otherwise each time [appointments#stale-availability]', async () => {
    const first = await appointments({ ...near, allow_stale: true });
    const before = await calls(upstreamAvailability);
    await appointments({ ...near, allow_stale: true });
    expect(await calls(upstreamAvailability)).toBe(before);
    await app.advance(60);
    const stale = await appointments({ ...near, allow_stale: true });
    expect(stale.body).toEqual(first.body);
    const live = await appointments({ ...near, allow_stale: false });
    const expires_at = new Date(app.clock.now() + 15 * MINUTE).toISOString();
    expect(live.body.slots[0]?.slots[0]).toMatchObject({ expires_at });
    await appointments({ ...near, allow_stale: false });
    expect(await calls(upstreamAvailability)).toBe(before + 3);
  });

  it('offer nothing if there is nothing', async () => {
    const { status, body } = await appointments({ ...near, zip_code: '99999' });
    expect([status, body]).toEqual([200, { slots: [], timezone: null }]);
  });

  it('refuse an invalid search for appointments before upstream is called', async () => {
    for (const wrong of [{ lab: 'quest' }, { ...near, lab: 'labcorp' }, { ...near, start_date: '2026-11-19' }]) {
      expect(await appointments(wrong)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
    expect(await calls(upstreamAvailability)).toBe(0);
  });

  it('report that a site is unknown to upstream', async () => {
    const { status, body } = await ask('availability', { lab: 'quest', site_codes: ['NONE'] });
    expect([status, body['code']]).toEqual([422, 'upstream_invalid_request']);
    expect(body['detail']).toContain('a site may be unknown or inactive');
  });

  it('report that scheduling is not available, and find slots once it is', async () => {
    await app.sandbox.control.configure({ scheduling: false });
    expect(await appointments()).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    await app.sandbox.control.configure({ scheduling: true });
    expect((await appointments()).status).toBe(200);
  });

  it('show missing values of upstream as null, and such slots as not bookable [appointments#answer-of-availability]', async () => {
    await app.sandbox.control.configure({ lean_labs: true });
    const { status, body } = await appointments();
    expect([status, body.timezone, body.slots[0]?.location]).toEqual([200, null, null]);
    expect(body.slots[0]?.slots[0]).toMatchObject({ booking_key: null, expires_at: null, bookable: false });
  });

  it('find tests by name, with the name at each lab [compendium#search]', async () => {
    const named = await compendium();
    expect(named).toMatchObject({ status: 200, body: { mode: 'canonical', per_lab: {}, related: [] } });
    expect(named.body.selected_canonical).toMatchObject({ display_name: 'Hemoglobin A1c', loinc_codes: ['4548-4'] });
    const loinc_set_hash = named.body.selected_canonical?.loinc_set_hash;
    const crossed = await compendium({ mode: 'crosswalk', loinc_set_hash, labs: ['quest', 'labcorp'] });
    expect(Object.keys(crossed.body.per_lab).sort()).toEqual(['labcorp', 'quest']);
    expect(crossed.body.per_lab['quest']?.[0]).toMatchObject({ relation: 'exact', lab_slug: 'quest' });
    expect(crossed.body.related).toHaveLength(2);
    const alone = await compendium({ mode: 'crosswalk', loinc_set_hash, include_related: false });
    expect([Object.keys(alone.body.per_lab).length, alone.body.related]).toEqual([4, []]);
  });

  it('find nothing if there is nothing [compendium#answer-of-a-search]', async () => {
    const { status, body } = await compendium({ ...byName, query: 'no such test' });
    expect([status, body.selected_canonical, body.canonical_candidates]).toEqual([200, null, []]);
  });

  it('cache a search for ten minutes', async () => {
    await compendium();
    await app.advance(599);
    await compendium();
    expect(await calls(upstreamCompendium)).toBe(1);
    await app.advance(1);
    await compendium();
    expect(await calls(upstreamCompendium)).toBe(2);
  });

  it('fill in optional lists and keep unknown values [compendium#answer-of-a-search]', async () => {
    await app.sandbox.control.configure({ lean_labs: true });
    const { body } = await compendium({ mode: 'crosswalk', query: 'a1c' });
    expect(body.selected_canonical).toMatchObject({ loinc_codes: [] });
    expect(body).toMatchObject({ canonical_candidates: [], related: [] });
    expect(body.per_lab).toMatchObject({ unheard_lab: [{ relation: 'unheard_of', loinc_codes: [] }] });
  });

  it('refuse an invalid compendium search before upstream is called', async () => {
    for (const wrong of [{ mode: 'canonical' }, { ...byName, limit: 11 }, { ...byName, mode: 'no mode' }]) {
      expect(await compendium(wrong)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
    expect(await calls(upstreamCompendium)).toBe(0);
  });

  it("pass on an unknown mode and radius to upstream, with upstream's own refusal [environments#open-lists]", async () => {
    const unknownMode = await compendium({ ...byName, mode: 'fuzzy' });
    expect(unknownMode).toMatchObject({ status: 422, body: { code: 'upstream_invalid_request' } });
    expect(unknownMode.body).toMatchObject({ errors: [{ field: 'mode' }] });
    const unknownRadius = await appointments({ ...near, radius: 30 });
    expect(unknownRadius.body).toMatchObject({ code: 'upstream_invalid_request', errors: [{ field: 'radius' }] });
  });

  it('report which lab upstream does not know', async () => {
    const { status, body } = await ask('compendium/search', {
      ...byName,
      mode: 'crosswalk',
      labs: ['quest', 'nobody'],
    });
    expect(status).toBe(422);
    expect(body['code']).toBe('upstream_invalid_request');
    expect(body['errors']).toContainEqual(expect.objectContaining({ field: 'labs[1]' }));
  });

  it('report that upstream is down, and search again once it is back', async () => {
    await app.sandbox.control.fault({ kind: 'plain_text_500', path: upstreamCompendium });
    expect(await compendium()).toMatchObject({ status: 503, body: { code: 'upstream_unavailable' } });
    await app.sandbox.control.clearFaults();
    expect((await compendium()).status).toBe(200);
  });
});

describe('labs', () => {
  let app: TestApp;

  afterEach(() => app.close());

  it.each(['body', 'query'] as const)(
    'search for appointments with the inputs in the %s [appointments#where-inputs-go]',
    async (place) => {
      app = await TestApp.create({ env: { UPSTREAM_AVAILABILITY_INPUT: place } });
      await app.sandbox.control.configure({ availability_input: place });
      const byZip = await app.admin<Appointments>('POST', '/labs/availability', { ...near, radius: 10 }, 'viewer');
      const bySite = { lab: 'quest', site_codes: ['QNY1', 'QNY2'], start_date: '2026-11-20', allow_stale: true };
      const atSites = await app.admin<Appointments>('POST', '/labs/availability', bySite, 'viewer');
      expect(atSites.body).toEqual(byZip.body);
      expect(byZip.body.slots).toHaveLength(6);
      const { calls } = await app.sandbox.control.calls({ path: upstreamAvailability });
      const keys = place === 'query' ? ['lab', 'radius', 'zip_code'] : [];
      expect([...(calls[0]?.query_keys ?? [])].sort()).toEqual(keys);
    },
  );

  it('refuse callers without credentials', async () => {
    app = await TestApp.create();
    for (const path of ['availability', 'compendium/search']) {
      for (const scope of ['/v1', '/admin/v1']) {
        expect((await app.call('POST', `${scope}/labs/${path}`, undefined, near)).status).toBe(401);
      }
    }
  });
});
