import { isUuid, newId } from './ids.js';

describe('ids', () => {
  it('are uuids that differ', () => {
    const ids = Array.from({ length: 100 }, newId);
    expect(ids.every(isUuid)).toBe(true);
    expect(new Set(ids).size).toBe(100);
  });

  it.each([
    ['00000000-0000-4000-8000-000000000001', true],
    ['00000000-0000-4000-8000-00000000000A', true],
    ['00000000-0000-4000-8000-00000000000', false],
    ['{00000000-0000-4000-8000-000000000001}', false],
    ['00000000-0000-4000-8000-000000000001\n', false],
    ['', false],
  ])('%j is a uuid: %s', (text, expected) => {
    expect(isUuid(text)).toBe(expected);
  });
});
