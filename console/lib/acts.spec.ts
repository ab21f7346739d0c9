import { idsOf, mayChange } from './acts.js';
import { isRefused, PulsekeepError } from './api.js';
import { Unanswered } from './reachable.js';

const query = (queryKey: readonly unknown[], data: unknown = null, meta = {}): Parameters<typeof mayChange>[0] => ({
  ...{ queryKey, meta, state: { data } },
});

describe('an act', () => {
  it('is about the ids in its path', () => {
    expect(idsOf({ account_id: 'person-7', provider: 'oura', id: 7 })).toEqual(['person-7']);
    expect([idsOf({ id: 'a' }), idsOf()]).toEqual([['a'], []]);
  });

  it.each([
    ['what is kept current', query(['listAlarms', null], null, { follows: true }), true],
    ['what is read by its id', query(['getOrder', { path: { order_id: 'o-1' } }]), true],
    ['what names it', query(['getOrderTransaction', { path: { id: 't' } }], { orders: [{ order_id: 'o-1' }] }), true],
    ['not of an id that begins so', query(['getOrder', { path: { order_id: 'o-12' } }]), false],
    ['not what was read on request', query(['getOrderResult', 'o-1'], null, { isOnRequest: true }), false],
  ])('makes other tabs refresh %s', (_, shown, isRead) => {
    expect(mayChange(shown, ['o-1'])).toBe(isRead);
  });

  it.each([
    ['refused it', new PulsekeepError(409, { code: 'conflict' }, undefined), true],
    ['failed', new PulsekeepError(500, { code: 'internal' }, undefined), false],
    ['was behind a proxy that answered', new PulsekeepError(404, {}, undefined), false],
    ['did not answer', new Unanswered(90), false],
    ['could not be reached', new TypeError('Failed to fetch'), false],
  ])('certainly had no effect only if the service refused it: it %s', (_, error, isCertain) => {
    expect(isRefused(error)).toBe(isCertain);
  });
});
