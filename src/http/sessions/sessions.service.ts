import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AdminRole, type RankedRole, rankedRoles } from '../../platform/config/admin-roles.js';
import { AdminConfig, PeopleConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { Log } from '../../platform/platform/log.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import type { SessionEntity, SessionKind } from './session.entity.js';
import { SessionsRepository, type Unexpired } from './sessions.repository.js';

/** A session ends after this time without a request, and at the latest LONGEST_MS after its sign-in. */
export const IDLE_MS = 2 * HOUR_MS;
export const LONGEST_MS = 12 * HOUR_MS;
/** `used_at` is written at most once in this time, because every request uses its session. */
const USED_EVERY_MS = 60_000;

export type Session = Pick<SessionEntity, 'session_id' | 'kind' | 'name' | 'role' | 'created_at' | 'used_at'>;

/** The signed-in key or person. */
export interface SignedIn {
  readonly kind: SessionKind;
  readonly name: string;
  readonly role: AdminRole;
  /** Digest of the key, or of issuer and subject. */
  readonly boundTo: string;
}

export interface Opened {
  readonly session: Session;
  /** For the cookie; only its digest is stored. */
  readonly token: string;
}

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** When a session ends if it is not used again, in epoch milliseconds. */
export function endOf({ created_at, used_at }: Session): number {
  return Math.min(created_at + LONGEST_MS, used_at + IDLE_MS);
}

/** Console sessions: opened by a sign-in, found by their cookie, ended by time, sign-out or an operator. */
@Injectable()
export class Sessions {
  constructor(
    private readonly repository: SessionsRepository,
    private readonly lane: WriteLane,
    private readonly config: AdminConfig,
    private readonly people: PeopleConfig,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Like `open`, for the owner of the key with this name. */
  openWithKey(name: string): Promise<Opened> {
    const key = this.config.keys.current.find((one) => one.name === name);
    if (key === undefined) throw new AppError('unauthorized', 'The key is unknown.');
    return this.open({ kind: 'key', name, role: key.role, boundTo: boundToKey(key.sha256) });
  }

  /** Throws `forbidden` for a role that cannot use the console. */
  async open({ kind, name, role: given, boundTo }: SignedIn): Promise<Opened> {
    const role = rankedRoles.find((ranked) => ranked === given);
    if (role === undefined) throw new AppError('forbidden', 'Keys of this role cannot use the console.');
    const token = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    const session = { session_id: newId(), kind, name, role, created_at: now, used_at: now };
    await this.lane.run(async (tx) => {
      await this.repository.deleteExpired(tx, this.unexpired());
      await this.repository.insert(tx, { ...session, digest: hash('sha256', token), bound_to: boundTo });
    });
    this.log.event('session.opened', { kind, role });
    return { session, token };
  }

  /** The session of a cookie, with the current role of its key. Throws `unauthorized`. */
  async find(token: string): Promise<Session> {
    const found = tokenPattern.test(token) ? await this.repository.byDigest(hash('sha256', token)) : null;
    const now = this.clock.now();
    const role = found && found.created_at <= now && endOf(found) > now ? this.roleOf(found) : null;
    if (found === null || role === null) {
      throw new AppError('unauthorized', 'The session has ended.', { reason: 'session_ended' });
    }
    if (now - found.used_at > USED_EVERY_MS) await this.use(found.session_id, now);
    return { ...found, role };
  }

  /** Newest first. */
  list(): Promise<Session[]> {
    return this.repository.list(this.unexpired());
  }

  async end(sessionId: string): Promise<void> {
    await this.lane.run((tx) => this.repository.delete(tx, sessionId));
    this.log.event('session.ended');
  }

  /** A failed write is ignored, so that the console stays readable while the store refuses writes. */
  private async use(sessionId: string, at: number): Promise<void> {
    await this.lane.run((tx) => this.repository.use(tx, sessionId, at)).catch(() => undefined);
  }

  /**
   * Null if the key is no longer configured or another key has its name; for a person, if no entry of OIDC_ROLES gives
   * this role any more.
   */
  private roleOf({ kind, name, role, bound_to }: SessionEntity): RankedRole | null {
    if (kind === 'person') return this.people.roles.some((one) => one.role === role) ? role : null;
    const key = this.config.keys.current.find((one) => one.name === name);
    if (key === undefined || boundToKey(key.sha256) !== bound_to) return null;
    return rankedRoles.find((ranked) => ranked === key.role) ?? null;
  }

  private unexpired(): Unexpired {
    const now = this.clock.now();
    return { createdAfter: now - LONGEST_MS, usedAfter: now - IDLE_MS };
  }
}

/** What a session with a key is bound to. It changes with the key, and does not reveal the key's own digest. */
function boundToKey(sha256: Buffer): string {
  return hash('sha256', sha256);
}
