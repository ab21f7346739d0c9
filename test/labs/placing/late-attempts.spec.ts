import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { type CallClaim, IdempotencyKeys } from '../../../src/labs/keys/idempotency-keys.service.js';
import { OrderCalls } from '../../../src/labs/placing/order-calls.js';
import { AppError } from '../../../src/platform/platform/errors.js';
import { codeOf } from '../../support/code-of.js';
import { TestApp } from '../../support/test-app.js';

describe('an attempt to place an order that ends after its lease', () => {
  let app: TestApp;
  let calls: OrderCalls;
  let late: CallClaim;
  let request: { account: number; idempotencyKey: string; body: object };

  beforeEach(async () => {
    app = await TestApp.create({ webhooks: false, env: { UPSTREAM_TIMEOUT_MS: '1000' } });
    const { id } = await app.get(AccountsService).ensure('ann', { priority: 'interactive' });
    calls = app.get(OrderCalls);
    request = { account: id, idempotencyKey: 'key-1', body: {} };
    late = await attempt();
    app.clock.advance(4_000);
    await attempt();
  });

  afterEach(() => app.close());

  async function attempt(): Promise<CallClaim> {
    const claim = await calls.claim({ ...request, body: {} });
    if (claim.kind !== 'call') throw new Error('there is nothing to call');
    return claim;
  }

  it.each([true, false])('does not affect the next one, whether its outcome is known or not (%s)', async (settled) => {
    await app
      .get(IdempotencyKeys)
      .failed(late, { settled, error: new AppError('order_refused', 'Upstream refused the order.') });
    expect(await codeOf(calls.claim({ ...request, body: {} }))).toBe('placement_in_progress');
  });
});
