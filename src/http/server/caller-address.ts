import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { contains, networkList } from '../../platform/config/networks.js';

/** An entry of `X-Forwarded-For`: an address, an address with a port, or an IPv6 address in brackets. */
const withPort = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/**
 * Canonical form of the IP address in a text; null if there is none. Drops the zone of an IPv6 address (`%eth0`),
 * because it could contain anything, and converts an IPv4-mapped IPv6 address to IPv4.
 */
export function ipAddressIn(text: string): string | null {
  const trimmed = text.trim();
  const [, bracketed, plain] = withPort.exec(trimmed) ?? [];
  const [address = ''] = (bracketed ?? plain ?? trimmed).split('%');
  const version = isIP(address);
  if (version !== 6) return version === 4 ? address : null;
  const written = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(written) ?? [];
  return high === undefined || low === undefined ? written : [...bytesOf(high), ...bytesOf(low)].join('.');
}

function bytesOf(group: string): [number, number] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 255];
}

/**
 * For Fastify's `trustProxy`: tests whether an address, with or without a port, is among these addresses or networks.
 */
export function trusting(networks: readonly string[]): (address: string) => boolean {
  const trusted = networkList(networks);
  return (text) => contains(trusted, ipAddressIn(text) ?? '');
}

/**
 * Source address of a request, safe to store: as reported by trusted proxies, else that of the connection. If a trusted
 * proxy forwards something that is not an address, `unknown via` the proxy.
 */
export function callerAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const connection = ipAddressIn(request.socket.remoteAddress ?? '') ?? 'unknown';
  return ipAddressIn(request.ip ?? '') ?? `unknown via ${connection}`;
}
