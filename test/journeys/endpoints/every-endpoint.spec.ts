import { join } from 'node:path';
import { titlesOf } from '../../support/test-titles.js';

const pulled = {
  good: ['endpoints/records › %s, pulled from upstream, › arrives completely, and is shown to its owner only'],
  bad: [
    'endpoints/records › %s, pulled from upstream, › fails visibly if upstream refuses with %i, and arrives on request',
    'endpoints/records › %s, pulled from upstream, › waits visibly after %s, then arrives completely',
  ],
};
const token = {
  good: ['endpoints/users › a %s › is returned, and stored nowhere'],
  bad: [
    'endpoints/users › a %s › that fails with %i is a %i %s, and is returned afterwards',
    'endpoints/users › a %s › for a user whom upstream has lost is refused with a conflict',
  ],
};
const adoption = 'import › taking over the users that upstream has';
const result =
  'endpoints/orders › the result of %s › that fails with %s is an error, loses nothing, and is returned afterwards';
const oneOrder = 'endpoints/orders › one order › that fails with %s is an error, and is stored afterwards';
const transactionPdf =
  'endpoints/orders › the result PDF of a transaction › that fails with %s is an error, and is returned as a file afterwards';

/**
 * Every endpoint of docs/upstream/README.md#endpoints, and the journeys that drive it through the whole application.
 */
const journeys: Readonly<Record<string, { good: readonly string[]; bad: readonly string[] }>> = {
  'GET /v2/timeseries/{user_id}/mindfulness_minutes/grouped': pulled,
  'GET /v2/timeseries/{user_id}/blood_pressure/grouped': pulled,
  'GET /v2/summary/sleep/{user_id}': pulled,
  'GET /v2/user/': {
    good: [`${adoption} › ends with their history in the store, although none of it was delivered`],
    bad: [`${adoption} › reports when upstream %s, and takes them over afterwards`],
  },
  'POST /v2/user/': {
    good: [
      'first-login › from first login to first record › creates one upstream user however many calls race for a new account',
    ],
    bad: [
      'import › creating a user upstream › ends with a clear problem when upstream %s, and is completed automatically afterwards',
      'first-login › from first login to first record › reports that the sandbox environment is full',
    ],
  },
  'GET /v2/user/resolve/{client_user_id}': {
    good: [`${adoption} › asks upstream about accounts missing from its list, and reports the response`],
    bad: ['endpoints/users › a user looked up by its account id › delays an import while upstream responds with %i'],
  },
  'POST /v2/user/{user_id}/sign_in_token': token,
  'POST /v2/link/token': token,
  'GET /v2/introspect/historical_pull': {
    good: ['endpoints/records › historical pulls › show all fields of each'],
    bad: ['endpoints/records › historical pulls › do not change if upstream responds with %s, and continue afterwards'],
  },
  'POST /v3/order/psc/appointment/availability': {
    good: ['labs › labs, for the %s, › offer appointments that can be booked'],
    bad: [
      'labs › labs, for the %s, › report that a site is unknown to upstream',
      'labs › labs, for the %s, › report that scheduling is not available, and find slots once it is',
    ],
  },
  'POST /v3/compendium/search': {
    good: ['labs › labs, for the %s, › find tests by name, with the name at each lab'],
    bad: [
      'labs › labs, for the %s, › report which lab upstream does not know',
      'labs › labs, for the %s, › report that upstream is down, and search again once it is back',
    ],
  },
  'GET /v3/order_transaction/{order_transaction_id}': {
    good: ['endpoints/orders › a transaction › is read with all its orders when an operator asks'],
    bad: ['endpoints/orders › a transaction › does not change if upstream responds with %s, and is read afterwards'],
  },
  'GET /v3/order_transaction/{order_transaction_id}/result': { good: [result], bad: [result] },
  'GET /v3/order_transaction/{order_transaction_id}/result/pdf': { good: [transactionPdf], bad: [transactionPdf] },
  'GET /v3/orders': {
    good: [
      'order-upkeep › orders over their life › whose webhooks are all lost are repaired by the list, with the redraw and its outcome',
    ],
    bad: ['endpoints/orders › the list of orders › that fails with %s is read again, and nothing is missed'],
  },
  'GET /v3/order/{order_id}': { good: [oneOrder], bad: [oneOrder] },
  'GET /v3/order/{order_id}/result': { good: [result], bad: [result] },
};

describe('the endpoints of upstream', () => {
  const isTest = (name: string): boolean => {
    const [file, ...trail] = name.split(' › ');
    return titlesOf(join('test/journeys', `${file}.spec.ts`)).has(trail.join(' › '));
  };

  it('are the 17 of docs/upstream', () => {
    expect(Object.keys(journeys)).toHaveLength(17);
  });

  it.each(Object.entries(journeys))(
    '%s has a journey that succeeds and two, or a table of them, that fail',
    (_, { good, bad }) => {
      expect([...good, ...bad].filter((name) => !isTest(name))).toEqual([]);
      expect(good.length).toBeGreaterThan(0);
      expect(bad.length > 1 || bad.some((name) => name.includes('%'))).toBe(true);
    },
  );
});
