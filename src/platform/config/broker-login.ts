import { Secret } from './secret.js';

const defaultPorts: Readonly<Record<string, string>> = {
  'amqp:': '5672',
  'amqps:': '5671',
  'nats:': '4222',
  'nats+tls:': '4222',
};

/** True for the address of a message broker. */
export function isBroker({ protocol }: Pick<URL, 'protocol'>): boolean {
  return protocol in defaultPorts;
}

export function brokerPort({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number {
  return Number(port || defaultPorts[protocol]);
}

/** The broker does not accept the login. */
export class LoginRefused extends Error {
  override readonly name = 'LoginRefused';
}

/** How this service signs in to a broker. */
export class BrokerLogin {
  private constructor(
    private readonly place: string,
    readonly user: string,
    /** Empty: `user` is a token of NATS. */
    readonly password: Secret,
  ) {}

  /** Null unless it is `nats://user:password@host:port` or the like, without anything after it. */
  static read(text: string): BrokerLogin | null {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url || !isBroker(url) || url.username === '' || !/^\/?$/.test(url.pathname + url.search + url.hash))
      return null;
    try {
      return new BrokerLogin(
        placeOf(url),
        decodeURIComponent(url.username),
        new Secret(decodeURIComponent(url.password)),
      );
    } catch {
      return null;
    }
  }

  isFor(url: URL): boolean {
    return this.place === placeOf(url);
  }
}

const placeOf = (url: URL): string => `${url.protocol}//${url.hostname.toLowerCase()}:${brokerPort(url)}`;
