import { brokerPort } from '../../platform/config/broker-login.js';

/** Where a message broker gets the pushes of a subscription, from its URL. */
export interface BrokerAddress {
  readonly kind: 'nats' | 'amqp';
  readonly isSecure: boolean;
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** First part of subjects and routing keys. */
  readonly prefix: string;
  /** Of RabbitMQ only; empty for NATS. */
  readonly vhost: string;
  readonly exchange: string;
}

const names = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/** The address, or what is wrong with it: a message that begins with `url`. */
export function brokerAddressOf(url: URL): BrokerAddress | string {
  const kind = url.protocol.startsWith('nats') ? 'nats' : 'amqp';
  const known = kind === 'nats' ? ['prefix'] : ['prefix', 'exchange'];
  const foreign = [...url.searchParams.keys()].find((name) => !known.includes(name));
  if (foreign !== undefined) return `url may have only these parameters: ${known.join(', ')}`;
  const prefix = url.searchParams.get('prefix') ?? 'pulsekeep';
  if (!names.test(prefix) || prefix.length > 100)
    return 'url: prefix must be words of letters, digits, _ and -, with dots between';
  if (url.hostname === '') return 'url must have a host';
  const exchange = url.searchParams.get('exchange') ?? '';
  if (kind === 'amqp' && (exchange === '' || exchange.length > 127))
    return 'url must name the exchange: ?exchange=NAME';
  const path = url.pathname.replace(/^\//, '');
  if (kind === 'nats' && path !== '') return 'url of NATS must have no path';
  return {
    ...{ kind, prefix, exchange },
    isSecure: isSecure(url),
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: brokerPort(url),
    vhost: path === '' ? '/' : decodeURIComponent(path),
  };
}

export function isSecure({ protocol }: Pick<URL, 'protocol'>): boolean {
  return /^(https|amqps|nats\+tls):$/.test(protocol);
}
