import { TestApp } from '../../support/test-app.js';
import { ScriptedServer } from '../../upstream/client/support/scripted-server.js';
import { at, found, near, nothing, slot } from './support/slots.js';

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

  describe('asked again', () => {
    const stale = { ...near, allow_stale: true };

    it.each([near, { ...near, allow_stale: false }])(
      'as %j goes to upstream again, and is never cached',
      async (asked) => {
        await search(asked);
        await search(asked);
        expect(upstream.received.length).toBe(2);
      },
    );

    it('is answered from the cache for a minute for every caller that allows stale responses [appointments#stale-availability]', async () => {
      const first = await search(stale);
      await app.wait(59.999);
      const again = await app.admin('POST', '/labs/availability', { ...stale, radius: 25, start_date: null }, 'viewer');
      expect([again.body, again.headers['cache-control'], upstream.received.length]).toEqual([
        first.body,
        'no-store',
        1,
      ]);
      await app.wait(0.001);
      await search(stale);
      expect(upstream.received.length).toBe(2);
    });

    it('is never answered with a slot that has expired', async () => {
      upstream.answer(found(slot, { ...slot, expires_at: at(20) }, { ...slot, expires_at: at(40) }));
      await search(stale);
      await app.wait(19.999);
      await search(stale);
      expect(upstream.received.length).toBe(1);
      await app.wait(0.001);
      upstream.answer(found(slot));
      expect((await search(stale)).body).toMatchObject({ slots: [{ slots: [{ booking_key: 'key-1' }] }] });
      expect(upstream.received.length).toBe(2);
    });

    it('goes to upstream again if upstream itself sent an expired slot, which then cannot be booked', async () => {
      upstream.answer(found({ ...slot, expires_at: at(-1) }));
      expect((await search(stale)).body).toMatchObject({ slots: [{ slots: [{ bookable: false }] }] });
      await search(stale);
      expect(upstream.received.length).toBe(2);
    });

    it('goes to upstream again sooner if nothing was found', async () => {
      upstream.answer(nothing);
      await search(stale);
      await app.wait(14.999);
      await search(stale);
      expect(upstream.received.length).toBe(1);
      await app.wait(0.001);
      await search(stale);
      expect(upstream.received.length).toBe(2);
    });

    it('is a different search with any other input', async () => {
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

    it('is not cached beyond the requested day', async () => {
      app.clock.set(Date.parse('2026-11-20T10:59:59.500Z'));
      const yesterday = { ...near, start_date: '2026-11-19' };
      expect((await search(yesterday)).status).toBe(200);
      await app.wait(1);
      expect((await search(yesterday)).status).toBe(400);
    });
  });
});
