import { Conditions } from './conditions.js';

describe('Conditions', () => {
  it('are joined in the order in which they were added, with their values', () => {
    const conditions = new Conditions().add('a = ?', 1).add('b IS NULL').add('(c, d) < (?, ?)', 'x', 2);
    expect(conditions.where).toBe('WHERE a = ? AND b IS NULL AND (c, d) < (?, ?)');
    expect(conditions.and).toBe('AND a = ? AND b IS NULL AND (c, d) < (?, ?)');
    expect(conditions.values).toEqual([1, 'x', 2]);
  });

  it('leave out a condition whose value is missing; null is a value', () => {
    const conditions = new Conditions().add('a = ?', undefined).add('(b, c) < (?, ?)', 1, undefined).add('d = ?', null);
    expect(conditions.where).toBe('WHERE d = ?');
    expect(conditions.values).toEqual([null]);
  });

  it('are an empty text if there are none', () => {
    const conditions = new Conditions();
    expect([conditions.where, conditions.and, conditions.values]).toEqual(['', '', []]);
  });
});
