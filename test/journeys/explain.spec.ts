import type { CoverageStreamDto } from '../../src/operations/explain/coverage.dto.js';
import type { ExplanationDto } from '../../src/operations/explain/explain.dto.js';
import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

/** Each test starts the application and a sandbox. */
const day = 86_400;

/**
 * A customer asks "where is my sleep of that day?", and whoever holds a viewer's key finds out, from the answers of the
 * service alone. The clocks begin at 2026-11-20T12:00:00Z.
 */
describe('why a day is empty', () => {
  let app: TestApp;
  let account: string;
  let user_id: string;

  beforeEach(async () => {
    app = await TestApp.create();
    account = newAccountId();
    const login = await app.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
    user_id = login.body.user_id;
  });

  afterEach(() => app.close());

  /** As a person with a phone does it: a token, the widget, a source. */
  const link = async (options: object = {}): Promise<void> => {
    const token = await app.as<{ link_token: string }>(account, 'POST', '/me/link-token', { provider: 'oura' });
    await app.sandbox.control.link({ link_token: token.body.link_token, provider: 'oura', ...options });
    await app.advance(900, 5);
  };
  const viewer = async <T>(path: string): Promise<T> => {
    const { status, body } = await app.admin<T>('GET', `/accounts/${account}${path}`, undefined, 'viewer');
    expect(status).toBe(200);
    return body;
  };
  const why = (date: string): Promise<ExplanationDto> => viewer(`/explain?resource=sleep&day=${date}`);
  const state = async (date: string): Promise<string | undefined> => {
    const query = `resource=sleep&provider=oura&first_day=${date}&last_day=${date}`;
    const { data } = await viewer<{ data: CoverageStreamDto[] }>(`/coverage?${query}`);
    return data[0]?.runs[0]?.state;
  };
  /** The links of the chain that decide, each with what to look at next. */
  const proof = ({ evidence }: ExplanationDto): string[] =>
    evidence.filter(({ decisive }) => decisive).map(({ kind, ref }) => `${kind} ${ref?.id ?? '-'}`);

  it('because the person has not connected anything', async () => {
    const told = await why('2026-11-10');
    expect(told.conclusion).toBe('No sleep record is stored for 2026-11-10 because no source was ever connected.');
    expect(await state('2026-11-10')).toBeUndefined();
  });

  it('because upstream could not read the source', async () => {
    await link({ history: { days: 20, per_day: 1 }, pulls: { sleep: { outcome: 'failure' } } });
    const told = await why('2026-11-10');
    expect(told.conclusion).toMatch(
      /^No sleep record is stored for 2026-11-10 because upstream's historical pull of oura failed with non_retriable_error on 2026-11-20 12:\d\d UTC; /,
    );
    expect(proof(told)).toEqual(['upstream_pull oura/sleep']);
    expect([told.state, await state('2026-11-10')]).toEqual(['failed_upstream', 'failed_upstream']);
  });

  it('because upstream still tries, and it fills once upstream succeeds', async () => {
    await link({ history: { days: 20, per_day: 1 }, pulls: { sleep: { retries: 12 } } });
    const waiting = await why('2026-11-10');
    expect(waiting.conclusion).toMatch(
      /upstream's historical pull of oura is (retrying after the error provider_rate_limit_exceeded|in_progress)/,
    );
    expect(await state('2026-11-10')).toBe('pending');
    await app.advance(7_200, 12);
    const there = await why('2026-11-10');
    expect(there.conclusion).toBe(
      '1 sleep record of oura is stored for 2026-11-10, and a complete pull after the day found no others.',
    );
    expect(await state('2026-11-10')).toBe('received');
  });

  it('because the source broke, until the person connects it again', async () => {
    await link({ history: { days: 5, per_day: 1 } });
    await app.advance(2 * day, 4);
    await app.sandbox.control.breakConnection({ user_id, provider: 'oura', error_type: 'token_refresh_failed' });
    await app.advance(4 * day, 8);
    const broken = await why('2026-11-24');
    expect(broken.conclusion).toMatch(
      /^No sleep record is stored for 2026-11-24 because oura is in error \(token_refresh_failed\) since 2026-11-22 /,
    );
    expect(proof(broken)).toEqual(['connection oura']);
    expect(await state('2026-11-24')).toBe('failed_upstream');
    await link();
    await app.advance(2 * day, 8);
    const gap = await why('2026-11-24');
    expect([gap.state, gap.reason]).toEqual(['unknown', 'connection_gap']);
  });

  it('because the person did not allow it', async () => {
    await link({ denied: ['sleep'] });
    const told = await why('2026-11-10');
    expect(told.conclusion).toMatch(/oura does not deliver it for this person; the person denied the permission\.$/);
    expect(told.evidence.find(({ kind }) => kind === 'availability')?.finding).toBe(
      'Upstream reports that the source does not deliver it; the person denied 1 required permission.',
    );
    expect(await state('2026-11-10')).toBe('unknown');
  });

  it('because our pull waits for upstream to recover', async () => {
    await link();
    await app.sandbox.control.fault({ kind: 'status', path: '/v2/summary/sleep', status: 503 });
    await app.advance(3_600);
    const told = await why('2026-11-19');
    expect(told.conclusion).toMatch(
      /^No sleep record is stored for 2026-11-19 yet: the pull of that day \(task \d+\) is waiting after the error upstream_unavailable\.$/,
    );
    expect(proof(told)).toEqual([expect.stringMatching(/^task \d+$/)]);
    expect(await state('2026-11-19')).toBe('pending');
  });

  it('because a delivery could not be used', async () => {
    await link({ pulls: { sleep: { retries: 500 } } });
    const event_type = 'daily.data.sleep.created';
    const { message_id } = await app.sandbox.control.send({ event_type, user_id, data: { id: 7 } });
    await app.settle();
    const told = await why('2026-11-19');
    expect(told.conclusion).toMatch(
      /1 delivery for it around that day failed permanently; fix the cause, then replay it\.$/,
    );
    expect(proof(told)).toContain(`message ${message_id}`);
    const seen = await app.admin('GET', `/messages/${message_id}`, undefined, 'viewer');
    expect(seen.body).toMatchObject({ status: 'dead', reason: 'unreadable_data' });
  });

  it('because there was nothing: the person did not sleep with the ring on', async () => {
    await link({ history: { days: 5, per_day: 1 } });
    const told = await why('2026-11-10');
    expect(told.conclusion).toBe(
      'There is no sleep record for 2026-11-10: a complete pull of oura after the day found none, with the source connected and later data received.',
    );
    expect(await state('2026-11-10')).toBe('confirmed_empty');
  });
});
