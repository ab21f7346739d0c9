import { frequentSignIns } from '../../../src/accounts/tokens/token-limits.js';
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

async function app(line: string, body: unknown, account = 'cust-1'): Promise<Answer> {
  return service.send(line, { token: await accessToken(account, service.clock.now()), body });
}

/** Opens an attempt; answers its id. */
async function begin(provider: string | null = null, account?: string): Promise<string> {
  const { body } = await app('POST /v1/me/link-token', { provider }, account);
  return body.link_attempt_id;
}

describe('an installation that signs in at every launch', () => {
  const signIn = (installation_id?: string): Promise<Answer> => app('POST /v1/me/sign-in-token', { installation_id });
  const frequencies = async (): Promise<unknown[]> =>
    (
      await service.store.reader.rows<{ frequency: number | null }>('SELECT frequency FROM token_issues ORDER BY id')
    ).map((row) => row.frequency);
  const warnings = (): string[] => service.logs.filter((line) => line.includes('"event":"token.frequent"'));

  it('is flagged from the sixth token within a day on, reported once, and gets its tokens [linking-and-tokens#once-for-a-sign-in]', async () => {
    for (let launch = 1; launch <= frequentSignIns.max + 2; launch++) {
      expect((await signIn('phone')).status).toBe(201);
      service.clock.advance(minute);
    }
    expect(await frequencies()).toEqual([null, null, null, null, null, 6, 7]);
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).not.toContain('phone');
    const { body } = await service.send('GET /admin/v1/frequent-sign-ins', { token: adminKeys.viewer });
    expect(body.data).toEqual([
      {
        account_id: 'cust-1',
        installation_id: 'phone',
        tokens: 7,
        last_issued_at: new Date(START + 6 * minute).toISOString(),
      },
    ]);
  });

  it('is not flagged for occasional sign-ins, nor for several installations of one person', async () => {
    for (let launch = 0; launch < 12; launch++) {
      await signIn(`phone-${launch % 3}`);
      service.clock.advance(6 * hour);
    }
    for (let launch = 0; launch < 5; launch++) for (const phone of [undefined, 'a', 'b']) await signIn(phone);
    expect(new Set(await frequencies())).toEqual(new Set([null]));
    expect(warnings()).toEqual([]);
  });

  it('is not flagged for link tokens', async () => {
    for (let launch = 0; launch < 9; launch++) await begin();
    expect(new Set(await frequencies())).toEqual(new Set([null]));
  });
});
