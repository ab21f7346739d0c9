import { isExternalAccountId } from '../../../src/platform/platform/ids.js';
import { looksPersonal } from '../../../src/platform/platform/personal-text.js';

describe('an account id that looks personal', () => {
  it.each([
    'jane@example.com',
    'Jane.Doe+tag@Example.CO.UK',
    'jane@example.photography',
    'jane@localhost',
    'jane@[127.0.0.1]',
    'jane@xn--bcher-kva.xn--p1ai',
    'jané@bücher.example',
    'mailto:jane@example.com',
    '  jane@example.com ',
    'Jane <jane@example.com>',
    'tenant-7:jane@example.com',
    'auth|jane@example.com',
    'jane%40example.com',
    'jane＠example.com',
  ])('is the e-mail address %s [users#ids]', (id) => {
    expect(looksPersonal(id)).toBe(true);
  });

  it.each([
    '+491701234567',
    '+1 (555) 123-4567',
    '(030) 123 4567',
    '0170-1234567',
    '0170/1234567',
    '555.123.4567',
    '555 123 4567',
    '555\u2013123\u20134567',
    '+1 555 123 4567 ext. 89',
    'tel:+491701234567',
    '＋４９１７０１２３４５６７',
    '%2B491701234567',
    '555\u00a0123\u00a04567',
  ])('is the phone number %s [users#ids]', (id) => {
    expect(looksPersonal(id)).toBe(true);
  });

  it.each([
    '42',
    '491701234567',
    '00491701234567',
    'cust-42',
    'cust-5551234567',
    '00000000-0000-4000-8000-000000000001',
    '12345678-1234-1234-1234-123456789012',
    'auth0|5f7c8ec7c33c6c004bbafe82',
    'google-oauth2|113345987654321',
    'user@42',
    'jane@',
    '@jane',
    'a@b',
    'team@home',
    '1-2-3',
    '123_456_7890',
    '+49',
    '100%',
    '%E0%A4%A',
    'ünïcödé-7',
    '2026-W47-5-000017-000001-99',
  ])('is not %s', (id) => {
    expect(looksPersonal(id)).toBe(false);
  });
});

describe('what can be an account id', () => {
  it.each(['a', 'x'.repeat(255), 'ünïcödé 😀', ' ', '...', '.a'])('includes "%s"', (id) => {
    expect(isExternalAccountId(id)).toBe(true);
  });

  it.each([
    '',
    '.',
    '..',
    'x'.repeat(256),
    'a\u0000',
    'a\u007f',
    'a\u0085',
    'a\tb',
    '\ud83d',
    42,
    null,
    undefined,
    ['a'],
    {},
  ])('excludes %p', (id) => {
    expect(isExternalAccountId(id)).toBe(false);
  });
});
