import { isIP } from 'node:net';
import type { AddressGuard } from './address-guard.js';

const hosts = ['events.pagerduty.com', 'events.eu.pagerduty.com'];

/**
 * True if events with the routing key may be sent to the URL: to PagerDuty, or to the IP address of a relay in an
 * allowed network. Anyone else who got the key could raise and resolve incidents.
 */
export function mayGetRoutingKey({ protocol, hostname, port }: URL, guard: AddressGuard): boolean {
  if (protocol === 'https:' && port === '' && hosts.includes(hostname)) return true;
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) > 0 && guard.permits(address, false);
}
