import type { AdminRole, RankedRole } from './admin-roles.js';
import { type FeedScope, thinScope } from './feed-scope.js';

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
