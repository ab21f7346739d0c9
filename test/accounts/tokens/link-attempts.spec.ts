import { LinkAttemptsRepository } from '../../../src/accounts/connections/link-attempts.repository.js';
import { LinkAttempts } from '../../../src/accounts/connections/link-attempts.service.js';
import { WriteLane } from '../../../src/storage/database/write-lane.js';
import { accessToken, adminKeys, START } from '../../support/environment.js';
import type { Answer } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';

const minute = 60_000;
const hour = 60 * minute;

let service: TestApp;

beforeEach(async () => {
  service = await TestApp.create({ webhooks: false });
});

afterEach(() => service.close());

interface Attempt {
  link_attempt_id: string;
  state: string;
  confirmed: boolean;
}

async function app(line: string, body: unknown, account = 'cust-1'): Promise<Answer> {
  return service.send(line, { token: await accessToken(account, service.clock.now()), body });
}

/** Opens an attempt; answers its id. */
async function begin(provider: string | null = null, account?: string): Promise<string> {
  const { body } = await app('POST /v1/me/link-token', { provider }, account);
  return body.link_attempt_id;
}

async function tell(link_attempt_id: string, told: object): Promise<void> {
  expect((await app('POST /v1/me/link-outcomes', { link_attempt_id, ...told })).status).toBe(202);
}

/** A connection of the first account, as whoever stores it says so. True when it was news, and reported. */
async function connected(provider = 'oura', at = service.clock.now()): Promise<boolean> {
  const reported = (): Promise<number> =>
    service.metric('link_outcomes_total', { outcome: 'success', source: 'connection' });
  const before = await reported();
  await service.get(WriteLane).run((tx) => service.get(LinkAttempts).connected(tx, { account: 1, provider, at }));
  return (await reported()) > before;
}

async function list(query = ''): Promise<Answer> {
  return service.send(`GET /admin/v1/link-attempts?${query}`, { token: adminKeys.viewer });
}

async function attempts(query = ''): Promise<Attempt[]> {
  const { status, body } = await list(query);
  expect(status).toBe(200);
  return body.data as unknown as Attempt[];
}

const states = async (query = ''): Promise<string[]> =>
  (await attempts(query)).map(({ state, confirmed }) => `${state}${confirmed ? ' confirmed' : ''}`);

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

describe('the outcome of an attempt', () => {
  const attemptId = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  type Fact = 'exit' | 'error' | 'success' | 'event' | 'comparison';

  const say = (fact: Fact, link_attempt_id: string, begun: number): Promise<unknown> => {
    if (fact === 'event') return connected('oura', begun + 4 * minute);
    if (fact === 'comparison') return connected('oura', begun + 3 * minute);
    return service.get(LinkAttempts).report('cust-1', { link_attempt_id, outcome: fact, error_type: 'a_type' });
  };

  it('is the same for any order and number of reports, once there is a connection', async () => {
    await begin();
    const orders = permutations<Fact>(['exit', 'error', 'success', 'event', 'comparison']);
    for (const [index, order] of orders.entries()) {
      const at = START - (index + 1) * 2 * hour;
      const id = attemptId(index);
      await service
        .get(WriteLane)
        .run((tx) =>
          service.get(LinkAttemptsRepository).insert(tx, { id, accountId: 1, provider: null, at, expiresAt: at + 1 }),
        );
      for (const fact of order) await say(fact, id, at);
      for (const fact of order) await say(fact, id, at);
    }
    const ended = await attempts(`limit=500&end=${new Date(START).toISOString()}`);
    expect(ended).toHaveLength(120);
    for (const [index, attempt] of ended.entries()) {
      expect(attempt).toMatchObject({
        link_attempt_id: attemptId(index),
        state: 'success',
        confirmed: true,
        outcome_source: 'connection',
        error_type: null,
        connected_provider: 'oura',
        outcome_at: new Date(START - (index + 1) * 2 * hour + 3 * minute).toISOString(),
      });
    }
  });

  it('is open, then expired, and still a success if a connection comes within the hour [linking-and-tokens#life-of-a-link-token]', async () => {
    await begin();
    expect(await states()).toEqual(['open']);
    service.clock.advance(10 * minute - 1);
    expect(await states()).toEqual(['open']);
    service.clock.advance(1);
    expect(await states()).toEqual(['expired']);
    service.clock.advance(50 * minute);
    expect(await connected()).toBe(true);
    expect(await states()).toEqual(['success confirmed']);
  });

  it('stays expired if a connection comes after the hour', async () => {
    await begin();
    service.clock.advance(hour + 1);
    expect(await connected()).toBe(false);
    expect(await states()).toEqual(['expired']);
  });

  it('is stored with its reporter, and a success that only the app reports is not confirmed [linking-and-tokens#redirect]', async () => {
    const report = await begin();
    const redirect = await begin();
    await tell(report, { outcome: 'success', error_type: 'not_of_a_success' });
    await tell(redirect, { outcome: 'error', error_type: 'provider_api_error', source: 'redirect' });
    service.clock.advance(24 * hour);
    const byId = new Map((await attempts()).map((attempt) => [attempt.link_attempt_id, attempt]));
    expect(byId.get(report)).toMatchObject({ state: 'success', confirmed: false, outcome_source: 'report' });
    expect(byId.get(report)).toMatchObject({ error_type: null });
    expect(byId.get(redirect)).toMatchObject({ state: 'error', outcome_source: 'redirect' });
    expect(byId.get(redirect)).toMatchObject({ error_type: 'provider_api_error', confirmed: false });
  });

  it('can be reported for the app by the app alone', async () => {
    const id = await begin();
    for (const source of ['connection', 'webhook', '', 1]) {
      const answer = await app('POST /v1/me/link-outcomes', { link_attempt_id: id, outcome: 'success', source });
      expect([source, answer.status]).toEqual([source, 400]);
    }
    expect(await states()).toEqual(['open']);
  });

  it('is stored with the connection or not at all', async () => {
    await begin();
    const failed = service.get(WriteLane).run(async (tx) => {
      await service.get(LinkAttempts).connected(tx, { account: 1, provider: 'oura', at: START });
      throw new Error('planned');
    });
    await expect(failed).rejects.toThrow('planned');
    expect(await states()).toEqual(['open']);
  });
});

describe('a connection', () => {
  const outcomes = async (): Promise<unknown[]> =>
    (
      await service.store.reader.rows<{ connected_provider: string | null }>(
        'SELECT connected_provider FROM link_attempts ORDER BY created_at',
      )
    ).map((row) => row.connected_provider);

  it('belongs to the newest earlier attempt that could lead to it', async () => {
    await begin('oura');
    service.clock.advance(minute);
    await begin();
    service.clock.advance(minute);
    await begin('fitbit');
    service.clock.advance(minute);
    const at = service.clock.now();
    service.clock.advance(minute);
    await begin();
    expect(await connected('oura', at)).toBe(true);
    expect(await outcomes()).toEqual([null, 'oura', null, null]);
    expect(await connected('oura', at)).toBe(false);
    expect(await outcomes()).toEqual([null, 'oura', null, null]);
  });

  it('of another provider belongs to another attempt, because a connection uses one up [linking-and-tokens#single-use]', async () => {
    await begin();
    service.clock.advance(1);
    await begin();
    await connected('oura');
    await connected('fitbit');
    expect(await connected('withings')).toBe(false);
    expect(await outcomes()).toEqual(['fitbit', 'oura']);
  });

  it('that is repeated after another attempt is a success of that one', async () => {
    await begin();
    await connected();
    service.clock.advance(5 * minute);
    await begin('oura');
    expect(await connected()).toBe(true);
    expect(await outcomes()).toEqual(['oura', 'oura']);
  });

  it('made on the phone belongs to no attempt [linking-and-tokens#phone-providers]', async () => {
    await begin();
    for (const provider of ['apple_health_kit', 'health_connect', 'samsung_health']) {
      expect(await connected(provider)).toBe(false);
    }
    expect(await states()).toEqual(['open']);
  });

  it('does not belong to an attempt of another account', async () => {
    await begin(null, 'cust-1');
    service.clock.advance(1);
    await begin(null, 'cust-2');
    await connected();
    expect(await outcomes()).toEqual(['oura', null]);
  });
});

describe('GET /admin/v1/link-attempts', () => {
  it('is newest first, in pages, by account, state, provider and time', async () => {
    const ids: string[] = [];
    for (const [provider, account] of [
      ['oura', 'cust-1'],
      [null, 'cust-1'],
      ['fitbit', 'cust-2'],
    ] as const) {
      ids.unshift(await begin(provider, account));
      service.clock.advance(minute);
    }
    await tell(ids[1] ?? '', { outcome: 'exit' });
    const found = async (query: string): Promise<string[]> =>
      (await attempts(query)).map(({ link_attempt_id }) => link_attempt_id);
    expect(await found('')).toEqual(ids);
    expect(await found('account_id=cust-1')).toEqual(ids.slice(1));
    expect(await found('account_id=nobody')).toEqual([]);
    expect(await found('state=exit')).toEqual([ids[1]]);
    expect(await found('state=open')).toEqual([ids[0], ids[2]]);
    expect(await found('provider=oura')).toEqual([ids[2]]);
    const from = new Date(START + minute).toISOString();
    expect(await found(`start=${from}`)).toEqual(ids.slice(0, 2));
    expect(await found(`end=${from}`)).toEqual(ids.slice(2));
    await connected('oura', START + minute);
    expect(await found('provider=oura')).toEqual(ids.slice(1));
    service.clock.advance(hour);
    expect(await found('state=expired')).toEqual([ids[0], ids[2]]);
    const { body } = await list('limit=2');
    expect(await found(`limit=2&cursor=${body.next_cursor}`)).toEqual(ids.slice(2));
  });

  it('loses none of many that began at the same instant', async () => {
    for (let number = 0; number < 5; number++) await begin();
    const whole = await attempts();
    const walked: Attempt[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await list(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      walked.push(...(body.data as unknown as Attempt[]));
      cursor = body.next_cursor;
    }
    expect(walked).toEqual(whole);
    expect(whole).toHaveLength(5);
  });

  it('refuses unknown states, and callers without a key', async () => {
    expect((await list('state=abandoned')).status).toBe(400);
    expect((await list('provider=Oura')).status).toBe(400);
    expect((await service.send('GET /admin/v1/link-attempts', {})).status).toBe(401);
  });
});
