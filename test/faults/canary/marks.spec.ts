import { Marks } from './support/marks.js';

describe('a mark', () => {
  const marks = new Marks();
  const value = marks.text('a name');
  const weight = marks.number('a weight');

  it.each<[string, string]>([
    ['as it is', `{"event":"x","reason":"${value}"}`],
    ['in other letters', value.toUpperCase()],
    ['in base64', Buffer.from(`abc${value}de`).toString('base64')],
    ['in base64 behind one byte', Buffer.from(`a${value}de`).toString('base64')],
    ['in base64 behind two bytes', Buffer.from(`ab${value}`).toString('base64url')],
    ['in hex', Buffer.from(value).toString('hex')],
    ['in a query', `?q=${encodeURIComponent(value)}`],
  ])('is found %s', (_, text) => {
    expect(marks.in(text)).toEqual(['a name']);
  });

  it('is reported by its kind, and not found where it is absent', () => {
    expect(marks.in(`${value} ${weight}`)).toEqual(['a name', 'a weight']);
    expect(marks.in('Canary person.example 41.5')).toEqual([]);
    expect(marks.in(`${Math.round(weight)}`)).toEqual([]);
  });
});
