import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { CLOCK_TOLERANCE_MS } from '../../platform/platform/time.js';
import { shapeOf } from '../../storage/database/columns.js';
import { Conditions } from '../../storage/database/conditions.js';
import { assignments, filledUp, insertion, placeholders } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Queryable, Tx } from '../../storage/database/tx.js';
import { externalIdColumn, joinAccount } from '../accounts/account-sql.js';
import type { SqlPart } from '../accounts/listed-accounts.repository.js';
import { type ConnectionChangeEntity, type ConnectionEntity, DeviceEntity } from './connection.entity.js';

/** The time in which a source of a retired provider and its successor were both connected. */
export interface Overlap extends Pick<ConnectionEntity, 'account_id' | 'provider'> {
  readonly successor: string;
  readonly overlap_start: number;
  readonly overlap_end: number;
}

/** A source as upstream last reported it. */
export type Connection = Omit<ConnectionEntity, 'successor' | 'overlap_start' | 'overlap_end'>;

/** Facts about one source at one time. A null `connected_at` or `resource_availability` keeps the stored value. */
export type Observed = Omit<Connection, 'account_id'>;

type DeviceMarks = Pick<DeviceEntity, 'missed_at' | 'gone_at'>;
/** A device from an event or a list. */
export type SeenDevice = Omit<DeviceEntity, keyof DeviceMarks>;

/** A change of a source's status: when it was observed, and the earliest time at which it may have begun. */
export type StateChange = Pick<ConnectionChangeEntity, 'provider' | 'status' | 'at' | 'since'>;

/** A connection with the customer's id of its account, for operators. */
export type ShownSource = ConnectionEntity & { readonly account: string };

export interface SourceFilter {
  /** Only these providers. */
  readonly among?: readonly string[] | undefined;
  /** Not these providers. */
  readonly except?: readonly string[] | undefined;
  readonly provider?: string | undefined;
  readonly status?: string | undefined;
  /** Position of the last row of the previous page. */
  readonly after?: readonly [account: number, provider: string] | undefined;
  readonly limit: number;
}

const devices = shapeOf(DeviceEntity);
const seenOfDevice = devices.update.filter((name) => name !== 'missed_at' && name !== 'gone_at');

const selectConnections = 'SELECT * FROM connections WHERE account_id = ? ORDER BY provider';

/** The tables of connections, their changes and devices. An earlier observation never overwrites a later one. */
@Injectable()
export class ConnectionsRepository {
  constructor(
    private readonly reader: Reader,
    private readonly clock: Clock,
  ) {}

  list(accountId: number): Promise<ConnectionEntity[]> {
    return this.rows(this.reader, accountId);
  }

  rows(queryable: Queryable, accountId: number): Promise<ConnectionEntity[]> {
    return queryable.few(selectConnections, [accountId]);
  }

  /** A connection with the id of its last change; undefined if there is no connection. */
  async withLastChange(
    queryable: Queryable,
    accountId: number,
    provider: string,
  ): Promise<(ConnectionEntity & { last_change: number | null }) | undefined> {
    const [row] = await queryable.few<ConnectionEntity & { last_change: number | null }>(
      `SELECT c.*, (SELECT MAX(h.id) FROM connection_changes h
         WHERE h.account_id = c.account_id AND h.provider = c.provider) AS last_change
       FROM connections c WHERE c.account_id = ? AND c.provider = ?`,
      [accountId, provider],
    );
    return row;
  }

  /** Sources that are not disconnected, by account and provider. */
  page({ among, except, provider, status, after, limit }: SourceFilter): Promise<ShownSource[]> {
    const conditions = new Conditions()
      .add(`c.status <> 'disconnected'`)
      .add('c.provider = ?', provider)
      .add('c.status = ?', status)
      .add('(c.account_id, c.provider) > (?, ?)', ...(after ?? [undefined]));
    if (among) conditions.add(among.length === 0 ? '1 = 0' : `c.provider IN (${placeholders(among.length)})`, ...among);
    if (except?.length) conditions.add(`c.provider NOT IN (${placeholders(except.length)})`, ...except);
    return this.reader.rows(
      `SELECT c.*, ${externalIdColumn} AS account FROM connections c ${joinAccount('c.account_id')} ${conditions.where}
       ORDER BY c.account_id, c.provider LIMIT ?`,
      [...conditions.values, limit],
    );
  }

  /** Connections of these accounts to these providers, in any status. */
  async among(accounts: readonly number[], providers: readonly string[]): Promise<ConnectionEntity[]> {
    if (accounts.length === 0 || providers.length === 0) return [];
    return this.reader.rows(
      `SELECT * FROM connections
       WHERE account_id IN (${placeholders(accounts.length)}) AND provider IN (${placeholders(providers.length)})`,
      [...accounts, ...providers],
    );
  }

  /** All connections of these accounts, by account and provider. */
  async ofAccounts(accounts: readonly number[]): Promise<ConnectionEntity[]> {
    if (accounts.length === 0) return [];
    const ids = filledUp(accounts);
    return this.reader.rows(
      `SELECT * FROM connections WHERE account_id IN (${placeholders(ids.length)}) ORDER BY account_id, provider`,
      ids,
    );
  }

  listDevices(accountId: number): Promise<DeviceEntity[]> {
    return this.reader.rows('SELECT * FROM devices WHERE account_id = ? ORDER BY device_id', [accountId]);
  }

  /** A SELECT of the `accounts.id` with a connection to the provider that is not disconnected. */
  accountsOf(provider: string): SqlPart {
    const sql = `SELECT account_id FROM connections WHERE provider = ? AND status <> 'disconnected'`;
    return { sql, values: [provider] };
  }

  async saveOverlap(tx: Tx, { account_id, provider, ...overlap }: Overlap): Promise<void> {
    const { set, values } = assignments(overlap);
    await tx.execute(`UPDATE connections ${set} WHERE account_id = ? AND provider = ?`, [
      ...values,
      account_id,
      provider,
    ]);
  }

  overlapsOf(accountId: number): Promise<Overlap[]> {
    return this.reader.rows(
      `SELECT account_id, provider, successor, overlap_start, overlap_end FROM connections
       WHERE account_id = ? AND successor IS NOT NULL ORDER BY provider`,
      [accountId],
    );
  }

  async countConnected(): Promise<number> {
    const [row] = await this.reader.rows<{ sources: number }>(
      `SELECT COUNT(*) AS sources FROM connections WHERE status = 'connected'`,
    );
    return row?.sources ?? 0;
  }

  /** False if the stored row is newer; a row dated in the future does not count as newer ({@link isAhead}). */
  async upsert(tx: Tx, accountId: number, fact: Observed): Promise<boolean> {
    const given = insertion({ account_id: accountId, ...fact });
    const written = await tx.execute(
      `INSERT INTO connections ${given.row} ON CONFLICT (account_id, provider) DO UPDATE SET
         status = excluded.status, error_type = excluded.error_type, error_at = excluded.error_at,
         connected_at = COALESCE(excluded.connected_at, connections.connected_at),
         resource_availability = COALESCE(excluded.resource_availability, connections.resource_availability),
         observed_at = excluded.observed_at,
         person_mark = COALESCE(excluded.person_mark, connections.person_mark),
         other_account_at = excluded.other_account_at
       WHERE connections.observed_at <= excluded.observed_at OR connections.observed_at > ?`,
      [...given.values, this.clock.now() + CLOCK_TOLERANCE_MS],
    );
    return written > 0;
  }

  async insertChange(
    tx: Tx,
    accountId: number,
    fact: Observed,
    { since, askedBy }: { since: number; askedBy: string | null },
  ): Promise<void> {
    await tx.execute(
      `INSERT INTO connection_changes (account_id, provider, status, error_type, at, since, asked_by)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [accountId, fact.provider, fact.status, fact.error_type, fact.observed_at, since, askedBy],
    );
  }

  /** When the latest change of a source was observed; null if there is none. */
  async lastChangeAt(tx: Tx, accountId: number, provider: string): Promise<number | null> {
    const [row] = await tx.few<{ at: number | null }>(
      'SELECT MAX(at) AS at FROM connection_changes WHERE account_id = ? AND provider = ?',
      [accountId, provider],
    );
    return row?.at ?? null;
  }

  /** When a source ceased to be connected: the start of an error, or when it was found to be gone; else null. */
  async endedAt(tx: Tx, accountId: number, provider: string): Promise<number | null> {
    const ofSource = 'account_id = ? AND provider = ?';
    const [row] = await tx.few<{ ended_at: number | null }>(
      `SELECT MIN(CASE WHEN status = 'error' THEN since ELSE at END) AS ended_at FROM connection_changes
       WHERE ${ofSource} AND id > (SELECT MAX(id) FROM connection_changes WHERE ${ofSource} AND status = 'connected')`,
      [accountId, provider, accountId, provider],
    );
    return row?.ended_at ?? null;
  }

  /** Moves the start of a source's latest change to an earlier time. */
  async moveChange(tx: Tx, accountId: number, { provider }: Observed, since: number): Promise<void> {
    await tx.execute(
      `UPDATE connection_changes SET since = ? WHERE id =
        (SELECT MAX(id) FROM connection_changes WHERE account_id = ? AND provider = ?) AND since > ?`,
      [since, accountId, provider, since],
    );
  }

  /** Changes of an account's sources, in order. */
  changes(accountId: number): Promise<StateChange[]> {
    return this.reader.rows(
      'SELECT provider, status, at, since FROM connection_changes WHERE account_id = ? ORDER BY at, id',
      [accountId],
    );
  }

  devicesIn(tx: Tx, accountId: number): Promise<DeviceEntity[]> {
    return tx.few('SELECT * FROM devices WHERE account_id = ?', [accountId]);
  }

  async isDeviceGone(tx: Tx, accountId: number, deviceId: string): Promise<boolean> {
    const [row] = await tx.few<Pick<DeviceEntity, 'gone_at'>>(
      'SELECT gone_at FROM devices WHERE account_id = ? AND device_id = ?',
      [accountId, deviceId],
    );
    return row !== undefined && row.gone_at !== null;
  }

  async markDevice(tx: Tx, accountId: number, deviceId: string, marks: DeviceMarks): Promise<void> {
    const sql = 'UPDATE devices SET missed_at = ?, gone_at = ? WHERE account_id = ? AND device_id = ?';
    await tx.execute(sql, [marks.missed_at, marks.gone_at, accountId, deviceId]);
  }

  async upsertDevice(tx: Tx, device: SeenDevice): Promise<void> {
    const given = insertion({ ...device });
    await tx.execute(
      `INSERT INTO devices ${given.row} ON CONFLICT (${devices.conflict.join(', ')}) DO UPDATE SET
         ${seenOfDevice.map((name) => `${name} = excluded.${name}`).join(', ')}
       WHERE devices.observed_at <= excluded.observed_at OR devices.observed_at > ?`,
      [...given.values, this.clock.now() + CLOCK_TOLERANCE_MS],
    );
  }
}
