import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ErasureConfig } from '../../platform/config/config.js';
import { AppError, orNotFound } from '../../platform/platform/errors.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { ErasureFenceEntity } from './erasure-fence.entity.js';
import { ErasureFencesRepository } from './erasure-fences.repository.js';
import { ErasureGuardTelemetry } from './erasure-guard.telemetry.js';

const OWN_KEY_BYTES = 32;

/** Keyed digest of an id, and the id of the key. */
export type DigestOfName = Pick<ErasureFenceEntity, 'digest' | 'key_id'>;

/** A fence as shown to operators; `fencedAt` in epoch milliseconds. It stays until an operator lifts it. */
export interface Fence {
  readonly erasureId: string;
  readonly fencedAt: number;
}

/**
 * Prevents new accounts with the customer's ids of erased people: a remaining access token would otherwise recreate the
 * person here and upstream. The ids are stored as keyed digests. The key is the first of `ERASURE_FENCE_SECRETS`, or
 * one that this service creates and stores in its database. A fence is effective as long as its key is known.
 */
@Injectable()
export class ErasureFences {
  private own: KeyObject | null = null;

  constructor(
    private readonly repository: ErasureFencesRepository,
    private readonly config: ErasureConfig,
    private readonly lane: WriteLane,
    private readonly telemetry: ErasureGuardTelemetry,
  ) {}

  /** Fences the ids of an account. Call it in the transaction that closes the account. */
  async add(tx: Tx, names: readonly string[], erasureId: string, now: number): Promise<void> {
    const key = this.config.fenceSecrets[0] ?? (await this.ownKeyMade(tx));
    const digests = [...new Set(names)].map((name) => ({ digest: digestBy(key, name), key_id: keyIdOf(key) }));
    await this.addDigests(tx, digests, erasureId, now);
  }

  /** Fences ids that are known only as digests. */
  async addDigests(tx: Tx, names: readonly DigestOfName[], erasureId: string, now: number): Promise<void> {
    for (const name of names) await this.repository.insert(tx, { ...name, erasure_id: erasureId, fenced_at: now });
  }

  /** The fences of an erasure, for a copy outside the database. */
  ofErasure(erasureId: string): Promise<DigestOfName[]> {
    return this.repository.ofErasure(erasureId);
  }

  /** Creates the service's own key if necessary, so that every backup contains it. */
  async makeOwnKey(): Promise<void> {
    await this.lane.run((tx) => this.ownKeyMade(tx));
  }

  /** Digests of the ids with every known key. */
  async digestsOf(names: readonly string[], queryable?: Queryable): Promise<string[]> {
    const keys = await this.keys(queryable);
    return names.flatMap((name) => keys.map((key) => digestBy(key, name)));
  }

  /** True if all of these keys are known. */
  async knowsKeys(keyIds: ReadonlySet<string>): Promise<boolean> {
    const known = new Set((await this.keys()).map(keyIdOf));
    return [...keyIds].every((keyId) => known.has(keyId));
  }

  /** True if the id is fenced. */
  async holds(name: string, queryable?: Queryable): Promise<boolean> {
    return (await this.among([name], queryable)).size > 0;
  }

  /** The ids among these that are fenced. */
  async among(names: readonly string[], queryable?: Queryable): Promise<Set<string>> {
    const keys = await this.keys(queryable);
    const digests = new Map(names.flatMap((name) => keys.map((key) => [digestBy(key, name), name])));
    const found = await this.repository.among([...digests.keys()], queryable);
    return new Set([...found].map((digest) => digests.get(digest) as string));
  }

  /** Counts refused data of an erased person under these ids, within the transaction. */
  async count(tx: Tx, names: readonly string[]): Promise<void> {
    await this.repository.count(tx, await this.digestsOf(names, tx));
  }

  /** The newest erasure that fences this id; null if none does. */
  async erasureOf(name: string): Promise<string | null> {
    return (await this.find(name))?.erasure_id ?? null;
  }

  /** Throws `not_found` if the id is not fenced. */
  async get(name: string): Promise<Fence> {
    const fence = orNotFound(await this.find(name), 'This account id is not fenced.');
    return { erasureId: fence.erasure_id, fencedAt: fence.fenced_at };
  }

  /** Lifts the fences of an erasure, so that new accounts may have its ids. Throws `not_found` if it has none. */
  async open(erasureId: string): Promise<void> {
    const opened = await this.lane.run((tx) => this.repository.open(tx, erasureId));
    if (opened === 0) throw new AppError('not_found', 'This erasure has no fence in effect.');
    this.telemetry.fenceOpened(erasureId);
  }

  /** Number of refusals by fences, per erasure. */
  async turnedAway(erasureIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    if (erasureIds.length === 0) return counts;
    for (const { erasure_id, turned_away } of await this.repository.turnedAway(erasureIds)) {
      counts.set(erasure_id, (counts.get(erasure_id) ?? 0) + turned_away);
    }
    return counts;
  }

  /** True if the keys of all fences are known. */
  async areReadable(): Promise<boolean> {
    return this.knowsKeys(new Set(await this.repository.keyIds()));
  }

  private async find(name: string): Promise<ErasureFenceEntity | null> {
    return this.repository.find(await this.digestsOf([name]));
  }

  private async keys(queryable?: Queryable): Promise<KeyObject[]> {
    const own = await this.ownKey(queryable);
    return own === null ? [...this.config.fenceSecrets] : [...this.config.fenceSecrets, own];
  }

  private async ownKeyMade(tx: Tx): Promise<KeyObject> {
    await this.repository.keepOwnKey(tx, randomBytes(OWN_KEY_BYTES).toString('hex'));
    return keyOf((await this.repository.ownKey(tx)) ?? '');
  }

  /** The key is created once and never changes. Cached only outside transactions, because those may roll back. */
  private async ownKey(queryable?: Queryable): Promise<KeyObject | null> {
    if (this.own !== null) return this.own;
    const secret = await this.repository.ownKey(queryable);
    if (secret === null) return null;
    if (queryable === undefined) this.own = keyOf(secret);
    return keyOf(secret);
  }
}

function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'hex'));
}

function digestBy(key: KeyObject, name: string): string {
  return createHmac('sha256', key).update(`fence:${name}`).digest('hex');
}

function keyIdOf(key: KeyObject): string {
  return createHmac('sha256', key).update('key').digest('hex').slice(0, 16);
}
