import { isIP, type LookupFunction } from 'node:net';
import type { ChannelModel } from 'amqplib';
import type { AmqpServer } from '../config/amqp-server.js';
import { LoginRefused } from '../config/broker-login.js';

const HEARTBEAT_S = 10;
/** Codes of AMQP 0-9-1 that close a channel or a connection. */
export const ACCESS_REFUSED = 403;
export const NOT_FOUND = 404;
const RESOURCE_LOCKED = 405;

/**
 * Opens a connection to RabbitMQ, which the caller closes. Loads the library at the first call. Rejects with
 * `LoginRefused`, or with the error of the network. `more`: further options of Node's net.connect and tls.connect.
 */
export async function connectAmqp(
  { isSecure, host, port, vhost, user, password }: AmqpServer,
  more: { readonly timeout: number; readonly lookup?: LookupFunction },
): Promise<ChannelModel> {
  const { connect } = await import('amqplib');
  const protocol = isSecure ? 'amqps' : 'amqp';
  const server = { protocol, hostname: host, port, vhost, username: user, password: password.reveal() };
  // For a certificate; an IP address must not be sent as a server name.
  const name = isIP(host) === 0 ? { servername: host } : {};
  const connection = await connect({ ...server, heartbeat: HEARTBEAT_S }, { ...more, ...name }).catch(
    (cause: Error) => {
      // The library reports how the broker closed the connection in the text only.
      const isRefused = /ACCESS[-_]REFUSED|NOT_ALLOWED|403|530|Expected ConnectionOpenOk/.test(cause.message);
      throw isRefused ? new LoginRefused('The broker refuses the login.', { cause }) : cause;
    },
  );
  // Without a listener, an error would end the process; those who need it add their own.
  connection.on('error', () => undefined);
  return connection;
}

/**
 * Why a queue of RabbitMQ cannot be consumed. login_refused: user, password or virtual host · queue_missing ·
 * queue_refused: no permission, or another consumer has it alone · certificate_refused: TLS · closed: by the broker ·
 * unreachable: the network.
 */
export const amqpFaults = [
  'login_refused',
  'queue_missing',
  'queue_refused',
  'certificate_refused',
  'closed',
  'unreachable',
] as const;
export type AmqpFault = (typeof amqpFaults)[number];

export function amqpFaultOf(error: unknown): AmqpFault {
  if (error instanceof LoginRefused) return 'login_refused';
  const { code } = error as { code?: unknown };
  if (code === NOT_FOUND) return 'queue_missing';
  if (code === ACCESS_REFUSED || code === RESOURCE_LOCKED) return 'queue_refused';
  if (typeof code === 'number') return 'closed';
  return isTlsFailure(code) ? 'certificate_refused' : 'unreachable';
}

/** True for the code of a failure of TLS, such as a certificate that is not trusted. */
export function isTlsFailure(code: unknown): boolean {
  return typeof code === 'string' && /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code);
}
