import { changeKinds, feedScope } from './feed-scope.js';

describe('the scope of a key of the feed', () => {
  it.each([
    ['feed', { kinds: changeKinds, values: false }],
    ['feed+values', { kinds: changeKinds, values: true }],
    ['feed/order/history.complete', { kinds: ['order', 'history.complete'], values: false }],
    ['feed+values/samples', { kinds: ['samples'], values: true }],
  ])('%s', (text, scope) => {
    expect(feedScope(text)).toEqual(scope);
  });

  it.each(['', 'operator', 'feed/', 'feed/orders', 'feed/order/order', 'feed+value', 'Feed', 'feed+values+values'])(
    'is no scope: %p',
    (text) => {
      expect(feedScope(text)).toBeNull();
    },
  );
});
