import type { LookupAddress } from 'node:dns';
import { AddressGuard, AddressRefused, isPublic } from './address-guard.js';

describe('an address', () => {
  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '2606:4700::1111',
    '64:ff9b::5db8:d70e',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::808:808',
    '64:ff9b:1::5db8:0',
  ])('%s is public', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.9.9.9',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:8.8.8.8',
    '64:ff9b::',
    '64:ff9b::1',
    '64:ff9b::a00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a00:1',
    '64:ff9b:1::808',
    '64:ff9b:1:1::808:808',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
    'localhost',
    '',
  ])('%s is not public', (address) => {
    expect(isPublic(address)).toBe(false);
  });
});

describe('the URL of an endpoint', () => {
  const open = new AddressGuard([]);
  const inside = new AddressGuard(['10.0.0.0/8', '::1']);
  const may = (guard: AddressGuard, url: string) => guard.mayConnect(new URL(url));

  it.each([
    ['https://example.com/x', true, true],
    ['https://1.1.1.1/', true, true],
    ['https://10.0.0.1/', false, true],
    ['https://[::1]:8443/', false, true],
    ['https://127.0.0.1/', false, false],
    // Other spellings of 127.0.0.1.
    ['https://0x7f.1/', false, false],
    ['https://2130706433/', false, false],
    ['https://[::ffff:127.0.0.1]/', false, false],
    ['http://10.0.0.1/', false, true],
    ['http://1.1.1.1/', false, false],
    ['http://intranet/', false, true],
  ])('%s: %s, with private networks allowed %s', (url, withoutSetting, withSetting) => {
    expect([may(open, url), may(inside, url)]).toEqual([withoutSetting, withSetting]);
  });
});

describe('a host name', () => {
  function resolved(addresses: string[], isSecure = true, networks: string[] = []): Promise<string[]> {
    const found = addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
    const guard = new AddressGuard(networks, (_host, _options, callback) => callback(null, found));
    return new Promise((resolve, reject) => {
      guard.lookupFor(isSecure)('name.test', { all: true }, (error, list) => {
        if (error) reject(error);
        else resolve((list as LookupAddress[]).map(({ address }) => address));
      });
    });
  }

  it('resolves to its permitted addresses only', async () => {
    expect(await resolved(['10.0.0.1', '1.1.1.1', '::1'])).toEqual(['1.1.1.1']);
    expect(await resolved(['10.0.0.1', '1.1.1.1'], false, ['10.0.0.0/8'])).toEqual(['10.0.0.1']);
  });

  it('that NAT64 made is judged by the IPv4 address inside, whatever is allowed for its prefix', async () => {
    const inside = '64:ff9b::a00:1';
    await expect(resolved([inside], true, ['64:ff9b::/96'])).rejects.toThrow(AddressRefused);
    expect(await resolved([inside], false, ['10.0.0.0/8'])).toEqual([inside]);
    expect(await resolved(['64:ff9b::5db8:d70e'])).toEqual(['64:ff9b::5db8:d70e']);
  });

  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
  ])('never resolves to %s, where clouds give out credentials, whatever is allowed', async (address) => {
    await expect(resolved([address], true, ['0.0.0.0/0', '::/0'])).rejects.toThrow(AddressRefused);
  });

  it('is refused if none of its addresses is permitted', async () => {
    await expect(resolved(['169.254.169.254', 'fe80::1'])).rejects.toThrow(AddressRefused);
    await expect(resolved(['1.1.1.1'], false, ['10.0.0.0/8'])).rejects.toThrow(AddressRefused);
  });

  it('is checked for each connection, so that a changed address does not lead into a private network', async () => {
    const answers = ['1.1.1.1', '127.0.0.1'];
    const guard = new AddressGuard([], (_host, _options, callback) =>
      callback(null, [{ address: answers.shift() ?? '', family: 4 }]),
    );
    const next = () =>
      new Promise((resolve) => {
        guard.lookupFor(true)('name.test', {}, (error, address) => resolve(error ?? address));
      });
    expect(await next()).toBe('1.1.1.1');
    expect(await next()).toBeInstanceOf(AddressRefused);
  });
});
