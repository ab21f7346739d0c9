import { SignJWT } from 'jose';
import { appSecret, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

describe('a refusal of the app', () => {
  let app: TestApp;
  let now: number;

  beforeAll(async () => {
    app = await TestApp.create({
      upstream: { url: nowhere },
      env: { APP_JWT_ISSUER: 'https://login.example.com', APP_JWT_AUDIENCE: 'app' },
    });
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

  it.each<[string, () => Promise<string>]>([
    ['expired', () => sign({ exp: now - 60 })],
    ['not_yet_valid', () => sign({ nbf: now + 60 })],
    ['no_expiry', () => sign({ exp: undefined })],
    ['wrong_issuer', () => sign({ iss: 'https://other.example.com' })],
    ['wrong_audience', () => sign({ aud: 'other' })],
    ['bad_signature', () => sign({}, 'another-secret-of-at-least-32-bytes-0123')],
    ['no_account', () => sign({ sub: undefined })],
    ['malformed', async () => 'nonsense'],
  ])('says that the token is invalid and counts why: %s', async (reason, token) => {
    const { status, headers } = await app.send('GET /v1/me', { token: await token() });
    const challenge = `Bearer error="invalid_token", error_description="${reason}"`;
    expect([status, headers['www-authenticate']]).toEqual([401, challenge]);
    expect(await app.metric('auth_refusals_total', { audience: 'app', code: 'unauthorized', reason })).toBe(1);
  });
});
