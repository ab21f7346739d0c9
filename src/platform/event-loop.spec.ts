import { yieldToEventLoop } from './event-loop.js';

describe('own turn', () => {
  it('gives those who ask at once a turn each, in their order, with room for others in between', async () => {
    const seen: string[] = [];
    const others = async (): Promise<void> => {
      for (let turn = 0; turn < 8; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push('.');
      }
    };
    const asked = ['a', 'b', 'c'].map(async (name) => {
      await yieldToEventLoop();
      seen.push(name);
    });
    await Promise.all([others(), ...asked]);
    expect(seen.filter((entry) => entry !== '.')).toEqual(['a', 'b', 'c']);
    expect(seen.join('')).toMatch(/a\.+b\.+c/);
  });
});
