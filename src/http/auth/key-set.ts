import { setTimeout as delay } from 'node:timers/promises';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
  type RemoteJWKSet,
} from 'jose';
import type { KeySetSource } from '../../platform/config/config.js';
import type { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { recentlyUsed } from '../../platform/platform/recently-used.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import {
  KEY_SET_LOOK_MS,
  KEY_SET_MISSING_MS,
  KEY_SET_RETRY_MS,
  KEY_SET_RETRY_SOON_MS,
  KEY_SET_TIMEOUT_MS,
} from '../server/tuning.js';
import { discoveryAddressOf, keySetAddressIn, readDiscovery } from './discovery.js';
import { keySetResponse } from './key-set.response.js';
import type { KeySetTelemetry } from './key-set.telemetry.js';

/** The last two are two names of one algorithm (RFC 9864). */
const algorithms = ['RS256', 'ES256', 'EdDSA', 'Ed25519'];

const MAX_AGE_MS = 600_000;
/** Time for which a set that cannot be read again is still used. */
const STALE_MS = HOUR_MS;
const MAX_MISSING_KEYS = 1_000;
const MAX_KEY_ID_LENGTH = 200;

type Header = Parameters<JWTVerifyGetKey>[0];
type Token = Parameters<JWTVerifyGetKey>[1];
type Key = Awaited<ReturnType<JWTVerifyGetKey>>;

/*
 * The customer's published keys.
 *
 *   none     --read--> fresh         for ten minutes; read again only for an unknown key
 *   fresh    --ten minutes--> due    read again before the next token is verified
 *   due      --read fails--> stale   still used, and read again every ten seconds, for an hour
 *   stale    --time is over--> none  tokens cannot be verified; read again every second while tokens arrive
 *
 * Anybody can name a key that is not there, and must not keep the service from learning of a new one: a token with an
 * unknown key waits until the set may be read for it, and is refused only by a set that was read after it arrived.
 * Concurrent callers share one read. A response without one usable signature key is a failed read
 * (key-set.response.ts): identity providers serve an empty set for a moment during a deployment, and users must stay
 * signed in. Times use the monotonic clock, so the caching of `jose` is switched off.
 */
export class KeySet {
  private readonly set: RemoteJWKSet;
  private readAt: number | null = null;
  private triedAt: number | null = null;
  private failure: unknown = null;
  private reading: Promise<void> | null = null;
  /** When a set did not have these keys. */
  private readonly missing = recentlyUsed<string, number>(MAX_MISSING_KEYS);

  constructor(
    source: KeySetSource,
    private readonly clock: Clock,
    private readonly telemetry: Pick<KeySetTelemetry, 'readable' | 'unreadable'>,
    private readonly pause: (ms: number) => Promise<unknown> = delay,
  ) {
    const first = 'issuer' in source ? discoveryAddressOf(source.issuer) : source.url;
    this.set = createRemoteJWKSet(new URL(first), {
      cooldownDuration: Number.POSITIVE_INFINITY,
      cacheMaxAge: Number.POSITIVE_INFINITY,
      timeoutDuration: KEY_SET_TIMEOUT_MS,
      [customFetch]: async (url, options) =>
        keySetResponse(
          'issuer' in source ? keySetAddressIn(await readDiscovery(source.issuer, options)) : url,
          options,
        ),
    });
  }

  /**
   * Verifies a token by these keys. Throws an error of `jose` about the token, or `verification_unavailable` if there
   * is no usable set, or if a stale set lacks the key, because a newer set may contain it.
   */
  async verify(token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
    const verifiedBy = (key: Key): Promise<JWTVerifyResult> => jwtVerify(token, key, { ...options, algorithms });
    try {
      return await jwtVerify(token, (header, signed) => this.key(header, signed), { ...options, algorithms });
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return verifiedByAny(error, verifiedBy);
    }
  }

  private async key(header: Header, token: Token): Promise<Key> {
    const arrivedAt = this.clock.monotonic();
    if (this.age() >= MAX_AGE_MS) await this.read(this.isUsable() ? KEY_SET_RETRY_MS : KEY_SET_RETRY_SOON_MS);
    if (!this.isUsable()) throw this.unavailable();
    try {
      return await this.set(header, token);
    } catch (error) {
      if (!isAboutTheToken(error)) throw this.unavailable(error);
      if (!(error instanceof errors.JWKSNoMatchingKey) || (this.readAt ?? 0) >= arrivedAt) throw error;
      return this.newKey(header, token, error);
    }
  }

  /** Key that the set lacks, from a set that is read now. Throws `refusal` if it lacked this key shortly before. */
  private async newKey(header: Header, token: Token, refusal: unknown): Promise<Key> {
    const name = `${header.alg} ${header.kid}`.slice(0, MAX_KEY_ID_LENGTH);
    const missingFor = this.clock.monotonic() - (this.missing.get(name) ?? Number.NEGATIVE_INFINITY);
    if (missingFor >= KEY_SET_MISSING_MS) await this.look();
    if (this.failure !== null) throw this.unavailable();
    if (missingFor < KEY_SET_MISSING_MS) throw refusal;
    try {
      return await this.set(header, token);
    } catch (error) {
      this.missing.set(name, this.clock.monotonic());
      throw error;
    }
  }

  private async look(): Promise<void> {
    if (this.failure !== null) return this.read(KEY_SET_RETRY_MS);
    const waitMs = (this.triedAt ?? 0) + KEY_SET_LOOK_MS - this.clock.monotonic();
    if (waitMs > 0) await this.pause(Math.ceil(waitMs) + 1);
    await this.read(KEY_SET_LOOK_MS);
  }

  private age(): number {
    return this.readAt === null ? Number.POSITIVE_INFINITY : this.clock.monotonic() - this.readAt;
  }

  private isUsable(): boolean {
    return this.age() < MAX_AGE_MS + STALE_MS;
  }

  /** Reads the set unless the last attempt was less than `pauseMs` ago. Never rejects. */
  private async read(pauseMs: number): Promise<void> {
    const now = this.clock.monotonic();
    if (this.reading === null) {
      if (this.triedAt !== null && now - this.triedAt < pauseMs) return;
      this.triedAt = now;
      this.reading = this.readNow(now).finally(() => {
        this.reading = null;
      });
    }
    await this.reading;
  }

  private async readNow(now: number): Promise<void> {
    try {
      await this.set.reload();
      this.readAt = now;
      this.failure = null;
      this.telemetry.readable();
    } catch (error) {
      this.failure = error;
      this.telemetry.unreadable(error, this.isUsable());
    }
  }

  private unavailable(cause: unknown = this.failure): AppError {
    return new AppError(
      'verification_unavailable',
      'The keys that verify access tokens cannot be fetched; retry later.',
      {
        cause,
      },
    );
  }
}

function isAboutTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/** Tries each matching key, because a token without a key id can match several, for example during a rotation. */
async function verifiedByAny(
  candidates: AsyncIterable<Key>,
  verifiedBy: (key: Key) => Promise<JWTVerifyResult>,
): Promise<JWTVerifyResult> {
  for await (const key of candidates) {
    try {
      return await verifiedBy(key);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}
