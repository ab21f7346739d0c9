import { Injectable } from '@nestjs/common';
import { errors, type JWTPayload, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose';
import { isTrue, valueOfClaim, verifierOf } from '../../platform/config/claim-rules.js';
import { AppAuthConfig } from '../../platform/config/config.js';
import { ofIssuers } from '../../platform/config/of-issuers.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, CodedError } from '../../platform/platform/errors.js';
import { type ExternalAccountId, isExternalAccountId } from '../../platform/platform/ids.js';
import { isAccessToken, mismatchOf, type Restrictions } from './app-token.claims.js';
import { looksLikeToken } from './caller.js';
import { OtherIssuer } from './discovery.js';
import { KeySet } from './key-set.js';
import { KeySetTelemetry } from './key-set.telemetry.js';

const clockToleranceSeconds = 5;
const secretAlgorithms = ['HS256'];
const MAX_ISSUER_CHARACTERS = 200;

/**
 * Verifies the customer's own access tokens: signature by a pinned algorithm, expiry (required), not-before,
 * issuer, audience and client id as configured, and that it is an access token. Allows five seconds of clock skew.
 *
 * Keys come from the configured secret or from the customer's key set (key-set.ts). An unusable key set is not the
 * caller's fault: `verification_unavailable`.
 */
@Injectable()
export class AppTokenVerifier {
  private readonly keySet: KeySet | null;
  private readonly restrictions: Restrictions;

  constructor(
    private readonly config: AppAuthConfig,
    private readonly clock: Clock,
    telemetry: KeySetTelemetry,
  ) {
    const { keySet } = config;
    this.keySet = keySet === undefined ? null : new KeySet(keySet, clock, telemetry);
    const { audiences, clientIds, issuers } = config;
    this.restrictions = { audiences: ofIssuers(audiences, issuers), clientIds: ofIssuers(clientIds, issuers) };
  }

  /** Returns the account id in the token. Throws `unauthorized` or `verification_unavailable`. */
  async verify(token: string): Promise<ExternalAccountId> {
    const payload = await this.verified(token);
    const { accountClaim, accounts } = this.config;
    const claim = textOf(valueOfClaim(payload, accountClaim));
    if (claim !== undefined && !this.isVerified(payload)) throw refused('not_verified');
    const accountId = accounts === 'by_issuer' && isExternalAccountId(claim) ? `${payload.iss}|${claim}` : claim;
    if (!isExternalAccountId(accountId)) throw refused('no_account');
    return accountId;
  }

  /** Your own backend, which signs with the secret, need not say that it has verified an address. */
  private isVerified(payload: JWTPayload): boolean {
    const verifier = verifierOf(this.config.accountClaim);
    if (verifier === null || isTrue(payload[verifier])) return true;
    return this.keySet === null && payload[verifier] === undefined;
  }

  private async verified(token: string): Promise<JWTPayload> {
    try {
      const { payload, protectedHeader } = await this.verifiedByKeys(token);
      if (!isAccessToken(protectedHeader, payload)) throw refused('not_an_access_token');
      const mismatch = mismatchOf(protectedHeader, payload, this.restrictions);
      if (mismatch !== null) throw refused(mismatch);
      return payload;
    } catch (error) {
      if (error instanceof CodedError) throw error;
      const cause = otherIssuerIn(error, this.config.issuers) ?? error;
      throw refused(reasonOf(error), cause, looksLikeToken(token) ? undefined : aboutKeys);
    }
  }

  private verifiedByKeys(token: string): Promise<JWTVerifyResult> {
    const { keySet, config } = this;
    if (keySet !== null) return keySet.verify(token, this.options());
    if (config.secret === undefined) {
      throw new TypeError('Neither a key set nor a secret for access tokens is configured.');
    }
    return jwtVerify(token, config.secret.current, { ...this.options(), algorithms: secretAlgorithms });
  }

  private options(): JWTVerifyOptions {
    const { issuers } = this.config;
    return {
      issuer: issuers.length > 0 ? [...issuers] : undefined,
      requiredClaims: ['exp'],
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(this.clock.now()),
    };
  }
}

/** Many frameworks sign the number of a user's row. Above 2 to the power of 53, two of them would be read as one. */
function textOf(claim: unknown): unknown {
  return Number.isSafeInteger(claim) ? String(claim) : claim;
}

/**
 * The part of the reason that the caller gets to know. Claims are compared only if the signature is right, so nothing
 * here helps to forge a token.
 */
const sentences = {
  expired: 'The access token has expired.',
  not_yet_valid: 'The access token is not valid yet: the clock of its issuer is ahead.',
  no_expiry: 'The access token has no expiry (claim exp).',
  wrong_issuer: 'The service does not accept the issuer of the access token (APP_JWT_ISSUER).',
  wrong_audience: 'The access token is for another audience (APP_JWT_AUDIENCE).',
  wrong_client: 'The access token was issued to another client (APP_JWT_CLIENT_IDS).',
  wrong_claim: 'A claim of the access token is invalid.',
  not_an_access_token: 'The token is of another kind, such as an identity token: send the access token.',
  no_account: 'The access token contains no valid account id (APP_JWT_ACCOUNT_CLAIM).',
  not_verified: 'The access token does not say that the address in its account claim is verified (email_verified).',
  bad_signature: 'The signature of the access token is wrong.',
  unknown_key: 'The access token is signed by a key that is not in the key set of its issuer.',
  wrong_algorithm: 'The access token is signed with an algorithm that the service does not accept.',
  malformed: 'The access token is malformed.',
} as const;

const aboutKeys = 'This route takes the access token of a person, not a key.';

type Reason = keyof typeof sentences;

const claimReasons: Readonly<Record<string, Reason>> = {
  iss: 'wrong_issuer',
  nbf: 'not_yet_valid',
  exp: 'no_expiry',
};

function refused(reason: Reason, cause?: unknown, sentence: string = sentences[reason]): AppError {
  return new AppError('unauthorized', sentence, { reason, ...(cause === undefined ? {} : { cause }) });
}

/** The two texts that differ, of which an operator sees that a slash is missing. Null for another error. */
function otherIssuerIn(error: unknown, issuers: readonly string[]): OtherIssuer | null {
  if (!(error instanceof errors.JWTClaimValidationFailed) || error.claim !== 'iss') return null;
  const { iss = 'none' } = error.payload;
  return new OtherIssuer({ expected: issuers.join(' '), answered: String(iss).slice(0, MAX_ISSUER_CHARACTERS) });
}

/** Reason of a refusal for the log and the caller, from a closed list. */
function reasonOf(error: unknown): Reason {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return claimReasons[error.claim] ?? 'wrong_claim';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'bad_signature';
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key';
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) return 'wrong_algorithm';
  return 'malformed';
}
