import { createSecretKey, type KeyObject } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { isIP } from 'node:net';
import { AmqpServer } from './amqp-server.js';
import { BrokerLogin } from './broker-login.js';
import { type DatabaseConfig, PostgresConfig, SqliteConfig } from './database-config.js';
import { opensMetadata } from './networks.js';
import { Rotating, Secret } from './secret.js';
import type { Parse } from './setting.js';
import { SigningKey, VerifyingKey } from './signing-keys.js';

/** Describes the expected value. The message never contains the value itself. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
}

const minWebhookKeyBytes = 16;
const maxWebhookKeyBytes = 64;
const minHmacKeyBytes = 32;

export const text: Parse<string> = (value) => value;

function matching(pattern: RegExp, problem: string): Parse<string> {
  return (value) => {
    if (!pattern.test(value)) throw new InvalidValue(problem);
    return value;
  };
}

export const hostName = matching(/^[A-Za-z0-9.:_-]{1,255}$/, 'must be a host name or an IP address');

export const network: Parse<string> = (value) => {
  const [address = '', prefix, ...rest] = value.split('/');
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const fits = prefix === undefined ? longest > 0 : /^\d{1,3}$/.test(prefix) && Number(prefix) <= longest;
  if (!fits || rest.length > 0) throw new InvalidValue('must be IP addresses or networks such as 10.0.0.0/8');
  return value;
};

/** A network to which this service may connect on behalf of others. */
export const reachableNetwork: Parse<string> = (value) => {
  if (opensMetadata(network(value))) {
    throw new InvalidValue(
      'must not contain a metadata service, such as 169.254.169.254 or fd00:ec2::254, which gives out the credentials of this machine: name smaller networks',
    );
  }
  return value;
};

export function integer(min: number, max: number): Parse<number> {
  return (value) => {
    const parsed = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(parsed >= min && parsed <= max)) throw new InvalidValue(`must be a whole number from ${min} to ${max}`);
    return parsed;
  };
}

export function oneOf<const T extends readonly string[]>(allowed: T): Parse<T[number]> {
  return (value) => {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw new InvalidValue(`must be one of ${allowed.join(', ')}`);
    return found;
  };
}

export const flag: Parse<boolean> = (value) => oneOf(['true', 'false'])(value) === 'true';

/** A secret, or a list of them, that can change while the process runs. */
export function rotating<T>(parse: Parse<T>): Parse<Rotating<Readonly<T>>> {
  return (value) => new Rotating(parse(value));
}

/** Comma-separated, without duplicates; spaces around entries are ignored. */
export function list<T>(parse: Parse<T>): Parse<T[]> {
  return (value) => {
    const parts = value.split(',').map((part) => part.trim());
    if (parts.includes('')) throw new InvalidValue('must be a comma-separated list without empty entries');
    if (new Set(parts).size !== parts.length) throw new InvalidValue('must not contain an entry twice');
    return parts.map(parse);
  };
}

export const share: Parse<number> = (value) => {
  const parsed = /^(0|1|0?\.\d{1,6}|1\.0{1,6})$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(parsed)) throw new InvalidValue('must be a number from 0 to 1, such as 0.2');
  return parsed;
};

const header = matching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of an HTTP header');
export const headerName: Parse<string> = (value) => header(value).toLowerCase();

export const claimName = matching(/^[\x21-\x7e]{1,200}$/, 'must be the name of a claim');

const printable = matching(/^[\x21-\x7e]{1,500}$/, 'must be printable characters without spaces');
export const apiKey: Parse<Secret> = (value) => new Secret(printable(value));

export const scopes: Parse<string[]> = (value) => {
  const names = value.split(/[\s,]+/).filter((name) => name !== '');
  if (!names.includes('openid') || names.some((name) => !/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(name))) {
    throw new InvalidValue('must be space-separated scopes with openid among them');
  }
  return [...new Set(names)];
};

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * SQLite keeps its log beside the file that a link names, and our lock would be beside the link: two processes could
 * serve one file, and a restore would replace the link.
 */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

export const database: Parse<DatabaseConfig> = (value) => {
  if (value.startsWith('sqlite:')) {
    const path = value.slice('sqlite:'.length);
    if (path === '' || path.startsWith('//') || path.startsWith(':')) {
      throw new InvalidValue('must name a file: sqlite:PATH');
    }
    if (isLink(path)) throw new InvalidValue('must name the file itself, not a symbolic link to it');
    return new SqliteConfig({ kind: 'sqlite', path });
  }
  const url = postgresAddress(
    value,
    'must name one host; with several servers, name the one that leads to the writable server',
  );
  if (url !== null) return new PostgresConfig({ kind: 'postgres', url });
  throw new InvalidValue('must be sqlite:PATH or postgres://...');
};

/** Null if it is none. */
function postgresAddress(value: string, oneHost: string): Secret | null {
  if (/^postgres(ql)?:\/\/[^/?#]*,/.test(value)) throw new InvalidValue(oneHost);
  if (/^postgres(ql)?:\/\/\//.test(value)) {
    throw new InvalidValue('must name a host; for a socket, postgres://user@localhost/name?host=/var/run/postgresql');
  }
  if (/^postgres(ql)?:\/\/[^/]/.test(value) && URL.canParse(value)) {
    if (!isPercentEncoded(value)) throw new InvalidValue('must have % signs encoded as %25');
    return new Secret(value);
  }
  return null;
}

export const readDatabase: Parse<Secret> = (value) => {
  const url = postgresAddress(value, 'must name one host');
  if (url === null) throw new InvalidValue('must be postgres://..., the address of a standby');
  return url;
};

const hexKey = matching(/^[0-9a-f]{64}$/i, 'must be 32 bytes as 64 hex digits');
export const databaseKey: Parse<Secret> = (value) => new Secret(hexKey(value).toLowerCase());

/** `whsec_` and the key in base64, as upstream shows it (docs/upstream/webhooks.md#secrets). */
export const webhookSecret: Parse<KeyObject> = (value) => {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value)?.[1];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  if (encoded === undefined || bytes.toString('base64').replace(/=+$/, '') !== encoded.replace(/=+$/, '')) {
    throw new InvalidValue('must be secrets of the form whsec_ followed by base64');
  }
  if (bytes.length < minWebhookKeyBytes || bytes.length > maxWebhookKeyBytes) {
    throw new InvalidValue(`must be secrets of ${minWebhookKeyBytes} to ${maxWebhookKeyBytes} bytes`);
  }
  return createSecretKey(bytes);
};

export const hmacSecret: Parse<KeyObject> = (value) => {
  const bytes = Buffer.from(value, 'utf8');
  if (bytes.length < minHmacKeyBytes) throw new InvalidValue(`must be at least ${minHmacKeyBytes} bytes long`);
  return createSecretKey(bytes);
};

export const routingKey: Parse<Secret> = (value) => {
  if (/^[A-Za-z0-9]{32}$/.test(value)) return new Secret(value);
  throw new InvalidValue('must be the 32 letters and digits of an integration key');
};

export const brokerLogin: Parse<BrokerLogin> = (value) => {
  const login = BrokerLogin.read(value);
  if (login) return login;
  throw new InvalidValue('must be nats://, nats+tls://, amqp:// or amqps://user:password@host:port, percent-encoded');
};

export const amqpServer: Parse<AmqpServer> = (value) => {
  const server = AmqpServer.read(value);
  if (server) return server;
  throw new InvalidValue('must be amqps:// or amqp://user:password@host:port/vhost, percent-encoded');
};

export const queueName = matching(/^.{1,255}$/, 'must be a name of at most 255 characters');

export const signingKey: Parse<SigningKey> = (value) => {
  try {
    return SigningKey.read(value);
  } catch {
    throw new InvalidValue('must be an Ed25519 private key: PEM, or the base64 inside it');
  }
};

/** The first one signs, so it must be private. Of older ones, the public key is enough. */
export const reportKeys: Parse<ReportKeys> = (value) => {
  const [first = '', ...older] = list(text)(value);
  const publicKey = (one: string): VerifyingKey => {
    try {
      return VerifyingKey.read(one);
    } catch {
      return signingKey(one);
    }
  };
  return { current: signingKey(first), older: older.map(publicKey) };
};

export interface ReportKeys {
  readonly current: SigningKey;
  readonly older: readonly VerifyingKey[];
}

export const resourceNames = list(matching(/^[a-z0-9_]{1,64}$/, 'must be resource names, or all'));

/** True if the names of resources stand for the entire catalogue. */
export function isAll(names: readonly string[]): boolean {
  return names.join() === 'all';
}

export const secretText: Parse<Secret> = (value) => new Secret(value);
