import type { AppError } from '../../platform/platform/errors.js';
import { idempotencyKeyOf } from './idempotency-key.js';

const keyOf = (value?: string): string => idempotencyKeyOf(value === undefined ? {} : { 'idempotency-key': value });

describe('the idempotency key of a request', () => {
  it.each(['k', '5f0a1f0e-9d1c-4c39-8c39-0f4f5f6f7a8b', 'x'.repeat(255), '!~'])('may be %s', (key) => {
    expect(keyOf(key)).toBe(key);
  });

  const refusalOf = (value?: string): { code?: string; message: string } => {
    try {
      return { message: keyOf(value) };
    } catch (error) {
      return error as AppError;
    }
  };

  it.each([undefined, ''])('counts as missing as %s', (key) => {
    expect(refusalOf(key).code).toBe('idempotency_key_required');
  });

  it.each(['a b', 'first, second', 'é', 'x'.repeat(256), 'a\tb'])('is refused as %s, without being repeated', (key) => {
    const refusal = refusalOf(key);
    expect(refusal.code).toBe('invalid_request');
    expect(JSON.stringify(refusal)).not.toContain(key);
    expect(refusal.message).not.toContain(key);
  });
});
