import { BlockList, isIP } from 'node:net';

/** Throws for an entry that is no address or network. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** False for what is no IP address. */
export function contains(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family > 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

const linkLocal = '169.254.0.0/16';
const metadataAddresses = [
  '169.254.169.254',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::23',
  'fd00:ec2::254',
  'fd20:ce::254',
];
/** Of Alibaba Cloud, in the middle of 100.64.0.0/10, a network that VPNs use elsewhere. */
const metadataAmongVpns = '100.100.100.200';

/**
 * Addresses at which clouds give the credentials of a machine or container to every program on it: those of AWS, Azure,
 * Google Cloud, Oracle Cloud, Alibaba Cloud and most others.
 */
export const metadataServices = networkList([linkLocal, ...metadataAddresses, metadataAmongVpns]);

/** True if the network, such as `10.0.0.0/8`, contains a metadata service of a cloud. */
export function opensMetadata(network: string): boolean {
  const [address = ''] = network.split('/');
  const list = networkList([network]);
  return contains(metadataServices, address) || metadataAddresses.some((each) => contains(list, each));
}

/** The well-known prefix (RFC 6052) and the usual one of local networks (RFC 8215). */
const nat64 = networkList(['64:ff9b::/96', '64:ff9b:1::/96']);

/**
 * The address that a connection reaches: for an address of NAT64 the IPv4 address in its last 32 bits, to which a
 * gateway connects, else the address itself.
 */
export function reachedAddress(address: string): string {
  if (isIP(address) !== 6 || !contains(nat64, address)) return address;
  // A URL writes the address in its shortest form: at most two groups follow the prefix.
  const [, last = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = last.split(':');
  const bits = groups.reduce((sum, group) => sum * 0x10000 + Number.parseInt(group || '0', 16), 0);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}
