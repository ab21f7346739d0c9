import { digestOf, fingerprintOf } from './idempotency-key.js';

const secret = { idempotencyKey: 'key-1', salt: 'salt-1' };
const body = { patient: { name: 'Ada', tags: [1, 2] }, order: { id: 'x' } };

describe('the fingerprint of a body', () => {
  it('does not depend on the order of fields', () => {
    const same = { order: { id: 'x' }, patient: { tags: [1, 2], name: 'Ada' } };
    expect(fingerprintOf(same, secret)).toBe(fingerprintOf(body, secret));
  });

  it.each([
    { ...body, more: null },
    { ...body, order: { id: 'y' } },
    { ...body, patient: { name: 'Ada', tags: [2, 1] } },
    { ...body, patient: { name: 'Ada', tags: ['1', 2] } },
    { ...body, patient: { 'name":"Ada': 1 } },
  ])('differs for %j', (other) => {
    expect(fingerprintOf(other, secret)).not.toBe(fingerprintOf(body, secret));
  });

  it('differs with the key of the caller and with the placement, so no two rows can be compared', () => {
    const all = [
      fingerprintOf(body, secret),
      fingerprintOf(body, { ...secret, idempotencyKey: 'key-2' }),
      fingerprintOf(body, { ...secret, salt: 'placement-2' }),
    ];
    expect(new Set(all).size).toBe(3);
  });

  it('cannot be computed from the digest of the key', () => {
    expect(digestOf('key-1')).toMatch(/^[0-9a-f]{64}$/);
    expect(digestOf('key-1')).not.toBe(digestOf('key-2'));
  });
});
