import type { Access } from '../../../../src/privacy/access-log/access-log.service.js';

export function access(overrides: Partial<Access> = {}): Access {
  return {
    actor: 'support',
    role: 'reader',
    action: 'GET /admin/v1/messages/:message_id',
    account_ref: null,
    target: 'message:msg_1',
    address: '10.0.0.7',
    request_id: 'request-1',
    status: 200,
    reason: null,
    resource: null,
    window_start: null,
    window_end: null,
    ...overrides,
  };
}
