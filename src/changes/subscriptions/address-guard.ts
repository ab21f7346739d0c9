import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { type BlockList, isIP } from 'node:net';
import { contains, metadataServices, networkList, reachedAddress } from '../../platform/config/networks.js';
import { isSecure } from './broker-address.js';

/*
 * Limits the addresses to which pushes may connect. An operator chooses the URL of an endpoint, but its host name is
 * resolved for each connection, so the check happens then: a name that resolved to a public address yesterday must not
 * lead into the private network today.
 */

/** IPv4 networks outside the public internet (IANA special-purpose registry, multicast, reserved). */
const privateV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Only 2000::/3 is public, without these: 2001::/23 contains Teredo, 2002::/16 may embed any IPv4 address. */
const publicV6 = networkList(['2000::/3']);
const excepted = networkList([...privateV4, '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** The endpoint has an address to which pushes may not connect. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
export type Lookup = (host: string, options: LookupOptions, callback: LookupCallback) => void;
type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export class AddressGuard {
  private readonly allowed: BlockList;

  /** `networks`: private addresses and networks that an operator allows. They never open a metadata service. */
  constructor(
    networks: readonly string[],
    private readonly resolve: Resolve = lookup,
  ) {
    this.allowed = networkList(networks);
    this.hasAllowed = networks.length > 0;
  }

  /** True if an operator allowed any private network. */
  readonly hasAllowed: boolean;

  /** True if pushes may connect to the IP address; without TLS, only to allowed networks. */
  permits(address: string, isSecure: boolean): boolean {
    const reached = reachedAddress(address);
    if (contains(metadataServices, reached)) return false;
    return contains(this.allowed, reached) || (isSecure && isPublic(reached));
  }

  /**
   * False if pushes can never connect to the URL: its host is a refused IP address, or it has no TLS and no network is
   * allowed. Host names are checked for each connection ({@link lookupFor}).
   */
  mayConnect({ protocol, hostname }: URL): boolean {
    const isTls = isSecure({ protocol });
    const host = hostname.replace(/^\[|\]$/g, '');
    return isIP(host) > 0 ? this.permits(host, isTls) : isTls || this.hasAllowed;
  }

  /** Resolves a name to its permitted addresses; fails with {@link AddressRefused} if there are none. */
  lookupFor(isSecure: boolean): Lookup {
    return (host, options, callback) => {
      this.resolve(host, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, []);
        const permitted = addresses.filter(({ address }) => this.permits(address, isSecure));
        const [first] = permitted;
        if (!first) return callback(new AddressRefused('no permitted address'), []);
        if (options.all) callback(null, permitted);
        else callback(null, first.address, first.family);
      });
    };
  }
}

/** True for an address in the public internet; one of NAT64 is as public as the IPv4 address inside it. */
export function isPublic(address: string): boolean {
  const reached = reachedAddress(address);
  if (contains(excepted, reached)) return false;
  return isIP(reached) === 4 || contains(publicV6, reached);
}
