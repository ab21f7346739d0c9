import { Controller, Get, Module } from '@nestjs/common';
import { ForOperators, Role } from '../../src/auth/admin-auth.guard.js';
import { ForApp } from '../../src/auth/app-auth.guard.js';
import { AccountId, Actor } from '../../src/auth/caller.js';
import { accessToken, adminKeys, type FeatureApp, featureApp } from '../accounts/support/feature-app.js';

@ForApp()
@Controller('app')
class AppController {
  @Get()
  who(@AccountId() accountId: string) {
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

  @Get('operator')
  @Role('operator')
  operate(@Actor() actor: Actor) {
    return actor;
  }
}

@Controller('open')
class OpenController {
  @Get()
  who(@AccountId() accountId: string) {
    return { accountId };
  }
}

@Module({ controllers: [AppController, AdminController, OpenController] })
class GuardedModule {}

describe('the guards', () => {
  let service: FeatureApp;

  beforeAll(async () => {
    service = await featureApp([GuardedModule]);
  });

  afterAll(() => service.close());

  it('hand the account of the access token to the route', async () => {
    const answer = await service.send('GET /app', { token: await accessToken('customer-1') });
    expect([answer.status, answer.body]).toEqual([200, { accountId: 'customer-1' }]);
  });

  it('never hand out an account where no guard ran', async () => {
    expect((await service.send('GET /open', { token: await accessToken('customer-1') })).status).toBe(500);
  });

  it.each([
    ['no header', undefined],
    ['an operator key', adminKeys.operator],
    ['nonsense', 'nonsense'],
  ])('refuse the app with %s', async (_, token) => {
    const answer = await service.send('GET /app', token === undefined ? {} : { token });
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer ', 'Bearer a b', 'bearer\u00a0x', 'Token x'])(
    'refuse the header "%s"',
    async (authorization) => {
      for (const url of ['/app', '/admin/viewer']) {
        const answer = await service.app.inject({ method: 'GET', url, headers: { authorization } });
        expect(answer.statusCode).toBe(401);
      }
    },
  );

  it.each([
    ['viewer', 'viewer', 200],
    ['viewer', 'reader', 403],
    ['viewer', 'operator', 403],
    ['reader', 'viewer', 200],
    ['reader', 'reader', 200],
    ['reader', 'operator', 403],
    ['operator', 'viewer', 200],
    ['operator', 'reader', 200],
    ['operator', 'operator', 200],
  ] as const)('let a key of role %s into a route for %s with %i', async (role, route, status) => {
    const answer = await service.send(`GET /admin/${route}`, { token: adminKeys[role] });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject(status === 200 ? { name: `${role}-name`, role } : { code: 'forbidden' });
  });

  it('refuse operators with an unknown key, of whatever length, and with an access token', async () => {
    for (const token of ['x', 'operator-kez', 'y'.repeat(5_000), await accessToken('customer-1')]) {
      const answer = await service.send('GET /admin/viewer', { token });
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
    }
  });

  it('count refusals and log neither token nor key', async () => {
    const token = await accessToken('customer-1');
    await service.send('GET /admin/viewer', { token });
    await service.send('GET /app', { token: 'canary-token' });
    const metrics = await service.metrics.registry.metrics();
    expect(metrics).toMatch(/pulsekeep_auth_refusals_total\{audience="admin",code="unauthorized"\} [1-9]/);
    expect(metrics).toMatch(/pulsekeep_auth_refusals_total\{audience="app",code="unauthorized"\} [1-9]/);
    for (const secret of [token, 'canary-token', adminKeys.viewer]) {
      expect(service.logged.join('')).not.toContain(secret);
      expect(metrics).not.toContain(secret);
    }
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
