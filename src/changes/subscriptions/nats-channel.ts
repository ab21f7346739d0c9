import { isIP } from 'node:net';
import { LoginRefused } from '../../platform/config/broker-login.js';
import { attributes, type BrokerChannel, type Connecting } from './broker-channel.js';
import type { PushError } from './push-answer.js';

/**
 * Opens a connection to one server of NATS, and publishes to the stream that takes the subject. The stream stores a
 * message id once (Nats-Msg-Id). The library neither reconnects nor learns other servers, because each address is
 * checked first.
 */
export async function openNats({ address, login, lookup, timeoutMs }: Connecting): Promise<BrokerChannel> {
  const [{ connect, headers: newHeaders, errors }, { jetstream, JetStreamApiError }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ]);
  const { host, port, isSecure, prefix } = address;
  const ip = await new Promise<string>((resolve, reject) => {
    lookup(host, {}, (error, found) => (error ? reject(error) : resolve(found as string)));
  });
  const password = login?.password.reveal();
  const identity = password === '' ? { token: login?.user } : { user: login?.user, pass: password };
  const connection = await connect({
    ...{ servers: isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`, name: 'pulsekeep', timeout: timeoutMs },
    ...{ reconnect: false, ignoreClusterUpdates: true, resolve: false },
    // The certificate is that of the host of the URL.
    tls: isSecure ? { [isIP(host) > 0 ? 'host' : 'servername']: host } : null,
    ...(login && identity),
  }).catch((cause: Error) => {
    throw cause instanceof errors.AuthorizationError
      ? new LoginRefused('The broker refuses the login.', { cause })
      : cause;
  });
  const stream = jetstream(connection, { timeout: timeoutMs });
  const refusalOf = (error: unknown): PushError => {
    if (error instanceof errors.PermissionViolationError) return 'login_refused';
    // No one subscribes to the subject: no stream takes it, or the server has no JetStream.
    if ((error as Error).name === 'JetStreamNotEnabled') return 'unroutable';
    // The stream is full, or the message is larger than the server takes.
    if (error instanceof JetStreamApiError || error instanceof errors.InvalidArgumentError) return 'broker_refused';
    throw error;
  };
  return {
    async publish({ id, route, body, contentType, headers, event }) {
      const sent = newHeaders();
      const own = { ...headers, ...attributes(event, 'ce-'), 'content-type': contentType };
      for (const [name, value] of Object.entries(own)) sent.set(name, value);
      return stream.publish(`${prefix}.${route}`, body, { msgID: id, headers: sent }).then(() => null, refusalOf);
    },
    get isOpen() {
      return !connection.isClosed();
    },
    close: () => void connection.close(),
  };
}
