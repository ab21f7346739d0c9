import { SignJWT } from 'jose';
import { appSecret, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const env = { APP_JWT_ISSUER: 'https://login.example.com', APP_JWT_AUDIENCE: 'app' };

describe('a refusal of the app', () => {
  let app: TestApp;
  let now: number;

  beforeAll(async () => {
    app = await TestApp.create({ upstream: { url: nowhere }, env });
    now = Math.floor(app.clock.now() / 1_000);
  });

  afterAll(() => app.close());

  const sign = (claims: Record<string, unknown>, secret = appSecret): Promise<string> =>
    new SignJWT({ sub: 'anna', iss: 'https://login.example.com', aud: 'app', exp: now + 60, ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(secret));

  it('names no error without credentials', async () => {
    const { status, headers } = await app.send('GET /v1/me');
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(await app.metric('auth_refusals_total', { audience: 'app', reason: 'missing' })).toBe(1);
  });

  it.each<[string, RegExp, () => Promise<string>]>([
    ['expired', /has expired/, () => sign({ exp: now - 60 })],
    ['not_yet_valid', /not valid yet/, () => sign({ nbf: now + 60 })],
    ['no_expiry', /no expiry/, () => sign({ exp: undefined })],
    ['wrong_issuer', /APP_JWT_ISSUER/, () => sign({ iss: 'https://other.example.com' })],
    ['wrong_audience', /APP_JWT_AUDIENCE/, () => sign({ aud: 'other' })],
    ['bad_signature', /signature/, () => sign({}, 'another-secret-of-at-least-32-bytes-0123')],
    ['no_account', /APP_JWT_ACCOUNT_CLAIM/, () => sign({ sub: undefined })],
    ['malformed', /not a key/, async () => 'nonsense'],
    ['malformed', /is malformed/, async () => 'a.b.c'],
  ])('says that the token is invalid and counts why: %s %s', async (reason, sentence, token) => {
    const count = (): Promise<number> =>
      app.metric('auth_refusals_total', { audience: 'app', code: 'unauthorized', reason });
    const before = await count();
    const { status, headers, body } = await app.send('GET /v1/me', { token: await token() });
    expect(body['detail']).toMatch(sentence);
    const challenge = `Bearer error="invalid_token", error_description="${reason}"`;
    expect([status, headers['www-authenticate']]).toEqual([401, challenge]);
    expect((await count()) - before).toBe(1);
  });

  it('logs both texts of an issuer that differ', async () => {
    const token = await sign({ iss: 'https://login.example.com/' });
    const other = await app.another({ env });
    expect((await other.send('GET /v1/me', { token })).status).toBe(401);
    await other.close();
    const refusals = other.logs
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event }) => event === 'http.credentials_refused');
    const [expected, answered] = ['https://login.example.com', 'https://login.example.com/'];
    expect(refusals).toMatchObject([{ reason: 'wrong_issuer', expected, answered, count: 1 }]);
  });
});
