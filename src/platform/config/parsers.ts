import { createSecretKey, hash, type KeyObject } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { isIP } from 'node:net';
import { AdminKey, PersonRole } from './admin-key.js';
import { adminRoles, rankedRoles } from './admin-roles.js';
import { AmqpServer } from './amqp-server.js';
import { BrokerLogin } from './broker-login.js';
import { type DatabaseConfig, PostgresConfig, SqliteConfig } from './database-config.js';
import { Deletions, deletionModes } from './deletions.js';
import { feedScope, thinScope } from './feed-scope.js';
import { KeepDays } from './keep-days.js';
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

/** A mode for all providers, and `provider:mode` for single ones. */
export const deletions: Parse<Deletions> = (value) => {
  const wanted = new InvalidValue(
    `must be one of ${deletionModes.join(', ')}, optionally with entries slug:mode for single providers`,
  );
  const entries = list((part) => part.split(':'))(value).map((words) => {
    const [provider, word] = words.length === 1 ? ['', words[0]] : words;
    const mode = deletionModes.find((candidate) => candidate === word);
    if (mode === undefined || words.length > 2 || !/^[a-z0-9_]{0,100}$/.test(provider ?? '')) throw wanted;
    return [provider ?? '', mode] as const;
  });
  const modes = new Map(entries);
  if (modes.size !== entries.length || !modes.has('')) throw wanted;
  return new Deletions(modes);
};

const leastKept = 30;
const mostKept = 3_650;

/** Days for all resources, and `resource=days` for single ones; `all` keeps samples for ever. */
export const keepDays: Parse<KeepDays> = (value) => {
  const wanted = new InvalidValue(
    `must be all or days from ${leastKept} to ${mostKept}, or entries resource=days such as heartrate=400,glucose=all`,
  );
  const entries = list((part) => part.split('='))(value).map((words) => {
    const [name = '', word = ''] = words.length === 1 ? ['', words[0]] : words;
    const days = /^\d{1,4}$/.test(word) ? Number(word) : null;
    const isInRange = days === null ? word === 'all' : days >= leastKept && days <= mostKept;
    if (!isInRange || words.length > 2 || (words.length === 2 && !/^[a-z0-9_]{1,100}$/.test(name))) throw wanted;
    return [name, days] as const;
  });
  const days = new Map(entries);
  if (days.size !== entries.length) throw wanted;
  return new KeepDays(days);
};

const header = matching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of an HTTP header');
export const headerName: Parse<string> = (value) => header(value).toLowerCase();

export const claimName = matching(/^[\x21-\x7e]{1,200}$/, 'must be the name of a claim');

const printable = matching(/^[\x21-\x7e]{1,500}$/, 'must be printable characters without spaces');
export const apiKey: Parse<Secret> = (value) => new Secret(printable(value));

/** True for the host name of a loopback address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function anyWebUrl(value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw new InvalidValue('must be an http(s) URL');
  if (url.username || url.password) throw new InvalidValue('must not contain a user name or password');
  return url;
}

function webUrl(value: string): URL {
  const url = anyWebUrl(value);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new InvalidValue('must use https unless it is a loopback address');
  }
  return url;
}

/** An https address (or http on loopback) without query and fragment; returned without trailing slash. */
export const baseAddress: Parse<string> = (value) => {
  const url = webUrl(value);
  if (url.search || url.hash) throw new InvalidValue('must not contain a query or fragment');
  return url.href.replace(/\/+$/, '');
};

/** Like `baseAddress`, but http to any host: a collector is often beside the service and gets no secrets. */
export const collectorAddress: Parse<string> = (value) => {
  const url = anyWebUrl(value);
  if (url.search || url.hash) throw new InvalidValue('must not contain a query or fragment');
  return url.href.replace(/\/+$/, '');
};

/** Like `baseAddress`, but exactly as given: a trailing slash is part of an issuer (OpenID Connect Discovery 4.3). */
export const issuerAddress: Parse<string> = (value) => {
  baseAddress(value);
  return value;
};

/** The origin of an https address (or http on loopback). */
export const publicOrigin: Parse<string> = (value) => {
  const { origin, pathname, search, hash: fragment } = webUrl(value);
  if (pathname !== '/' || search || fragment) {
    throw new InvalidValue('must be an address without a path: the service needs a host of its own');
  }
  return origin;
};

export const scopes: Parse<string[]> = (value) => {
  const names = value.split(/[\s,]+/).filter((name) => name !== '');
  if (!names.includes('openid') || names.some((name) => !/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(name))) {
    throw new InvalidValue('must be space-separated scopes with openid among them');
  }
  return [...new Set(names)];
};

export const webAddress: Parse<string> = (value) => webUrl(value).href;

export const webOrigin: Parse<string> = (value) => {
  const { origin } = webUrl(value);
  if (origin !== value) throw new InvalidValue('must be origins: scheme, host and port in lower case, without a path');
  return origin;
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

/** Hashes of an empty text, also with the line ending that `echo` adds. */
const emptyKeyHashes: ReadonlySet<string> = new Set(['', '\n', '\r\n'].map((text) => hash('sha256', text)));

const adminKey: Parse<AdminKey> = (value) => {
  const [name = '', role = '', digest = '', ...rest] = value.split(':');
  const scope = feedScope(role);
  const knownRole = scope ? 'feed' : adminRoles.find((candidate) => candidate === role);
  const wellFormed = /^[A-Za-z0-9._-]{1,64}$/.test(name) && /^[0-9a-f]{64}$/i.test(digest) && rest.length === 0;
  if (!wellFormed || knownRole === undefined) {
    const roles = adminRoles.join(', ');
    throw new InvalidValue(
      `must be entries name:role:sha256-hex-of-key with a role of ${roles}; feed also as feed+values and with kinds, as in feed/account/order`,
    );
  }
  if (emptyKeyHashes.has(digest.toLowerCase())) {
    const mend = 'set the key, then hash it with printf %s "$KEY" | sha256sum';
    throw new InvalidValue(`must not contain the hash of an empty key, which results from an unset variable: ${mend}`);
  }
  return new AdminKey(name, knownRole, Buffer.from(digest, 'hex'), scope ?? thinScope);
};

/**
 * One entry and the comma after it. A plain value ends at the first `=` with a role that is followed by a comma or the
 * end, so that it may be a distinguished name; a quoted one is taken as it is. Without quotes the last colon separates.
 */
const personRoleEntry = new RegExp(
  `\\s*(?:([^",]{1,200}?):"([^"]{1,500})"|(.{1,700}?))=(${rankedRoles.join('|')})\\s*(?:,|$)`,
  'y',
);
const plainClaim = /^([^\s",=]{1,200}):([^:"]{1,500})$/;

export const personRoles: Parse<PersonRole[]> = (given) => {
  const entries: PersonRole[] = [];
  personRoleEntry.lastIndex = 0;
  while (personRoleEntry.lastIndex < given.length) {
    const [, quotedClaim, quoted, plain = '', role] = personRoleEntry.exec(given) ?? [];
    const [, claim = quotedClaim, value = quoted] = plainClaim.exec(plain) ?? [];
    const ranked = rankedRoles.find((one) => one === role);
    if (claim === undefined || value === undefined || ranked === undefined) {
      throw new InvalidValue(
        `must be entries claim:value=role with a role of ${rankedRoles.join(', ')}; a value with a colon goes in quotation marks, as in groups:"team:sre"=viewer`,
      );
    }
    entries.push(new PersonRole(claim, quoted ?? value.trim(), ranked));
  }
  if (new Set(entries.map((one) => JSON.stringify(one))).size !== entries.length) {
    throw new InvalidValue('must not contain an entry twice');
  }
  return entries;
};

export const secretText: Parse<Secret> = (value) => new Secret(value);

/** Names that the access log uses for callers without a key. */
export const reservedNames = ['app', 'cli', 'system'];

/** Names and hashes must be unique: the access log stores the name, and the hash identifies the caller. */
export const adminKeys: Parse<AdminKey[]> = (value) => {
  const keys = list(adminKey)(value);
  const names = new Set(keys.map((key) => key.name));
  const hashes = new Set(keys.map((key) => key.sha256.toString('hex')));
  if (names.size !== keys.length) throw new InvalidValue('must not contain a name twice');
  if (reservedNames.some((name) => names.has(name))) {
    const reserved = reservedNames.join(', ');
    throw new InvalidValue(
      `must not contain the names ${reserved}: the access log uses them, so give the key another name`,
    );
  }
  if (hashes.size !== keys.length) throw new InvalidValue('must not contain the same key under two names');
  return keys;
};
