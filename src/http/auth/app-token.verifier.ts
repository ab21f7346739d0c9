import { Injectable } from '@nestjs/common';
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { AppAuthConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, CodedError } from '../../platform/platform/errors.js';
import { type ExternalAccountId, isExternalAccountId } from '../../platform/platform/ids.js';
import { KeySet } from './key-set.js';
import { KeySetTelemetry } from './key-set.telemetry.js';

const clockToleranceSeconds = 5;
const keySetAlgorithms = ['RS256', 'ES256', 'EdDSA'];
const secretAlgorithms = ['HS256'];

type Key = Parameters<typeof jwtVerify>[1];

/**
 * Verifies the customer's own access tokens: signature by a pinned algorithm, expiry (required), not-before, issuer and
 * audience where configured, five seconds of skew, and no longer life than is configured.
 *
 * Keys come from the configured secret, or from the customer's key set (key-set.ts). No usable key set is our trouble,
 * not the caller's: `verification_unavailable`.
 */
@Injectable()
export class AppTokenVerifier {
  private readonly keySet: KeySet | null;
  private readonly algorithms: string[];

  constructor(
    private readonly config: AppAuthConfig,
    private readonly clock: Clock,
    telemetry: KeySetTelemetry,
  ) {
    const { jwksUrl, staleKeySetSeconds } = config;
    this.keySet =
      jwksUrl === undefined ? null : new KeySet(new URL(jwksUrl), staleKeySetSeconds * 1_000, clock, telemetry);
    this.algorithms = this.keySet ? keySetAlgorithms : secretAlgorithms;
  }

  /** The account id the token stands for. Throws `unauthorized` or `verification_unavailable`. */
  async verify(token: string): Promise<ExternalAccountId> {
    const payload = await this.verified(token);
    const { accountClaim } = this.config;
    const accountId = Object.hasOwn(payload, accountClaim) ? payload[accountClaim] : undefined;
    if (!isExternalAccountId(accountId))
      throw new AppError('unauthorized', 'The access token names no usable account.', { reason: 'no_account' });
    return accountId;
  }

  private async verified(token: string): Promise<JWTPayload> {
    try {
      const payload = await this.verifiedBy(this.keys(), token);
      this.assertShortLived(payload);
      return payload;
    } catch (error) {
      if (error instanceof CodedError) throw error;
      throw new AppError('unauthorized', 'The access token is not valid.', { cause: error, reason: reasonOf(error) });
    }
  }

  private keys(): Key | JWTVerifyGetKey {
    const { keySet } = this;
    if (keySet) return (header, token) => keySet.key(header, token);
    if (this.config.secret) return this.config.secret.current;
    throw new TypeError('Neither a key set nor a secret for access tokens is configured.');
  }

  /** From its issue to its expiry; one that does not say when it was issued, or says a later time, counts from now. */
  private assertShortLived({ exp = 0, iat }: JWTPayload): void {
    const { maxLifetimeSeconds } = this.config;
    if (maxLifetimeSeconds === undefined) return;
    const now = this.clock.now() / 1_000;
    const lifetime = exp - Math.min(iat ?? now, now);
    if (lifetime <= maxLifetimeSeconds + clockToleranceSeconds) return;
    throw new AppError('unauthorized', 'The access token lives too long.', { reason: 'lives_too_long' });
  }

  /** A token without a key id can fit several keys of the set, for instance while they are rotated: each is tried. */
  private async verifiedBy(keys: Key | JWTVerifyGetKey, token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, keys as JWTVerifyGetKey, this.options());
      return payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return this.verifiedByAny(error, token);
    }
  }

  private async verifiedByAny(candidates: AsyncIterable<Key>, token: string): Promise<JWTPayload> {
    for await (const key of candidates) {
      try {
        return await this.verifiedBy(key, token);
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }

  private options(): JWTVerifyOptions {
    return {
      algorithms: this.algorithms,
      issuer: this.config.issuer,
      audience: this.config.audience,
      requiredClaims: ['exp'],
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(this.clock.now()),
    };
  }
}

const claimReasons: Readonly<Record<string, string>> = {
  aud: 'wrong_audience',
  iss: 'wrong_issuer',
  nbf: 'not_yet_valid',
  exp: 'no_expiry',
};

/** Why a token is refused, as one of few words. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return claimReasons[error.claim] ?? 'wrong_claim';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'bad_signature';
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key';
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) return 'wrong_algorithm';
  return 'malformed';
}
