import nodeCrypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Controller, Get, Module } from '@nestjs/common';
import { generateKeyPair, SignJWT } from 'jose';
import { pulledResources } from '../../../src/health/catalogue/catalogue.js';
import { ForOperators, Role } from '../../../src/http/auth/admin-auth.guard.js';
import { AdminKeys } from '../../../src/http/auth/admin-keys.js';
import { ForApp } from '../../../src/http/auth/app-auth.guard.js';
import { Actor, MayReadValues, OwnAccountId } from '../../../src/http/auth/caller.js';
import { readConfig } from '../../../src/platform/config/environment.js';
import { accessToken, adminKeys, environment, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

@ForApp()
@Controller('app')
class AppController {
  @Get()
  who(@OwnAccountId() accountId: string) {
    return { accountId };
  }
}

@ForOperators()
@Controller('admin')
class AdminController {
  @Get('viewer')
  @Role('viewer')
  view(@Actor() actor: Actor) {
    return actor;
  }

  @Get('reader')
  @Role('reader')
  read(@Actor() actor: Actor) {
    return actor;
  }

  @Get('backend')
  @Role('operator', 'backend')
  place(@Actor() actor: Actor, @MayReadValues() values: boolean) {
    return { ...actor, values };
  }

  @Get('operator')
  @Role('operator')
  operate(@Actor() actor: Actor) {
    return actor;
  }
}

@Controller('open')
class OpenController {
  @Get()
  who(@OwnAccountId() accountId: string) {
    return { accountId };
  }
}

@Module({ controllers: [AppController, AdminController, OpenController] })
class GuardedModule {}

describe('the guards', () => {
  let service: TestApp;

  beforeAll(async () => {
    service = await TestApp.create({ modules: [GuardedModule], upstream: { url: nowhere } });
  });

  afterAll(() => service.close());

  it('pass the account of the access token to the route', async () => {
    const answer = await service.send('GET /app', { token: await accessToken('customer-1') });
    expect([answer.status, answer.body]).toEqual([200, { accountId: 'customer-1' }]);
  });

  it.each(['Bearer', 'bearer', 'BEARER  '])('take the header that begins with "%s"', async (scheme) => {
    const headers = { authorization: `${scheme} ${await accessToken('customer-1')}` };
    expect((await service.pulsekeep.app.inject({ method: 'GET', url: '/app', headers })).statusCode).toBe(200);
  });

  it('never pass an account if no guard ran', async () => {
    expect((await service.send('GET /open', { token: await accessToken('customer-1') })).status).toBe(500);
  });

  it.each([
    ['no header', undefined],
    ['an operator key', adminKeys.operator],
    ['nonsense', 'nonsense'],
  ])('refuse the app with %s', async (_, token) => {
    const answer = await service.send('GET /app', token === undefined ? {} : { token });
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
    expect(answer.headers['www-authenticate']).toMatch(
      token === undefined ? /^Bearer$/ : /^Bearer error="invalid_token", error_description="[a-z_]+"$/,
    );
  });

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer ', 'Bearer a b', 'bearer\u00a0x', 'Token x'])(
    'refuse the header "%s"',
    async (authorization) => {
      for (const url of ['/app', '/admin/viewer']) {
        const answer = await service.pulsekeep.app.inject({ method: 'GET', url, headers: { authorization } });
        expect(answer.statusCode).toBe(401);
      }
    },
  );

  it.each([
    ['monitor', 'viewer', 403],
    ['monitor', 'backend', 403],
    ['reader', 'backend', 403],
    ['operator', 'backend', 200],
    ['backend', 'backend', 200],
    ['backend', 'viewer', 403],
    ['backend', 'operator', 403],
    ['viewer', 'viewer', 200],
    ['viewer', 'reader', 403],
    ['viewer', 'operator', 403],
    ['reader', 'viewer', 200],
    ['reader', 'reader', 200],
    ['reader', 'operator', 403],
    ['operator', 'viewer', 200],
    ['operator', 'reader', 200],
    ['operator', 'operator', 200],
  ] as const)('respond to a key of role %s on a route for %s with %i', async (role, route, status) => {
    const answer = await service.send(`GET /admin/${route}`, { token: adminKeys[role] });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject(status === 200 ? { name: role, role } : { code: 'forbidden' });
  });

  it.each([
    ['viewer', 'operator', 'operator'],
    ['monitor', 'backend', 'operator, backend'],
  ] as const)('name the role %s of the key and the roles of a route for %s', async (role, route, taken) => {
    const answer = await service.send(`GET /admin/${route}`, { token: adminKeys[role] });
    expect(answer.body['detail']).toBe(`The key has the role ${role}; this route takes ${taken}.`);
  });

  it('refuse operators with an unknown key, of whatever length, and with an access token', async () => {
    for (const token of ['x', 'operator-kez', 'y'.repeat(5_000), await accessToken('customer-1')]) {
      const answer = await service.send('GET /admin/viewer', { token });
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
    }
  });

  it('say which credentials a route takes', async () => {
    const detailOf = async (route: string, token: string): Promise<unknown> =>
      (await service.send(route, { token })).body['detail'];
    expect(await detailOf('GET /app', adminKeys.operator)).toBe(
      'This route takes the access token of a person, not a key.',
    );
    expect(await detailOf('GET /admin/viewer', await accessToken('customer-1'))).toBe(
      "This route takes a key of ADMIN_API_KEYS, not an app's access token.",
    );
    expect((await service.send('GET /app')).body['detail']).toBe(
      'Send the access token of a person in the header "Authorization: Bearer ...".',
    );
    expect((await service.send('GET /admin/viewer')).body['detail']).toBe(
      'Send a key of ADMIN_API_KEYS in the header "Authorization: Bearer ...".',
    );
  });

  it('count refusals and log neither token nor key', async () => {
    const token = await accessToken('customer-1');
    await service.send('GET /admin/viewer', { token });
    await service.send('GET /app', { token: 'canary-token' });
    const metrics = await service.figures();
    expect(metrics).toMatch(
      /pulsekeep_auth_refusals_total\{audience="admin",code="unauthorized",reason="unknown_key"\} [1-9]/,
    );
    expect(metrics).toMatch(
      /pulsekeep_auth_refusals_total\{audience="app",code="unauthorized",reason="malformed"\} [1-9]/,
    );
    for (const secret of [token, 'canary-token', adminKeys.viewer]) {
      expect(service.logs.join('')).not.toContain(secret);
      expect(metrics).not.toContain(secret);
    }
  });
});

describe('the guard of the app', () => {
  it('returns 503, not 401, while the keys of the access tokens cannot be read', async () => {
    const issuer = { APP_JWT_ISSUER: 'https://login.customer.test', APP_JWT_ANY_AUDIENCE: 'true' };
    const env = { APP_JWT_SECRET: undefined, APP_JWT_JWKS_URL: `${nowhere}/keys`, ...issuer };
    const service = await TestApp.create({ modules: [GuardedModule], upstream: { url: nowhere }, env });
    const { privateKey } = await generateKeyPair('RS256');
    const token = await new SignJWT({ sub: 'customer-1', exp: 4_000_000_000 })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(privateKey);
    const answer = await service.send('GET /app', { token });
    expect([answer.status, answer.body.code]).toEqual([503, 'verification_unavailable']);
    expect(answer.headers['www-authenticate']).toBeUndefined();
    expect((await service.send('GET /app', { token: 'nonsense' })).status).toBe(401);
    // Anyone can send such a token: refused credentials make one line a minute.
    expect(service.logs.filter((line) => line.includes('http.request_failed'))).toEqual([]);
    await service.close();
  });
});

describe('the keys of operators', () => {
  const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
  const keysOf = (entries: string): AdminKeys =>
    new AdminKeys(readConfig(environment({ ADMIN_API_KEYS: entries }), pulledResources).admin);
  const old = `anna-2025:reader:${sha256('old-key')}`;
  const fresh = `anna-2026:reader:${sha256('fresh-key')}`;

  it('are valid together while one replaces another', () => {
    const both = keysOf(`${old},${fresh}`);
    expect(both.identify('old-key')).toEqual({ name: 'anna-2025', role: 'reader' });
    expect(both.identify('fresh-key')).toEqual({ name: 'anna-2026', role: 'reader' });
    const after = keysOf(fresh);
    expect(after.identify('fresh-key').name).toBe('anna-2026');
    expect(() => after.identify('old-key')).toThrow('not in ADMIN_API_KEYS');
  });

  it('do not match their hashes, nor parts of themselves', () => {
    const keys = keysOf(`${old},${fresh}`);
    for (const guess of [sha256('old-key'), 'old-ke', 'old-key ', 'OLD-KEY', '', 'anna-2025']) {
      expect(() => keys.identify(guess)).toThrow('not in ADMIN_API_KEYS');
    }
  });

  it('are all compared in constant time, whether one matches or none', () => {
    const compare = jest.spyOn(nodeCrypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    const keys = keysOf(`${old},${fresh}`);
    for (const key of ['old-key', 'fresh-key', 'x', 'y'.repeat(5_000)]) {
      compare.mockClear();
      try {
        keys.identify(key);
      } catch {
        // Counted all the same.
      }
      expect(compare.mock.calls.map(([given, held]) => [given.byteLength, held.byteLength])).toEqual([
        [32, 32],
        [32, 32],
      ]);
    }
    compare.mockRestore();
    syncBuiltinESMExports();
  });
});

describe('a route below /v1', () => {
  it('does not start without a kind of callers', async () => {
    @Controller('v1/forgotten')
    class ForgottenController {
      @Get()
      list(): string[] {
        return [];
      }
    }
    @Module({ controllers: [ForgottenController] })
    class ForgottenModule {}
    const starting = TestApp.create({ modules: [ForgottenModule], upstream: { url: nowhere } });
    await expect(starting).rejects.toThrow('/v1/forgotten has neither @ForApp nor @ForOperators');
  });
});

describe('a controller for operators', () => {
  it('is not defined with a route that has no role', () => {
    const define = (): unknown => {
      @ForOperators()
      @Controller('forgotten')
      class ForgottenController {
        @Get()
        list(): string[] {
          return [];
        }
      }
      return ForgottenController;
    };
    expect(define).toThrow('ForgottenController.list has no @Role');
  });
});
