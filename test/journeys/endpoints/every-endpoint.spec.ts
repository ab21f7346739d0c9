import { join } from 'node:path';
import { titlesOf } from '../../support/test-titles.js';

const pulled = {
  good: ['endpoints/records › %s, pulled from upstream, › comes whole, and to its owner only'],
  bad: [
    'endpoints/records › %s, pulled from upstream, › that upstream refuses with %i fails in sight of operators, and comes when asked for',
    'endpoints/records › %s, pulled from upstream, › waits in sight of operators after %s, and then comes whole by itself',
  ],
};
const token = {
  good: ['endpoints/users › a %s › is had, and kept nowhere'],
  bad: [
    'endpoints/users › a %s › that upstream answers with %i is a %i %s, and is had afterwards',
    'endpoints/users › a %s › for a user whom upstream has lost is refused with a conflict',
  ],
};
const adoption = 'import › taking over the users that upstream has';
const result =
  'endpoints/orders › the result of %s › that upstream answers with %s is told, loses nothing, and is had afterwards';
const oneOrder = 'endpoints/orders › one order › that upstream answers with %s is told, and is stored afterwards';
const transactionPdf =
  'endpoints/orders › the result PDF of a transaction › that upstream answers with %s is told, and comes as a file afterwards';

/**
 * Every endpoint of docs/upstream/README.md#endpoints, and the journeys that drive it through the whole application.
 */
const journeys: Readonly<Record<string, { good: readonly string[]; bad: readonly string[] }>> = {
  'GET /v2/timeseries/{user_id}/mindfulness_minutes/grouped': pulled,
  'GET /v2/timeseries/{user_id}/blood_pressure/grouped': pulled,
  'GET /v2/summary/sleep/{user_id}': pulled,
  'GET /v2/user/': {
    good: [`${adoption} › ends with their history in the store, though nothing was ever delivered of it`],
    bad: [`${adoption} › shows it when it %s, and takes them over once that is mended`],
  },
  'POST /v2/user/': {
    good: [
      'first-login › from first login to first record › makes one upstream user however many calls race for a new account',
    ],
    bad: [
      'import › making a user upstream › ends with a clear problem when upstream %s, and is finished by itself afterwards',
      'first-login › from first login to first record › says clearly that the sandbox environment is full',
    ],
  },
  'GET /v2/user/resolve/{client_user_id}': {
    good: [`${adoption} › asks upstream about accounts that its list does not show, and says what it answered`],
    bad: [
      'endpoints/users › a user looked up by its account id › that upstream answers with %i holds an import up, until it can be asked',
    ],
  },
  'POST /v2/user/{user_id}/sign_in_token': token,
  'POST /v2/link/token': token,
  'GET /v2/introspect/historical_pull': {
    good: ['endpoints/records › historical pulls › show all that upstream tells of each'],
    bad: [
      'endpoints/records › historical pulls › stay as they were when upstream answers with %s, and go on afterwards',
    ],
  },
  'POST /v3/order/psc/appointment/availability': {
    good: ['labs › labs, for the %s, › offer appointments that can be booked'],
    bad: [
      'labs › labs, for the %s, › tell that a site is not one of upstream',
      'labs › labs, for the %s, › tell that scheduling is not available, and find slots once it is',
    ],
  },
  'POST /v3/compendium/search': {
    good: ['labs › labs, for the %s, › find tests by name and what each lab calls them'],
    bad: [
      'labs › labs, for the %s, › tell which lab upstream does not know',
      'labs › labs, for the %s, › tell that upstream is down, and search again once it is back',
    ],
  },
  'GET /v3/order_transaction/{order_transaction_id}': {
    good: ['endpoints/orders › a transaction › is read with all its orders when an operator asks'],
    bad: ['endpoints/orders › a transaction › stays as it was when upstream answers with %s, and is read afterwards'],
  },
  'GET /v3/order_transaction/{order_transaction_id}/result': { good: [result], bad: [result] },
  'GET /v3/order_transaction/{order_transaction_id}/result/pdf': { good: [transactionPdf], bad: [transactionPdf] },
  'GET /v3/orders': {
    good: [
      'order-upkeep › orders over their life › whose webhooks are all lost are healed by the list: what came between, the redraw and its outcome',
    ],
    bad: [
      'endpoints/orders › the list of orders › that upstream answers with %s is walked again, and nothing is missed',
    ],
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
    '%s has a journey that goes well and two, or a table of them, that do not',
    (_, { good, bad }) => {
      expect([...good, ...bad].filter((name) => !isTest(name))).toEqual([]);
      expect(good.length).toBeGreaterThan(0);
      expect(bad.length > 1 || bad.some((name) => name.includes('%'))).toBe(true);
    },
  );
});
