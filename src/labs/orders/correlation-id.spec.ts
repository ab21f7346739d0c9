import { readOrder } from '../../upstream/client/wire-orders.js';
import { placementOf, withCorrelationId } from './correlation-id.js';

const placement = '5f0a1f0e-9d1c-4c39-8c39-0f4f5f6f7a8b';
const mark = `pulsekeep:${placement}`;
const order = (more: object): ReturnType<typeof readOrder> => readOrder({ id: 'a', user_id: 'u', ...more });

describe('the correlation id of a placement', () => {
  it.each([{}, { passthrough: null }, { passthrough: '' }])('is added to %j', (body) => {
    expect(withCorrelationId(body, placement)).toEqual({ passthrough: mark });
  });

  it('does not replace the passthrough of the caller', () => {
    const body = { passthrough: 'ref-1' };
    expect(withCorrelationId(body, placement)).toBe(body);
  });

  it.each([
    [{ passthrough: mark, origin: 'initial' }, placement],
    [{ passthrough: mark }, placement],
    [{ passthrough: mark, origin: 'redraw' }, null],
    [{ passthrough: mark, origin: 'recreation' }, null],
    [
      {
        passthrough: mark,
        order_transaction: { id: 't', status: 'active', orders: [{ id: 'a', origin: null, parent_id: 'b' }] },
      },
      null,
    ],
    [{ passthrough: 'ref-1' }, null],
    [{ passthrough: `${mark} ` }, null],
    [{}, null],
  ])('is read from %j as %s', (fields, expected) => {
    expect(placementOf(order(fields))).toBe(expected);
  });
});
