import type { KeyObject } from 'node:crypto';
import type { AdminRole, RankedRole } from './admin-roles.js';
import { type FeedScope, thinScope } from './feed-scope.js';
import type { Rotating, Secret } from './secret.js';
import type { SigningKey } from './signing-keys.js';

export const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];
export const regions = ['us', 'eu'] as const;
export type Region = (typeof regions)[number];
export const environments = ['sandbox', 'production'] as const;
export type UpstreamEnvironment = (typeof environments)[number];
export const availabilityInputs = ['auto', 'body', 'query'] as const;
export type AvailabilityInput = (typeof availabilityInputs)[number];
export const appResults = ['off', 'final'] as const;
export type AppResults = (typeof appResults)[number];
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** A part of the configuration, deeply frozen. Each class is the injection token of its part. */
abstract class Section<Self> {
  constructor(values: Readonly<Self>) {
    Object.assign(this, values);
    for (const value of Object.values(this)) if (Array.isArray(value)) Object.freeze(value);
    Object.freeze(this);
  }
}

export class HttpConfig extends Section<HttpConfig> {
  declare readonly host: string;
  /** 0: any free port. */
  declare readonly port: number;
  /** Addresses and networks whose `X-Forwarded-*` headers are trusted. */
  declare readonly trustedProxies: readonly string[];
  /** In the form of `origin` of a URL. */
  declare readonly corsOrigins: readonly string[];
  /** How long a stopping process reports that it is stopping and still serves. */
  declare readonly drainSeconds: number;
  /** Maximum idle time of a connection between two requests. */
  declare readonly keepAliveSeconds: number;
}

export class SqliteConfig extends Section<SqliteConfig> {
  declare readonly kind: 'sqlite';
  declare readonly path: string;
  /** 32 bytes as hex digits; undefined: the file is not encrypted. */
  declare readonly key?: Secret;
}

export class PostgresConfig extends Section<PostgresConfig> {
  declare readonly kind: 'postgres';
  /** May contain a password. */
  declare readonly url: Secret;
}

export type DatabaseConfig = SqliteConfig | PostgresConfig;
/** Injection token of `DatabaseConfig`, which is a union and therefore cannot be a class. */
export const DatabaseConfig = Symbol('DatabaseConfig');

export class RoleConfig extends Section<RoleConfig> {
  declare readonly role: Role;
}

export class UpstreamConfig extends Section<UpstreamConfig> {
  /** Without a trailing slash. */
  declare readonly baseUrl: string;
  declare readonly apiKey: Rotating<Secret>;
  /** The key has no known prefix, so it was not checked against region and environment. */
  declare readonly apiKeyIsUnfamiliar: boolean;
  /** Lower case. */
  declare readonly apiKeyHeader: string;
  declare readonly region: Region;
  declare readonly environment: UpstreamEnvironment;
  declare readonly availabilityInput: AvailabilityInput;
  /** Key of the pseudonyms that upstream gets instead of account ids; undefined: it gets the ids. */
  declare readonly clientIdSecret: KeyObject | undefined;
  declare readonly maxConcurrency: number;
  declare readonly requestsPerSecond: number;
  /** Per attempt. */
  declare readonly timeoutMs: number;
}

export class WebhookConfig extends Section<WebhookConfig> {
  /** HMAC keys, current one first. */
  declare readonly secrets: Rotating<readonly KeyObject[]>;
  declare readonly toleranceSeconds: number;
  declare readonly maxBytes: number;
}

/** Address of a key set, or the issuer whose OIDC discovery document names it. */
export type KeySetSource = { readonly url: string } | { readonly issuer: string };

/** Exactly one of `keySet` and `secret` is set. With a key set, `issuers` is never empty. */
export class AppAuthConfig extends Section<AppAuthConfig> {
  declare readonly keySet: KeySetSource | undefined;
  declare readonly secret: Rotating<KeyObject> | undefined;
  /** Accepted `iss` claims; empty: any. */
  declare readonly issuers: readonly string[];
  /** Accepted `aud` claims; empty: any. */
  declare readonly audiences: readonly string[];
  /** Accepted `azp` and `client_id` claims; empty: any. */
  declare readonly clientIds: readonly string[];
  declare readonly accountClaim: string;
}

export class AppResultsConfig extends Section<AppResultsConfig> {
  declare readonly shown: AppResults;
}

export class LinkConfig extends Section<LinkConfig> {
  /** In the form of `origin` of a URL. */
  declare readonly redirectOrigins: readonly string[];
}

/** An operator key. Its hash is only available through a getter, so that printing a configuration does not show it. */
export class AdminKey {
  readonly #sha256: Buffer;

  constructor(
    readonly name: string,
    readonly role: AdminRole,
    sha256: Buffer,
    /** What the key may read of the change feed, if its role may read it at all. */
    readonly feed: FeedScope = thinScope,
  ) {
    this.#sha256 = sha256;
    Object.freeze(this);
  }

  /** 32 bytes. */
  get sha256(): Buffer {
    return this.#sha256;
  }
}

export class AdminConfig extends Section<AdminConfig> {
  declare readonly keys: Rotating<readonly AdminKey[]>;
}

/** People with this value of the claim have this role. */
export interface PersonRole {
  readonly claim: string;
  readonly value: string;
  readonly role: RankedRole;
}

/** The identity provider of the people who use the console; without an issuer they sign in with a key. */
export class PeopleConfig extends Section<PeopleConfig> {
  declare readonly issuer: string | undefined;
  declare readonly clientId: string | undefined;
  declare readonly clientSecret: Secret | undefined;
  declare readonly roles: readonly PersonRole[];
}

/** Requests per minute that one caller may make, evenly or in bursts. */
export class CallerLimitsConfig extends Section<CallerLimitsConfig> {
  declare readonly accountRequestsPerMinute: number;
}

export class SyncConfig extends Section<SyncConfig> {
  /** Names of the catalogue; `all` is resolved. */
  declare readonly resources: readonly string[];
  declare readonly intervalSeconds: number;
  /** For streams for which upstream's introspection shows nothing missing. */
  declare readonly maxIntervalSeconds: number;
  declare readonly lookbackHours: number;
  declare readonly backfillDays: number;
}

/**
 * What to do with records that complete looks no longer show. apply: hide them · observe: only count them · off: do not
 * look for them.
 */
export const deletionModes = ['apply', 'observe', 'off'] as const;
export type DeletionMode = (typeof deletionModes)[number];

/** Deletion mode by provider; '' stands for all other providers. */
export class Deletions {
  constructor(private readonly modes: ReadonlyMap<string, DeletionMode>) {}

  of(provider: string): DeletionMode {
    return this.modes.get(provider) ?? this.modes.get('') ?? 'apply';
  }

  /** As it is configured. */
  get text(): string {
    return Array.from(this.modes, ([provider, mode]) => (provider === '' ? mode : `${provider}:${mode}`)).join(',');
  }
}

export class DeletionsConfig extends Section<DeletionsConfig> {
  declare readonly modes: Deletions;
  /** Minimum time between the first complete look without a record and the one that confirms its deletion. */
  declare readonly confirmHours: number;
  /** If a complete look lacks a larger share of its records, an operator must decide. */
  declare readonly holdShare: number;
}

export class AlertConfig extends Section<AlertConfig> {
  declare readonly silenceHours: number;
}

export class RetentionConfig extends Section<RetentionConfig> {
  declare readonly messageDays: number;
  declare readonly historyDays: number;
}

export const accessReasons = ['optional', 'required'] as const;
export type AccessReasons = (typeof accessReasons)[number];

export class AccessLogConfig extends Section<AccessLogConfig> {
  /** required: operators must give a reason for reads and changes. */
  declare readonly reasons: AccessReasons;
  /** Signs checkpoints and removals by age; undefined: neither is signed. */
  declare readonly checkpointKey: SigningKey | undefined;
}

export class ErasureConfig extends Section<ErasureConfig> {
  /** HMAC keys of fences, current one first; empty: the service generates one. */
  declare readonly fenceSecrets: readonly KeyObject[];
  /** Path of the erasure journal; undefined: no journal (PostgreSQL without a configured path). */
  declare readonly journalPath: string | undefined;
}

export class BackupConfig extends Section<BackupConfig> {
  /** Undefined: backups are neither made nor watched. */
  declare readonly folder: string | undefined;
  declare readonly intervalHours: number;
}

export class PushConfig extends Section<PushConfig> {
  /** Keys from which the secrets of push endpoints are derived, current one first; empty: nothing can be pushed. */
  declare readonly signingKeys: readonly KeyObject[];
  /** Private addresses and networks to which pushes may go, also without TLS. */
  declare readonly allowedNetworks: readonly string[];
}

export class DiskConfig extends Section<DiskConfig> {
  /** Less free space than this raises an alarm. */
  declare readonly lowBytes: number;
}

export class LogConfig extends Section<LogConfig> {
  declare readonly level: LogLevel;
}

/** A variable that this service does not read, although its name looks like one of ours. */
export interface UnknownVariable {
  readonly name: string;
  /** The most similar name that the service reads, if one is similar. */
  readonly nearest: string | undefined;
  /** True if the name has one of our prefixes, so that it must be a mistake; the service does not start. */
  readonly refused: boolean;
}

/** Variables in the environment that have no effect, although a user might expect one. */
export class IgnoredConfig extends Section<IgnoredConfig> {
  /** Names of variables that configure a proxy; this service uses none. */
  declare readonly proxies: readonly string[];
  /** Names that look like ours. */
  declare readonly unknown: readonly UnknownVariable[];
}

export class Config extends Section<Config> {
  declare readonly http: HttpConfig;
  declare readonly database: DatabaseConfig;
  declare readonly role: RoleConfig;
  declare readonly upstream: UpstreamConfig;
  declare readonly webhook: WebhookConfig;
  declare readonly appAuth: AppAuthConfig;
  declare readonly appResults: AppResultsConfig;
  declare readonly link: LinkConfig;
  declare readonly admin: AdminConfig;
  declare readonly people: PeopleConfig;
  declare readonly callerLimits: CallerLimitsConfig;
  declare readonly sync: SyncConfig;
  declare readonly deletions: DeletionsConfig;
  declare readonly alert: AlertConfig;
  declare readonly retention: RetentionConfig;
  declare readonly accessLog: AccessLogConfig;
  declare readonly erasure: ErasureConfig;
  declare readonly backup: BackupConfig;
  declare readonly push: PushConfig;
  declare readonly disk: DiskConfig;
  declare readonly log: LogConfig;
  declare readonly ignored: IgnoredConfig;
}
