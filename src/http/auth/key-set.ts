import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, type RemoteJWKSet } from 'jose';
import type { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import type { KeySetTelemetry } from './key-set.telemetry.js';

const MAX_AGE_MS = 600_000;
/** However many tokens name keys that the set does not hold, it is read again no more often than this. */
const LOOK_AGAIN_MS = 10_000;
/** How soon it is tried again where the last one can be used meanwhile, and where there is none. */
const TRY_AGAIN_MS = 10_000;
const TRY_SOON_MS = 1_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;
const MAX_KEYS = 100;

type Header = Parameters<JWTVerifyGetKey>[0];
type Token = Parameters<JWTVerifyGetKey>[1];

/*
 * The customer's published keys.
 *
 *   none     --read--> fresh     ten minutes, within which it is read again only for a key that it does not hold
 *   fresh    --ten minutes--> due    read again before the next token is judged
 *   due      --cannot be read--> stale   used on, tried again every ten seconds, for the configured time
 *   stale    --time is over--> none      tokens cannot be judged; tried again every second, while any come
 *
 * All who need it read at one time share one reading. An answer that is too long, too slow, holds too many keys or is
 * no key set counts as none. Times go by the monotonic clock, so jose's own are switched off.
 */
export class KeySet {
  private readonly set: RemoteJWKSet;
  private readAt: number | null = null;
  private triedAt: number | null = null;
  private failure: unknown = null;
  private reading: Promise<void> | null = null;

  constructor(
    url: URL,
    private readonly staleMs: number,
    private readonly clock: Clock,
    private readonly telemetry: KeySetTelemetry,
  ) {
    this.set = createRemoteJWKSet(url, {
      cooldownDuration: Number.POSITIVE_INFINITY,
      cacheMaxAge: Number.POSITIVE_INFINITY,
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: boundedFetch,
    });
  }

  /**
   * The key a token was signed with. Throws an error of `jose` about the token, or `verification_unavailable` where the
   * set cannot be had, or a stale one does not hold the key: a newer one may.
   */
  async key(header: Header, token: Token): Promise<Awaited<ReturnType<JWTVerifyGetKey>>> {
    if (this.age() >= MAX_AGE_MS) await this.read(this.isUsable() ? TRY_AGAIN_MS : TRY_SOON_MS);
    if (!this.isUsable()) throw this.unavailable();
    try {
      return await this.set(header, token);
    } catch (error) {
      if (!isAboutTheToken(error)) throw this.unavailable(error);
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const before = this.readAt;
      await this.read(LOOK_AGAIN_MS);
      if (this.failure !== null) throw this.unavailable();
      if (this.readAt === before) throw error;
      return this.set(header, token);
    }
  }

  private age(): number {
    return this.readAt === null ? Number.POSITIVE_INFINITY : this.clock.monotonic() - this.readAt;
  }

  private isUsable(): boolean {
    return this.age() < MAX_AGE_MS + this.staleMs;
  }

  /** Reads the set unless it was tried less than `pauseMs` ago. Never rejects. */
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
    return new AppError('verification_unavailable', 'The keys of the access tokens cannot be read now.', { cause });
  }
}

function isAboutTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/** The answer as far as it may be long, with no more keys than it may hold. The time limit covers its body too. */
async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new TypeError('The key set was not answered with 200.');
  }
  const text = await boundedText(response);
  const { keys } = JSON.parse(text) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new TypeError('The key set holds too many keys, or none.');
  return new Response(text, { status: 200 });
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop ends the request.
    if (bytes > MAX_BYTES) throw new RangeError('The key set is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
