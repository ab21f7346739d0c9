import type { OpenFields } from '../../http/server/open-body.js';
import type { AppError } from '../../platform/platform/errors.js';
import { readOrderRequest } from './order-request.js';

const order = { order_set: { lab_test_ids: ['x'] }, whatever: [{ a: 1 }] };

const faultsOf = (body: OpenFields): unknown => {
  try {
    return readOrderRequest(body);
  } catch (error) {
    return (error as AppError).fields?.map(({ field }) => field);
  }
};

describe('a request to place an order', () => {
  it('is for an account or for a user, and the rest is passed on unchanged', () => {
    expect(readOrderRequest({ ...order, account_id: 'ann' })).toEqual({ for: { accountId: 'ann' }, order });
    expect(readOrderRequest({ ...order, user_id: 'u', account_id: null })).toEqual({ for: { userId: 'u' }, order });
  });

  it.each<[OpenFields, string[]]>([
    [order, ['account_id']],
    [{ ...order, account_id: 'a', user_id: 'u' }, ['account_id']],
    [{ account_id: 'a' }, ['order_set']],
    [{ account_id: 'a', order_set: null }, ['order_set']],
    [{ account_id: 'a', order_set: { add_on: { marker_ids: [1] } } }, ['collection_method']],
    [
      {
        account_id: 'a',
        collection_method: 'testkit',
        order_set: { add_on: { marker_ids: [1], provider_ids: ['1'] } },
      },
      ['order_set.add_on'],
    ],
  ])('is refused for %j because of %j [orders#choice-of-tests]', (body, fields) => {
    expect(faultsOf(body)).toEqual(fields);
  });

  it('omits a null that upstream refuses', () => {
    const { consents: _, ...sent } = { ...order, consents: null, icd_codes: null };
    const body = { ...sent, consents: null, priority: null, account_id: 'ann' };
    expect(readOrderRequest(body)).toEqual({ for: { accountId: 'ann' }, order: sent });
  });

  it('may have one test in the deprecated form', () => {
    expect(faultsOf({ account_id: 'a', lab_test_id: 'x' })).toMatchObject({ order: { lab_test_id: 'x' } });
  });
});
