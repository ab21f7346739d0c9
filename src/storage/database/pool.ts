import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { storageUnavailable } from './dialect.js';
import { limits } from './limits.js';

/*
 * A network can drop everything without closing a connection; without limits a client would wait indefinitely.
 *
 *   in use     --no byte for `suspicious`-->            suspicious  a new connection is tried
 *   suspicious --the new one gets no response-->        the database is unreachable: all connections are destroyed, and
 *                                                       all callers are refused until one gets a response
 *   suspicious --it does, but no byte for `silent`-->   destroyed, with all that have been silent as long
 *
 * Statements on a destroyed connection fail with `ETIMEDOUT`. Such a connection is never reused.
 *
 * A connection is closed instead of reused if the server reports that it is read-only (after a failover the address may
 * lead to the old server for a while), that the transaction has failed, or that it is stopping. If it is read-only, all
 * other connections are closed too.
 *
 * Any failure to connect (name lookup, login, TLS) is `storage_unavailable`.
 *
 * A server or pooler without a free session is not unreachable: the pool uses its existing ones for `keepTo`. If it has
 * none, the other pools of the process give up some of their connections. A pooler accepts a connection immediately,
 * but its first statement waits for a session: one that stays silent until then is given up, and counts like 53300.
 *
 * The server does not notice that a session was destroyed while it waits for a lock, a disk or a standby. So each
 * destroyed session is cancelled there, again until it is gone, and takes a place of the pool as long as it exists.
 */

const TOO_MANY_CONNECTIONS = '53300';
const ONLY_READS = '25006';
const spentStates = /^(25006|25P02|57P0.)$/;

type Connected = Extract<Parameters<pg.Pool['connect']>[0], (...given: never[]) => void>;

/** State of a pool connection. Monotonic times. */
interface Known {
  readonly socket: Socket;
  isInUse: boolean;
  isSpent: boolean;
  /** False until its first statement is answered. */
  isProven: boolean;
  restedAt: number;
}

/** Connections that may stay silent, for example during a migration. */
const patient = new WeakSet<pg.ClientBase>();

/** Lifts this side's limits on a connection in use; returns a function that restores them. */
export function liftLimits(client: pg.ClientBase): () => void {
  patient.add(client);
  return () => void patient.delete(client);
}

/** Pools of this process. */
const pools = new Set<SilenceAwarePool>();

export class SilenceAwarePool extends pg.Pool {
  private readonly known = new Map<pg.Client, Known>();
  private readonly waiting = new Set<() => void>();
  private isAway = false;
  private asking: Promise<boolean> | null = null;
  private growAgain: NodeJS.Timeout | null = null;
  private readonly most: number;
  private readonly address: string;
  /** Process ids of sessions that were destroyed here and may still exist on the server. */
  private readonly left = new Set<number>();
  private sweeping: Promise<void> | null = null;

  constructor(private readonly config: pg.PoolConfig) {
    super(config);
    this.most = this.options.max;
    const { connectionString, host, port, database, user } = config;
    this.address = connectionString ?? [host, port, database, user].join(' ');
    pools.add(this);
    this.on('connect', (client) => this.add(client));
    this.on('acquire', (client) => this.listen(client));
    this.on('release', (_error, client) => this.rest(client));
    this.on('remove', (client) => void this.known.delete(client));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.PoolClient> | undefined {
    if (connected) {
      this.connectUnlessAway(connected);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.connectUnlessAway((error, client) => (client ? resolve(client) : reject(error ?? silence())));
    });
  }

  private connectUnlessAway(connected: Connected): void {
    const refuse = (): void => connected(storageUnavailable(silence()), undefined, () => undefined);
    if (this.isAway) {
      process.nextTick(refuse);
      return;
    }
    this.waiting.add(refuse);
    const doubt = this.idleCount > 0 ? undefined : setTimeout(() => void this.answers(), limits.suspicious).unref();
    super.connect((error, client, release) => {
      clearTimeout(doubt);
      const known = client && this.known.get(client);
      if (known) known.isProven = true;
      const isSpent = known?.isSpent === true;
      if (isSpent) release(true);
      if (isSpent || (error && this.keepsToItsOwn(error))) {
        if (this.waiting.delete(refuse)) this.connectUnlessAway(connected);
      } else if (this.waiting.delete(refuse)) connected(error && refusal(error), client, release);
      else if (client) release();
    });
  }

  /** True if the server has no session left, but this pool has some for which the caller can wait, or gets some. */
  private keepsToItsOwn(error: Error): boolean {
    if ((error as { code?: unknown }).code !== TOO_MANY_CONNECTIONS) return false;
    if (this.totalCount === 0) return this.others().some((other) => other.giveHalf());
    this.keepTo(this.totalCount);
    return true;
  }

  private keepTo(sessions: number): void {
    this.options.max = sessions;
    this.growAgain ??= setTimeout(() => {
      this.growAgain = null;
      this.resize();
    }, limits.keepTo).unref();
  }

  private others(): SilenceAwarePool[] {
    return [...pools].filter((pool) => pool !== this && pool.address === this.address);
  }

  /** Closes half of the sessions: idle ones now, others once they are used again. False if there is only one. */
  private giveHalf(): boolean {
    const surplus = Math.floor(this.totalCount / 2);
    if (surplus === 0) return false;
    const idle = Math.min(surplus, this.idleCount);
    for (let count = 0; count < idle; count++) super.connect((_error, _client, release) => release(true));
    const inUse = [...this.known.values()].filter((known) => known.isInUse);
    for (const known of inUse.slice(0, surplus - idle)) known.isSpent = true;
    this.keepTo(this.totalCount - surplus);
    return true;
  }

  /** Sessions of all pools of the process at this address while the server has none left for one of them; else null. */
  get fewSessions(): number | null {
    const all = [this, ...this.others()];
    return all.some((pool) => pool.growAgain !== null) ? all.reduce((sum, pool) => sum + pool.totalCount, 0) : null;
  }

  override end(): Promise<void>;
  override end(ended: () => void): void;
  override end(ended?: () => void): Promise<void> | undefined {
    pools.delete(this);
    if (this.growAgain !== null) clearTimeout(this.growAgain);
    if (!ended) return super.end();
    super.end(ended);
    return undefined;
  }

  private resize(): void {
    if (this.growAgain === null) this.options.max = Math.max(1, this.most - this.left.size);
  }

  /** Later sessions begin with this `search_path`; present ones are replaced. */
  pin(searchPath: string): void {
    const escaped = searchPath.replace(/[\\ ]/g, '\\$&');
    this.options.options = [this.config.options, `-c search_path=${escaped}`].filter(Boolean).join(' ');
    for (const known of this.known.values()) known.isSpent = true;
  }

  private add(client: pg.PoolClient): void {
    const socket = client.connection.stream as Socket;
    // Handles errors while the new session is checked, when no other code listens.
    client.on('error', () => undefined);
    const known: Known = { socket, isInUse: false, isSpent: false, isProven: false, restedAt: 0 };
    this.known.set(client, known);
    client.connection.on('errorMessage', ({ code }: { code?: string }) => this.spend(known, code));
    socket.on('timeout', () => void this.suspect(client));
  }

  private spend(answering: Known, state: string | undefined): void {
    if (state === undefined || !spentStates.test(state)) return;
    for (const known of state === ONLY_READS ? this.known.values() : [answering]) known.isSpent = true;
  }

  private listen(client: pg.PoolClient): void {
    const known = this.known.get(client);
    if (!known) return;
    known.isInUse = true;
    known.socket.setTimeout(limits.suspicious);
  }

  private rest(client: pg.PoolClient): void {
    const known = this.known.get(client);
    if (!known) return;
    known.isInUse = false;
    known.restedAt = performance.now();
    known.socket.setTimeout(0);
  }

  private async suspect(client: pg.Client): Promise<void> {
    const known = this.known.get(client);
    if (!known || patient.has(client)) return;
    const { socket } = known;
    const [read, written] = [socket.bytesRead, socket.bytesWritten];
    const silentSince = performance.now() - limits.suspicious;
    const isStillSilent = (): boolean =>
      known.isInUse && !socket.destroyed && socket.bytesRead === read && socket.bytesWritten === written;
    // If this process was paused, the response may be waiting unread.
    await nextTurn();
    if (!isStillSilent() || !(await this.answers())) return;
    if (!known.isProven) {
      socket.destroy(noSession());
      return;
    }
    await delay(limits.silent - limits.suspicious, undefined, { ref: false });
    if (isStillSilent()) this.destroySilentSince(silentSince, known);
  }

  /** True if a new connection gets a response; otherwise the database is unreachable. */
  private answers(): Promise<boolean> {
    this.asking ??= this.ask().finally(() => (this.asking = null));
    return this.asking;
  }

  private async ask(): Promise<boolean> {
    const isAnswered = await this.tryConnection();
    if (!isAnswered && !this.isAway) this.leave();
    return isAnswered;
  }

  private async tryConnection(): Promise<boolean> {
    const client = new pg.Client({ ...this.config, connectionTimeoutMillis: limits.answer });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return true;
    } catch (error) {
      return !isSilence(error);
    } finally {
      void client.end();
    }
  }

  private leave(): void {
    this.isAway = true;
    this.destroySilentSince(performance.now());
    for (const refuse of this.waiting) refuse();
    this.waiting.clear();
    void this.comeBack();
  }

  private async comeBack(): Promise<void> {
    do await delay(limits.askAgain, undefined, { ref: false });
    while (!this.ending && !(await this.tryConnection()));
    this.isAway = false;
  }

  /** Destroys all connections that were idle since `time`; of those in use, the given one or all. */
  private destroySilentSince(time: number, only?: Known): void {
    for (const [client, known] of this.known) {
      const isMeant = known.isInUse ? only === undefined || only === known : known.restedAt <= time;
      if (!isMeant || patient.has(client)) continue;
      known.socket.destroy(silence());
      this.leaveBehind(client);
    }
  }

  private leaveBehind(client: pg.Client): void {
    const { processID } = client as unknown as { readonly processID: number | null };
    if (processID === null) return;
    this.left.add(processID);
    this.resize();
    this.sweeping ??= this.sweep().finally(() => (this.sweeping = null));
  }

  /** Cancels sessions until none of them exists. Never rejects. */
  private async sweep(): Promise<void> {
    while (this.left.size > 0 && !this.ending) {
      const remaining = await this.cancelled([...this.left]);
      if (remaining !== null) for (const id of this.left) if (!remaining.includes(id)) this.left.delete(id);
      this.resize();
      if (this.left.size > 0) await delay(limits.askAgain, undefined, { ref: false });
    }
  }

  /** Cancels sessions of this role and returns those that still existed; null if the server does not respond. */
  private async cancelled(ids: readonly number[]): Promise<number[] | null> {
    const client = new pg.Client({ ...this.config, connectionTimeoutMillis: limits.answer });
    client.on('error', () => undefined);
    const timeout = setTimeout(() => void (client.connection.stream as Socket).destroy(), limits.silent).unref();
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(cancelSessions, [ids]);
      return rows.map(({ pid }) => pid);
    } catch {
      return null;
    } finally {
      clearTimeout(timeout);
      void client.end().catch(() => undefined);
    }
  }
}

/** Only our own: after a restart of the server, another program may have one of the ids. */
const cancelSessions = `SELECT pid, pg_cancel_backend(pid) FROM pg_stat_activity
  WHERE pid = ANY ($1) AND usename = current_user AND datname = current_database() AND state <> 'idle'`;

function noSession(): Error {
  return Object.assign(new Error('No session is free.'), { code: TOO_MANY_CONNECTIONS });
}

function silence(): Error {
  return Object.assign(new Error('The database does not respond.'), { code: 'ETIMEDOUT' });
}

function refusal(error: Error): Error {
  return storageUnavailable(isSilence(error) ? silence() : error);
}

/** The driver's own errors have no code. */
function isSilence(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === 'ETIMEDOUT' || (code === undefined && /timeout/.test(String(message)));
}
