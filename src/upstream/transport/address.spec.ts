import fc from 'fast-check';
import { fillTemplate, NotSendable, queryString } from './address.js';

describe('fillTemplate', () => {
  it('keeps the slash at the end of the user path [users#create]', () => {
    expect(fillTemplate('/v2/user/', {})).toBe('/v2/user/');
  });

  it('turns any accepted value into exactly one path segment that decodes to it [timeseries#the-call]', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (value) => {
        fc.pre(value !== '.' && value !== '..');
        const url = new URL(fillTemplate('/a/{x}/b', { x: value }), 'http://host');
        expect(url.search + url.hash).toBe('');
        expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'a', value, 'b']);
      }),
    );
  });

  it.each(['', '.', '..', '\ud800'])('refuses a value that cannot be a segment: %j', (value) => {
    expect(() => fillTemplate('/a/{x}', { x: value })).toThrow(new NotSendable('x'));
  });
});

describe('queryString', () => {
  it('repeats the key of a list and omits missing values [orders#list-of-orders]', () => {
    const query = { status: ['a', 'b c'], page: 2, is_critical: false, user_id: undefined, next_cursor: null, ids: [] };
    expect(queryString(query)).toBe('?status=a&status=b+c&page=2&is_critical=false');
  });

  it('is empty for an empty query', () => {
    expect(queryString({})).toBe('');
  });

  it('escapes characters with a meaning in a URL', () => {
    const cursor = 'a&b=c#d/é+%00';
    expect(new URL(`http://host/${queryString({ next_cursor: cursor })}`).searchParams.get('next_cursor')).toBe(cursor);
  });
});
