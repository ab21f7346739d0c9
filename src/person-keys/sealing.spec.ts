import { createSecretKey } from 'node:crypto';
import { masterKeyOf, newKey, SEALED_KEY_BYTES, seal, sealText, unseal, unsealText } from './sealing.js';

const key = newKey();

describe('what is sealed', () => {
  it.each([0, 1, 15, 16, 17, 70_000])('is read back with its key: %i bytes', (length) => {
    const plain = Buffer.alloc(length, 'ä{"');
    const sealed = seal(key, plain);
    expect(unseal(key, sealed)).toEqual(plain);
    expect(sealed.length).toBe(length + 28);
  });

  it('shows nothing of the text, and is another each time', () => {
    const [first, second] = [sealText(key, 'MARKED'), sealText(key, 'MARKED')];
    expect(first).not.toBe(second);
    expect(Buffer.from(first, 'base64').includes('MARKED')).toBe(false);
    expect([unsealText(key, first), unsealText(key, second)]).toEqual(['MARKED', 'MARKED']);
  });

  it('is not read with another key, nor when a bit of it was changed or it was cut', () => {
    const sealed = seal(key, Buffer.from('plain'));
    expect(() => unseal(newKey(), sealed)).toThrow();
    for (const at of [0, 12, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => unseal(key, changed)).toThrow();
    }
    for (const length of [0, 5, 27, sealed.length - 1]) expect(() => unseal(key, sealed.subarray(0, length))).toThrow();
  });

  it('has a known length where it is a key', () => {
    expect(seal(key, newKey()).length).toBe(SEALED_KEY_BYTES);
  });
});

describe('the master key', () => {
  const secret = (letter: string) => createSecretKey(Buffer.from(letter.repeat(32)));

  it('is the same for the same secret and file, and another for another of either', () => {
    const keys = [masterKeyOf(secret('a'), '1'), masterKeyOf(secret('b'), '1'), masterKeyOf(secret('a'), '2')];
    expect(new Set(keys.map((each) => each.toString('hex'))).size).toBe(3);
    expect(masterKeyOf(secret('a'), '1')).toEqual(keys[0]);
  });
});
