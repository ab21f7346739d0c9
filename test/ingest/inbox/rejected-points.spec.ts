import type { CoverageStreamDto } from '../../../src/operations/explain/coverage.dto.js';
import type { ExplanationDto } from '../../../src/operations/explain/explain.dto.js';
import type { Page } from '../../../src/platform/platform/paging.js';
import { HOUR_MS } from '../../../src/platform/platform/time.js';
import { CleanerWorker } from '../../../src/storage/work/cleaner.worker.js';
import { TestApp } from '../../support/test-app.js';
import { countOf, deliver, messagesOf, processed } from './support/deliveries.js';
import { event, sleep, type User, uuid } from './support/events.js';

const DAY = '2026-11-19';

describe('points that cannot be stored', () => {
  let app: TestApp;
  let user: User;

  beforeEach(async () => {
    app = await TestApp.create({ webhooks: false });
    const { user_id } = (await app.as('cust-1', 'POST', '/me/sign-in-token', {})).body;
    user = { user_id, client_user_id: 'cust-1', team_id: uuid(0xfff) };
  });

  afterEach(() => app.close());

  const send = async (id: string, resource: string, data: unknown) => {
    const { team_id: _, ...envelope } = event(`daily.data.${resource}.created`, user, data);
    await deliver(app, envelope, { id });
    await processed(app);
    return messagesOf(app).byId(id);
  };
  const point = (minute: number, over: object = {}) => ({
    ...{ timestamp: `${DAY}T08:0${minute}:00+00:00`, value: 5, unit: 'mmol/L' },
    ...over,
  });
  const source = { provider: 'dexcom_v3', type: 'automatic' };
  const bad = [point(2, { value: null }), point(3, { value: '5' }), point(4, { value: null, note: 'MARKED-POINT' })];
  const kept = (): Promise<{ raw: string; reason: string }[]> =>
    app.store.reader.rows('SELECT raw, reason FROM rejected_records ORDER BY raw');

  it('are kept unchanged, with the reason, while the others are stored', async () => {
    const message = await send('msg_a', 'glucose', { source, data: [point(1), ...bad, null] });
    expect(message).toMatchObject({ status: 'done', reason: 'points_rejected' });
    expect(await countOf(app, 'samples')).toBe(1);
    const raw = [...bad, null].map((each) => JSON.stringify(each)).sort();
    expect((await kept()).map((row) => row.raw)).toEqual(raw);
    const { body } = await app.admin<{ rejections: unknown }>('GET', '/messages/msg_a');
    expect(body.rejections).toEqual([
      { reason: 'no_value', count: 3 },
      { reason: 'unreadable_value', count: 1 },
    ]);
    const labels = { resource: 'glucose', reason: 'no_value', way: 'message' };
    expect(await app.metric('records_rejected_total', labels)).toBe(3);
  });

  it('are kept if a message has no others, and the message is dead', async () => {
    const message = await send('msg_a', 'glucose', { source, data: bad });
    expect(message).toMatchObject({ status: 'dead', reason: 'unreadable_data', attempts: 1 });
    expect(await kept()).toHaveLength(3);
    const night = await send('msg_b', 'sleep', sleep(user, { bedtime_start: 'sleep 12' }));
    expect(night).toMatchObject({ status: 'dead', reason: 'unreadable_data' });
    expect((await kept()).map(({ reason }) => reason)).toContain('unreadable_time');
  });

  it('make no day complete, and are named by its explanation', async () => {
    await send('msg_a', 'glucose', { source, data: [point(1), ...bad] });
    app.clock.advance(48 * HOUR_MS);
    const path = `/accounts/cust-1/coverage?resource=glucose&first_day=${DAY}&last_day=${DAY}`;
    const { body } = await app.admin<Page<CoverageStreamDto>>('GET', path);
    expect(body.data[0]?.runs).toMatchObject([{ state: 'received', whole: false, reason: 'points_rejected' }]);
    const explanation = await app.admin<ExplanationDto>('GET', `/accounts/cust-1/explain?resource=glucose&day=${DAY}`);
    const findings = explanation.body.evidence.map(({ finding }) => finding).join(' ');
    expect(findings).toContain(
      '3 records of dexcom_v3 that may belong to the day cannot be stored (no_value, unreadable_value)',
    );
    expect(explanation.body.conclusion).not.toContain('nothing says that any is missing');
  });

  it('are kept once, however often they are processed', async () => {
    await send('msg_a', 'glucose', { source, data: [point(1), ...bad] });
    app.clock.advance(HOUR_MS);
    await app.admin('POST', '/messages/msg_a/replay');
    await processed(app);
    expect(await kept()).toHaveLength(3);
  });

  it('are in the export, and are deleted with the account', async () => {
    await send('msg_a', 'glucose', { source, data: [point(1), ...bad] });
    const answer = await app.admin<string>('GET', '/accounts/cust-1/export', undefined, 'reader');
    expect(JSON.stringify(answer.body)).toContain('rejected_record');
    expect(JSON.stringify(answer.body)).toContain('MARKED-POINT');
    await app.admin('DELETE', '/accounts/cust-1');
    await app.settle();
    expect(await kept()).toEqual([]);
  });

  it('are deleted after MESSAGE_RETENTION_DAYS', async () => {
    await send('msg_a', 'glucose', { source, data: [point(1), ...bad] });
    app.clock.advance(31 * 24 * HOUR_MS);
    await app.run(CleanerWorker);
    expect(await kept()).toEqual([]);
  });
});
