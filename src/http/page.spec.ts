import { decodeCursor } from '../platform/cursor.js';
import { mapPage, pageOf } from './page.js';

const rows = [1, 2, 3, 4].map((id) => ({ id, name: `n${id}` }));
const keyOf = (row: { id: number }) => [row.id];

describe('pageOf', () => {
  it('shows at most the limit and points behind the last row shown', () => {
    const page = pageOf(rows, 3, keyOf);
    expect(page.data.map((row) => row.id)).toEqual([1, 2, 3]);
    expect(decodeCursor(page.next_cursor ?? '', ['number'])).toEqual([3]);
  });

  it.each([4, 5])('has no next page when no row is left over (limit %i)', (limit) => {
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
