import { callerAddress, ipAddressIn, trusting } from './caller-address.js';

describe('an address in a header', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    [' 203.0.113.9 ', '203.0.113.9'],
    ['203.0.113.9:51234', '203.0.113.9'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['[2001:db8:0:0:0:0:0:1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%MARKED', 'fe80::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['::1', '::1'],
  ])('%s is %s', (text, address) => {
    expect(ipAddressIn(text)).toBe(address);
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    'MARKED',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.4:x',
    '1.2.3.4:123456',
    '[1.2.3.4',
    '[]:1',
    '999.1.1.1',
    '0x7f.1',
    '"203.0.113.9"',
    '<script>',
    '1.2.3.4\n5.6.7.8',
    '1'.repeat(10_000),
  ])('is not found in %j', (text) => {
    expect(ipAddressIn(text)).toBeNull();
  });

  const from = (ip: string, remoteAddress?: string): string =>
    callerAddress({ ip, socket: { remoteAddress } } as unknown as Parameters<typeof callerAddress>[0]);

  it('is stored only if it is an address, whatever a proxy forwards', () => {
    expect(from('[2001:db8::1]:9', '10.0.0.1')).toBe('2001:db8::1');
    expect(from('MARKED'.repeat(1_000), '::ffff:10.0.0.1')).toBe('unknown via 10.0.0.1');
    expect(from('MARKED', undefined)).toBe('unknown via unknown');
  });
});

describe('trusted proxies', () => {
  const trusts = trusting(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1']);

  it.each(['10.1.2.3', '10.1.2.3:80', '::ffff:10.1.2.3', '192.0.2.7', '2001:db8:1::9', '[2001:db8::1]:80', '::1'])(
    'are trusted as %s',
    (address) => expect(trusts(address)).toBe(true),
  );

  it.each(['11.0.0.1', '192.0.2.8', '2001:db9::1', 'MARKED', '', '10.0.0'])('are not found in %j', (address) =>
    expect(trusts(address)).toBe(false),
  );
});
