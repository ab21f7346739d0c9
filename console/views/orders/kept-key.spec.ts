import { dropKey, keptKey } from './kept-key.js';

describe('the key of an act that must happen once', () => {
  it('stays the same until it is dropped, and differs for each act', () => {
    const rows = new Map<string, string>();
    const store = {
      getItem: (name: string) => rows.get(name) ?? null,
      setItem: (name: string, value: string) => void rows.set(name, value),
      removeItem: (name: string) => void rows.delete(name),
    };
    let made = 0;
    const key = (act: string): string => keptKey(store, act, () => `key ${++made}`);
    expect([key('place'), key('place'), key('book a'), key('place')]).toEqual(['key 1', 'key 1', 'key 2', 'key 1']);
    dropKey(store, 'place');
    expect([key('place'), key('book a')]).toEqual(['key 3', 'key 2']);
  });
});
