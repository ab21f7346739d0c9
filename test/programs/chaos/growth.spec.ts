import { grown, type Held } from '../../../chaos/growth.js';

const MIB = 1024 * 1024;

function life(held: (index: number) => Partial<Held>): Held[] {
  return Array.from({ length: 40 }, (_, index) => ({ memory: 200 * MIB, handles: 60, ...held(index) }));
}

describe('growth of a process, by samples of its life', () => {
  it('is not found if memory rises and falls', () => {
    expect(grown(life((index) => ({ memory: (index % 2 === 0 ? 150 : 260) * MIB })))).toEqual([]);
  });

  it('is not found if caches fill at first', () => {
    expect(grown(life((index) => ({ memory: Math.min(250, 100 + index * 20) * MIB })))).toEqual([]);
  });

  it('is found in memory and in handles', () => {
    expect(grown(life((index) => ({ memory: (200 + index * 5) * MIB })))).toEqual(['memory grows']);
    expect(grown(life((index) => ({ handles: 60 + index })))).toEqual(['handles grow']);
  });

  it('is not judged by a short life', () => {
    expect(grown(life((index) => ({ memory: (1 + index) * MIB })).slice(0, 19))).toEqual([]);
  });
});
