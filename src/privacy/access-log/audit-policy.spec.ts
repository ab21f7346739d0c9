import type { Caller } from '../../http/auth/caller.js';
import type { AdminRole, RankedRole } from '../../platform/config/admin-roles.js';
import type { ExternalAccountId } from '../../platform/platform/ids.js';
import { isRecorded, isWrite, targetsOf, targetText } from './audit-policy.js';

const operator = (role: AdminRole, needed: RankedRole, readsValues?: boolean): Caller => ({
  actor: { name: 'somebody', role },
  needed,
  ...(readsValues ? { readsValues } : {}),
});

const app = { accountId: 'a' as ExternalAccountId };

describe('what is recorded', () => {
  it.each([
    ['nobody', {}, {}, false],
    ['an operator on a route for viewers', operator('operator', 'viewer'), {}, false],
    ['a reader who was shown more there', operator('reader', 'viewer', true), {}, true],
    ['a reader on a route for readers', operator('reader', 'reader'), {}, true],
    ['a viewer who is refused there', operator('viewer', 'reader'), {}, true],
    ['an operator on a route for operators', operator('operator', 'operator'), {}, true],
    ['an operator on a route about nobody', operator('operator', 'operator'), { recorded: false }, false],
    ['a monitor on a route for monitors', operator('monitor', 'monitor'), {}, false],
    ['the backend on a route for viewers', operator('backend', 'viewer'), {}, false],
    ['the backend on a route for readers', operator('backend', 'reader'), {}, true],
    ['the backend where it may not act', operator('backend', 'operator'), {}, true],
    ['the app about its person', app, {}, true],
    ['the app about nobody', app, { recorded: false }, false],
  ] as const)('%s', (_, caller, facts, expected) => {
    expect(isRecorded(caller, facts)).toBe(expected);
  });

  it.each([
    ['GET', false],
    ['HEAD', false],
    ['POST', true],
    ['PATCH', true],
    ['DELETE', true],
    ['PUT', true],
  ])('%s is a write: %s', (method, expected) => {
    expect(isWrite(method)).toBe(expected);
  });
});

describe('the target of a route', () => {
  const text = (route: string, parameters: Record<string, unknown>): string | null =>
    targetText(targetsOf(route, parameters));
  const uuid = '0d1c8a5e-0000-4000-8000-000000000001';

  it.each([
    ['/admin/v1/overview', {}, null],
    ['/admin/v1/accounts/:account_id', { account_id: 'patient-1' }, null],
    ['/admin/v1/accounts/:account_id/records/:resource', { account_id: 'p', resource: 'sleep' }, 'resource:sleep'],
    ['/admin/v1/orders/:order_id/result', { order_id: uuid }, `order:${uuid}`],
    ['/admin/v1/order-transactions/:id/refresh', { id: uuid }, `order-transaction:${uuid}`],
    ['/admin/v1/sync/tasks/:id', { id: '42' }, 'task:42'],
    ['/admin/v1/messages/:message_id/replay', { message_id: 'msg_2aB.c-1' }, 'message:msg_2aB.c-1'],
    ['/a/:one_id/b/:two_id', { one_id: '1', two_id: '2' }, 'one:1 two:2'],
  ])('%s %j is %s', (route, parameters, expected) => {
    expect(text(route, parameters)).toBe(expected);
  });

  it.each(['anna@example.com', '+49 30 123', 'Anna Schmidt', 'x'.repeat(256), '', 'a\u0000b', 'ä', undefined])(
    'leaves out %j, which is not in the format of an id',
    (value) => {
      expect(text('/admin/v1/messages/:message_id', { message_id: value })).toBe('message:?');
    },
  );
});
