import type { Server } from 'node:http';
import type { Metrics } from '../../platform/platform/metrics.js';
import { ipAddressIn, trusting } from './caller-address.js';

export interface ConnectionLimit {
  /** 0: unlimited. */
  readonly perAddress: number;
  /** Not limited, because many clients share the address of a proxy. */
  readonly trustedProxies: readonly string[];
}

/** Closes a new connection if its address already has the maximum number open. */
export function limitConnections(
  server: Server,
  { perAddress, trustedProxies }: ConnectionLimit,
  metrics: Metrics,
): void {
  if (perAddress === 0) return;
  const open = new Map<string, number>();
  const isProxy = trusting(trustedProxies);
  const refused = metrics.counter('connections_refused_total', 'Connections closed because their address had too many');
  server.on('connection', (socket) => {
    const address = ipAddressIn(socket.remoteAddress ?? '');
    if (address === null || isProxy(address)) return;
    const count = open.get(address) ?? 0;
    if (count >= perAddress) {
      refused.inc();
      socket.destroy();
      return;
    }
    open.set(address, count + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}
