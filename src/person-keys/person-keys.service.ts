import type { OnApplicationShutdown } from '@nestjs/common';
import type { PersonKeysConfig } from '../config/config.js';
import type { Tx } from '../database/tx.js';
import type { WriteLane } from '../database/write-lane.js';
import type { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { DAY_MS } from '../platform/time.js';
import { KeyFile, type KeyProblem, PersonKeysUnusable } from './key-file.repository.js';
import type { PersonKeysRepository } from './person-keys.repository.js';
import type { PersonKeysTelemetry } from './person-keys.telemetry.js';
import { newKey, seal, sealText, unseal, unsealText } from './sealing.js';

export { type KeyProblem, keyFileFault, PersonKeysUnusable } from './key-file.repository.js';

/** The key of one body, sealed with the key `key_id` of the key file. */
interface BodyKey {
  readonly key_id: number;
  readonly data_key: Buffer;
}

/** The key of a body, and whose the body is: `accounts.id`, or null of nobody's. */
interface OwnedKey extends BodyKey {
  readonly owner: number | null;
}

/** A key of a period outlives its end by so long, in which a restore of the database can be undone. */
const KEPT_MS = 3 * DAY_MS;

interface Parts {
  readonly config: PersonKeysConfig;
  readonly repository: PersonKeysRepository;
  readonly lane: WriteLane;
  readonly clock: Clock;
  readonly telemetry: PersonKeysTelemetry;
}

/** Texts by the names of their columns. */
type Texts<Name extends string> = Readonly<Record<Name, string | null>>;

/** Rows that are sealed with keys of the key file. */
export interface KeyUser {
  /** Whether anything is sealed with the key of a period. */
  readonly uses?: (keyId: number) => Promise<boolean>;
  /** Seals some rows from before there were keys; answers how many. */
  readonly sealMore?: () => Promise<number>;
}

/**
 * Message bodies and results are sealed, where that is configured, with a key for each person that lies outside the
 * database and its backups (docs/decisions/0024-person-keys.md). Whose a message is nobody knows when it comes: its
 * body has a key of its own, which is sealed with that of the day and, once its owner is known, with that of the
 * person; the body stays as it is.
 *
 *   receipt key (a day)    --owner known-->   person's key     --erasure-->            destroyed
 *   receipt key            --of nobody-->     unowned key (a month)
 *   receipt, unowned key   --its time is over, nothing is sealed with it-->            destroyed
 */
export class PersonKeys implements OnApplicationShutdown {
  readonly users: KeyUser[] = [];
  private receipt = { day: -1, keyId: 0 };

  /** Use `open`. Without a key file nothing is sealed. */
  constructor(
    private readonly parts: Parts,
    private readonly file: KeyFile | null,
  ) {}

  /**
   * A database that has a key file is not opened without it. Throws `PersonKeysUnusable`.
   */
  static async open(parts: Parts): Promise<PersonKeys> {
    const { config, repository, lane, clock } = parts;
    const expected = await repository.fileId();
    if (config.path === undefined) {
      if (expected === null) return new PersonKeys(parts, null);
      throw new PersonKeysUnusable('PERSON_KEYS_PATH: the database is sealed with keys of a key file; name that file.');
    }
    const file = KeyFile.open(config.path, config.secrets, expected === null);
    const isOther = expected === null ? !file.isEmpty() : file.id !== expected;
    if (isOther) {
      file.close();
      throw new PersonKeysUnusable(`PERSON_KEYS_PATH: the key file ${config.path} belongs to another database.`);
    }
    if (expected === null) await lane.run((tx) => repository.stamp(tx, file.id, clock.now()));
    return new PersonKeys(parts, file);
  }

  onApplicationShutdown(): void {
    this.file?.close();
  }

  get isOn(): boolean {
    return this.file !== null;
  }

  /** Seals a body of which nobody knows yet whose it is. */
  sealReceived(body: Buffer): { readonly body: Buffer; readonly key: BodyKey } {
    const now = this.now();
    const day = Math.floor(now / DAY_MS);
    if (this.receipt.day !== day) {
      const name = `receipt ${dateOf(now)}`;
      const period = { kind: 'receipt', name, endsAt: (day + 1) * DAY_MS } as const;
      this.receipt = { day, keyId: this.keys().periodKey(period, now) };
    }
    const dataKey = newKey();
    const key = { key_id: this.receipt.keyId, data_key: seal(this.usable(this.receipt.keyId), dataKey) };
    return { body: seal(dataKey, body), key };
  }

  /** A body as it was received; `keyId` is null for one that is not sealed. */
  opened(body: Buffer, keyId: number | null, dataKey: Buffer): Buffer | KeyProblem {
    if (keyId === null || this.file === null) return body;
    const opener = this.file.key(keyId);
    return typeof opener === 'string' ? opener : unseal(unseal(opener, dataKey), body);
  }

  /**
   * Keys of bodies, each sealed anew for its owner, or for nobody; without those that stay as they are. Belongs into
   * the transaction that stores whose they are. Throws `key_missing` where the key of one of the owners is missing.
   */
  async rebound<Key extends OwnedKey>(tx: Tx, keys: readonly Key[]): Promise<Key[]> {
    const persons = await this.personKeys(tx, new Set(keys.flatMap(({ owner }) => owner ?? [])));
    return keys.flatMap((key) => {
      const keyId = key.owner === null ? this.keyOfNobody(key) : (persons.get(key.owner) as number);
      const opener = this.keys().key(key.key_id);
      if (keyId === key.key_id || typeof opener === 'string') return [];
      return [{ ...key, key_id: keyId, data_key: seal(this.usable(keyId), unseal(opener, key.data_key)) }];
    });
  }

  /** The key of a person, made on first use; another one where theirs was destroyed. Throws `key_missing`. */
  async personKey(tx: Tx, account: number): Promise<number> {
    return (await this.personKeys(tx, new Set([account]))).get(account) as number;
  }

  private async personKeys(tx: Tx, accounts: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
    const stored = await this.parts.repository.keysOf(tx, [...accounts]);
    const found = new Map<number, number>();
    for (const account of accounts) {
      found.set(account, this.stillUsable(stored.get(account)) ?? (await this.newPersonKey(tx, account)));
    }
    return found;
  }

  /** Null where there is none, or it was destroyed. */
  private stillUsable(keyId: number | undefined): number | null {
    if (keyId === undefined) return null;
    const key = this.keys().key(keyId);
    if (key === 'key_missing') throw keyError(key);
    return key === 'key_destroyed' ? null : keyId;
  }

  private async newPersonKey(tx: Tx, account: number): Promise<number> {
    const made = this.keys().addPersonKey(this.now());
    await this.parts.repository.setKey(tx, account, made);
    return made;
  }

  sealTexts<Name extends string>(keyId: number, texts: Texts<Name>): Texts<Name> {
    const key = this.usable(keyId);
    return eachText(texts, (text) => sealText(key, text));
  }

  /** Opens texts that are sealed with one key, in place of nulls nulls; `keyId` is null where they are not sealed. */
  openTexts<Name extends string>(keyId: number | null, texts: Texts<Name>): Texts<Name> | KeyProblem {
    if (keyId === null || this.file === null) return texts;
    const key = this.file.key(keyId);
    if (typeof key === 'string') return key;
    return eachText(texts, (text) => unsealText(key, text));
  }

  /**
   * Destroys the key of an account that is being erased, before its row goes; answers whether there are keys at all.
   */
  async destroyOf(account: number): Promise<boolean> {
    if (this.file === null) return false;
    const keyId = await this.parts.repository.keyOf(account);
    if (keyId === null || this.file.key(keyId) === 'key_destroyed') return true;
    this.file.destroy([keyId]);
    this.parts.telemetry.personKeyDestroyed();
    return true;
  }

  /** Whether a backup may hold messages from until an instant under a key that is not a person's and is still there. */
  hasReceiptKeyFrom(until: number): boolean {
    return this.file?.hasReceiptKeyFrom(until) ?? false;
  }

  /** Destroys keys of periods that ended long enough ago and are not used any more. */
  async retirePeriods(): Promise<void> {
    const users = this.users.flatMap(({ uses }) => uses ?? []);
    if (this.file === null || users.length === 0) return;
    const unused: number[] = [];
    for (const keyId of this.file.endedBefore(this.now() - KEPT_MS)) {
      const used = await Promise.all(users.map((uses) => uses(keyId)));
      if (!used.includes(true)) unused.push(keyId);
    }
    if (unused.length === 0) return;
    this.file.destroy(unused);
    this.parts.telemetry.periodKeysDestroyed(unused.length);
  }

  /** Only what was just received moves to the key of the month; anything else stays with its own. */
  private keyOfNobody({ key_id: keyId }: BodyKey): number {
    return this.keys().kindOf(keyId) === 'receipt' ? this.unownedKey() : keyId;
  }

  private unownedKey(): number {
    const now = this.now();
    const month = dateOf(now).slice(0, 7);
    const end = new Date(`${month}-01T00:00:00Z`);
    const endsAt = end.setUTCMonth(end.getUTCMonth() + 1);
    return this.keys().periodKey({ kind: 'unowned', name: `unowned ${month}`, endsAt }, now);
  }

  /** Throws `key_destroyed` or `key_missing`. */
  private usable(keyId: number): Buffer {
    const key = this.keys().key(keyId);
    if (typeof key === 'string') throw keyError(key);
    return key;
  }

  private keys(): KeyFile {
    if (this.file === null) throw new TypeError('there is no key file');
    return this.file;
  }

  private now(): number {
    return this.parts.clock.now();
  }
}

function eachText<Name extends string>(texts: Texts<Name>, change: (text: string) => string): Texts<Name> {
  const entries = Object.entries<string | null>(texts);
  return Object.fromEntries(entries.map(([name, text]) => [name, text === null ? null : change(text)])) as Texts<Name>;
}

const says: Readonly<Record<KeyProblem, string>> = {
  key_destroyed: 'It was sealed with a key that has been destroyed.',
  key_missing: 'It was sealed with a key that is not in the key file.',
};

export function keyError(problem: KeyProblem): AppError {
  return new AppError(problem, says[problem]);
}

function dateOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
