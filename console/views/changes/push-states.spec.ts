import { standingOf, stateOfSubscription } from './push-states.js';

describe('the standing of a subscription', () => {
  it.each([
    ['active', 'received', { state: 'active', reason: null, failing_since: null }],
    ['failing', 'waiting', { state: 'active', reason: null, failing_since: '2026-11-03T00:00:00Z' }],
    ['disabled: operator', 'gone', { state: 'disabled', reason: 'operator', failing_since: null }],
    ['disabled: fell behind', 'failed', { state: 'disabled', reason: 'fell_behind', failing_since: null }],
  ] as const)('is %s', (words, shape, subscription) => {
    expect([standingOf(subscription), stateOfSubscription(subscription)]).toEqual([words, shape]);
  });
});
