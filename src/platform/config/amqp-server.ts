import { brokerPort } from './broker-login.js';
import { Secret } from './secret.js';
import { frozen } from './setting.js';

/** A virtual host of RabbitMQ, and how this service signs in. */
export class AmqpServer extends frozen<{
  isSecure: boolean;
  /** A name, or an IP address without brackets. */
  host: string;
  port: number;
  vhost: string;
  user: string;
  password: Secret;
}>() {
  /** Null unless it is `amqps://user:password@host:port/vhost` or the like, percent-encoded. */
  static read(text: string): AmqpServer | null {
    const url = URL.canParse(text) ? new URL(text) : null;
    const path = /^\/?([^/]*)$/.exec(url?.pathname ?? '//');
    if (!url || !path || !/^amqps?:$/.test(url.protocol) || url.hostname === '' || url.search || url.hash) return null;
    try {
      return new AmqpServer({
        isSecure: url.protocol === 'amqps:',
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: brokerPort(url),
        vhost: decodeURIComponent(path[1] ?? '') || '/',
        user: decodeURIComponent(url.username) || 'guest',
        password: new Secret(decodeURIComponent(url.password) || 'guest'),
      });
    } catch {
      return null;
    }
  }
}
