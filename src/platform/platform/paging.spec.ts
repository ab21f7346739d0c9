import fc from 'fast-check';
import { AppError } from './errors.js';
import { decodeCursor, encodeCursor, mapPage, pageOf } from './paging.js';

function raw(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('cursor', () => {
  it('returns the values from which it was made', () => {
    const value = fc.tuple(fc.integer(), fc.string({ unit: 'grapheme', maxLength: 100 }));
    fc.assert(
      fc.property(value, (values) => {
        expect(decodeCursor(encodeCursor(values), ['number', 'string'])).toEqual(values);
      }),
    );
  });

  it('needs no escaping in a URL', () => {
    expect(encodeCursor(['ÿ?>', 1])).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it.each([
    ['nothing', ''],
    ['no base64', '%%%'],
    ['padding', `${raw([1, 'b'])}==`],
    ['a blank inside', ` ${raw([1, 'b'])}`],
    ['no JSON', Buffer.from('hello').toString('base64url')],
    ['no array', raw({ 0: 1, 1: 'b', length: 2 })],
    ['too few values', raw([1])],
    ['too many values', raw([1, 'b', 2])],
    ['values of another type', raw(['1', 'b'])],
    ['null', raw([null, 'b'])],
    ['JSON written otherwise', Buffer.from('[1, "b"]').toString('base64url')],
    ['bytes that are no text', Buffer.from([0x5b, 0x31, 0x2c, 0x22, 0xff, 0x22, 0x5d]).toString('base64url')],
    ['too long a text', raw([1, 'b'.repeat(5_000)])],
  ])('refuses %s', (_what, text) => {
    let refusal: unknown;
    try {
      decodeCursor(text, ['number', 'string']);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({ code: 'invalid_request', fields: [{ field: 'cursor' }] });
  });
});

const rows = [1, 2, 3, 4].map((id) => ({ id, name: `n${id}` }));
const keyOf = (row: { id: number }) => [row.id];

describe('pageOf', () => {
  it('shows at most the limit and points after the last row shown', () => {
    const page = pageOf(rows, 3, keyOf);
    expect(page.data.map((row) => row.id)).toEqual([1, 2, 3]);
    expect(decodeCursor(page.next_cursor ?? '', ['number'])).toEqual([3]);
  });

  it.each([4, 5])('has no next page if no row is left (limit %i)', (limit) => {
    expect(pageOf(rows, limit, keyOf)).toEqual({ data: rows, next_cursor: null });
  });

  it('may be empty', () => {
    expect(pageOf([], 3, keyOf)).toEqual({ data: [], next_cursor: null });
  });

  it('keeps its cursor when its rows are mapped', () => {
    const page = pageOf(rows, 1, keyOf);
    expect(mapPage(page, (row) => row.name)).toEqual({ data: ['n1'], next_cursor: page.next_cursor });
  });
});
