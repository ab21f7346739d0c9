import { hash } from 'node:crypto';
import { type AdminRole, adminRoles, type RankedRole, rankedRoles } from './admin-roles.js';
import { type FeedScope, feedScope, thinScope } from './feed-scope.js';
import { InvalidValue, list } from './parsers.js';
import type { Parse } from './setting.js';

/** An operator key. Its hash is only available through a getter, so that printing a configuration does not show it. */
export class AdminKey {
  readonly #sha256: Buffer;

  constructor(
    readonly name: string,
    readonly role: AdminRole,
    sha256: Buffer,
    /** The part of the change feed that the key may read, if its role may read it at all. */
    readonly feed: FeedScope = thinScope,
  ) {
    this.#sha256 = sha256;
    Object.freeze(this);
  }

  /** 32 bytes. */
  get sha256(): Buffer {
    return this.#sha256;
  }
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
      `must be entries name:role:sha256-hex-of-key with a name of 1 to 64 letters, digits, dots, underscores and hyphens, and a role of ${roles}; feed also as feed+values and with kinds, as in feed/account/order`,
    );
  }
  if (emptyKeyHashes.has(digest.toLowerCase())) {
    const mend = 'set the key, then hash it with printf %s "$KEY" | sha256sum';
    throw new InvalidValue(`must not contain the hash of an empty key, which results from an unset variable: ${mend}`);
  }
  return new AdminKey(name, knownRole, Buffer.from(digest, 'hex'), scope ?? thinScope);
};

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

/** People with this value of the claim have this role. */
export class PersonRole {
  constructor(
    readonly claim: string,
    readonly value: string,
    readonly role: RankedRole,
  ) {
    Object.freeze(this);
  }

  /** As it is configured. */
  toString(): string {
    const value = /[:=,]/.test(this.value) ? `"${this.value}"` : this.value;
    return `${this.claim}:${value}=${this.role}`;
  }
}

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
