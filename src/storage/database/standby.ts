import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import type { PostgresConfig } from '../../platform/config/database-config.js';
import type { Secret } from '../../platform/config/secret.js';
import { ConnectionTurns } from './connection-turns.js';
import { driverCode, numberPlaceholders, type SqlInput, storeFailure, toSqlValue } from './dialect.js';
import { limits } from './limits.js';
import { openPostgres, schemaOf } from './postgres.js';
import type { Replica, ReplicaFault, ReplicaState } from './replica.js';
import { isUntold, serverHistory } from './server-history.js';

/*
 * A streaming standby for reads that may wait a moment: lists, exports and snapshots (`fromReplica` of a route).
 *
 * A read from it shows all that was committed when the read began: its session first waits until the standby has
 * replayed the primary's log up to that position. So an erased person cannot be read from a standby that lags, nobody
 * misses what they wrote through another process, and a snapshot never shows a state before its position. A read that
 * would wait longer than `limits.catchUp` goes to the primary, and so do all after it until a look succeeds.
 *
 *   unused  --look: reached the primary's position in time-->          used
 *   used    --a read or look: behind, away or another database-->      unused
 *
 * A position says nothing about the log of another server. So the standby must show the primary's own feed and history:
 * that row is written after every promotion, and a standby that did not follow the promotion lacks it.
 */

interface StandbyOptions {
  readonly url: Secret;
  readonly connections: number;
  /** Reads on the primary. */
  readonly primary: <T>(sql: string) => Promise<T[]>;
  /** Schema of our tables there. */
  readonly schema: string | null;
}

const standing = `(SELECT system_identifier FROM pg_control_system())::text
    || '/' || (SELECT oid FROM pg_database WHERE datname = current_database())::text AS origin,
  (SELECT feed || '/' || history FROM change_feed WHERE id = 1) AS feed`;
const onPrimary = `SELECT ${standing}, (SELECT feed FROM change_feed WHERE id = 1) || '/' || ${serverHistory} AS present,
  (pg_current_wal_flush_lsn() - '0/0')::bigint AS position`;
const onReplica = `SELECT ${standing}, pg_is_in_recovery() AS standby,
  (pg_last_wal_replay_lsn() - '0/0')::bigint AS position,
  (EXTRACT(EPOCH FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::float8 AS age`;

interface Standing {
  /** Cluster and database. */
  readonly origin: string | null;
  /** The feed, and the history of the server that last wrote its row. */
  readonly feed: string | null;
  /** Place in the log, in bytes. */
  readonly position: number | null;
}

interface PrimaryStanding extends Standing {
  /** The feed and the present history; differs from `feed` until a promotion is noted there. */
  readonly present: string | null;
}

interface ReplicaStanding extends Standing {
  readonly standby: boolean;
  readonly age: number | null;
}

/** The server ended the statement at its limit: it would take as long on the primary. */
const STATEMENT_ENDED = '57014';
/** The statement stood in the way of what is replayed; the standby itself is well. */
const CONFLICT = '40001';
const NO_TABLE = '42P01';

export class Standby implements Replica {
  onRead: Replica['onRead'] = () => undefined;

  private source: DataSource | null = null;
  private present: ReplicaState = { fault: 'unseen', lagMs: null };
  private readonly turns: ConnectionTurns;

  constructor(private readonly options: StandbyOptions) {
    this.turns = new ConnectionTurns(options.connections);
  }

  get state(): ReplicaState {
    return this.present;
  }

  async rows<T>(sql: string, parameters: readonly SqlInput[]): Promise<T[] | null> {
    const rows = this.present.fault === null ? await this.read<T>(sql, parameters) : null;
    this.onRead(rows === null ? 'primary' : 'replica');
    return rows;
  }

  async look(): Promise<void> {
    const wanted = await this.wanted();
    if (wanted === null) this.present = { fault: 'untold', lagMs: null };
    else {
      try {
        this.present = await this.session((runner) => this.reach(runner, wanted));
      } catch (error) {
        this.present = failed(error);
      }
    }
  }

  async close(): Promise<void> {
    await this.source?.destroy();
  }

  private async read<T>(sql: string, parameters: readonly SqlInput[]): Promise<T[] | null> {
    const wanted = await this.wanted();
    if (wanted === null) return null;
    try {
      return await this.session(async (runner) => {
        const state = await this.reach(runner, wanted);
        if (state.fault === null) {
          return (await runner.query(numberPlaceholders(sql), parameters.map(toSqlValue))) as T[];
        }
        this.present = state;
        return null;
      });
    } catch (error) {
      if (driverCode(error) === STATEMENT_ENDED) throw storeFailure(error);
      if (driverCode(error) !== CONFLICT) this.present = failed(error);
      return null;
    }
  }

  /** What a standby must show now; null if the primary does not tell it. */
  private async wanted(): Promise<PrimaryStanding | null> {
    try {
      const [found] = await this.options.primary<PrimaryStanding>(onPrimary);
      return found ?? null;
    } catch (error) {
      if (isUntold(error)) return null;
      throw error;
    }
  }

  private session<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    return this.turns.run(async () => {
      const { url, connections: poolSize, schema } = this.options;
      this.source ??= await openPostgres({ url: url.reveal(), entities: [], poolSize, readOnly: true, schema });
      const runner = this.source.createQueryRunner();
      try {
        return await work(runner);
      } finally {
        await runner.release();
      }
    });
  }

  /** Waits until the server of this session shows what is wanted, or for `limits.catchUp`. */
  private async reach(runner: QueryRunner, wanted: PrimaryStanding): Promise<ReplicaState> {
    const from = performance.now();
    for (;;) {
      const [found] = (await runner.query(onReplica)) as ReplicaStanding[];
      const waited = performance.now() - from;
      const fault = found ? faultOf(found, wanted) : 'other_database';
      if (fault === null) return { fault, lagMs: Math.round(waited) };
      if (fault !== 'behind') return { fault, lagMs: null };
      if (waited >= limits.catchUp) return { fault, lagMs: found?.age ?? null };
      await delay(limits.lookAgain);
    }
  }
}

/** How the standby stands, on connections of its own. Throws if the primary cannot be asked. */
export async function replicaState({ url }: PostgresConfig, readUrl: Secret): Promise<ReplicaState> {
  const source = await openPostgres({ url: url.reveal(), entities: [], poolSize: 1, readOnly: true });
  const primary = <T>(sql: string): Promise<T[]> => source.query(sql);
  const replica = new Standby({ url: readUrl, connections: 1, primary, schema: await schemaOf(source) });
  try {
    await replica.look();
    return replica.state;
  } finally {
    await replica.close();
    await source.destroy();
  }
}

function faultOf(found: ReplicaStanding, wanted: PrimaryStanding): ReplicaFault | null {
  if (found.origin === null || found.origin !== wanted.origin) return 'other_database';
  if (!found.standby) return 'writable';
  if (found.position === null || wanted.position === null || found.position < wanted.position) return 'behind';
  const isSame = wanted.feed !== null && found.feed === wanted.feed && found.feed === wanted.present;
  return isSame ? null : 'other_database';
}

function failed(error: unknown): ReplicaState {
  return driverCode(error) === NO_TABLE
    ? { fault: 'other_database', lagMs: null }
    : { fault: 'unreachable', lagMs: null, error };
}
