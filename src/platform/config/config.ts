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

/** A part of the configuration, frozen with its lists. Each class is the injection token of its part. */
abstract class Section<Self> {
  constructor(values: Readonly<Self>) {
    Object.assign(this, values);
    for (const value of Object.values(this)) if (Array.isArray(value)) Object.freeze(value);
    Object.freeze(this);
  }
}

export class HttpConfig extends Section<HttpConfig> {
  declare readonly host: string;
  /** 0 asks for a free port. */
  declare readonly port: number;
  /** Addresses and networks whose `X-Forwarded-*` headers are believed. */
  declare readonly trustedProxies: readonly string[];
  /** As the `origin` of a URL gives them. */
  declare readonly corsOrigins: readonly string[];
  /** Time during which a stopping process says so and still serves. */
  declare readonly drainSeconds: number;
  /** Idle time of a connection between two requests. */
  declare readonly keepAliveSeconds: number;
}

export class SqliteConfig extends Section<SqliteConfig> {
  declare readonly kind: 'sqlite';
  declare readonly path: string;
  /** 32 bytes as hex digits; absent: the file is not encrypted. */
  declare readonly key?: Secret;
}

export class PostgresConfig extends Section<PostgresConfig> {
  declare readonly kind: 'postgres';
  /** May hold a password. */
  declare readonly url: Secret;
}

export type DatabaseConfig = SqliteConfig | PostgresConfig;
/** The injection token of `DatabaseConfig`, which is a union and so cannot be a class. */
export const DatabaseConfig = Symbol('DatabaseConfig');

export class RoleConfig extends Section<RoleConfig> {
  declare readonly role: Role;
}

export class UpstreamConfig extends Section<UpstreamConfig> {
  /** Without a slash at the end. */
  declare readonly baseUrl: string;
  declare readonly apiKey: Rotating<Secret>;
  /** The key does not begin as upstream's keys do, so it was not compared with region and environment. */
  declare readonly apiKeyIsUnfamiliar: boolean;
  /** Lower case. */
  declare readonly apiKeyHeader: string;
  declare readonly region: Region;
  declare readonly environment: UpstreamEnvironment;
  declare readonly availabilityInput: AvailabilityInput;
  /** Makes what upstream is given in place of the ids of new accounts; undefined: it is given those. */
  declare readonly clientIdSecret: KeyObject | undefined;
  declare readonly maxConcurrency: number;
  declare readonly requestsPerSecond: number;
  /** Per try. */
  declare readonly timeoutMs: number;
}

export class WebhookConfig extends Section<WebhookConfig> {
  /** HMAC keys, the current one first. */
  declare readonly secrets: Rotating<readonly KeyObject[]>;
  declare readonly toleranceSeconds: number;
  declare readonly maxBytes: number;
}

/** Address of a key set, or the issuer whose OIDC discovery document names that address. */
export type KeySetSource = { readonly url: string } | { readonly issuer: string };

/** Exactly one of `keySet` and `secret` is set. With a key set, the issuer is always restricted. */
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
  /** As the `origin` of a URL gives them. */
  declare readonly redirectOrigins: readonly string[];
}

/** One operator key; its hash is reachable by name only, so that printing a configuration shows who, not what. */
export class AdminKey {
  readonly #sha256: Buffer;

  constructor(
    readonly name: string,
    readonly role: AdminRole,
    sha256: Buffer,
    /** What it may read of the change feed, where its role may read that. */
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

/** A person whose claim holds this value has this role. */
export interface PersonRole {
  readonly claim: string;
  readonly value: string;
  readonly role: RankedRole;
}

/** The identity provider of the people who use the console; undefined issuer: they sign in with a key. */
export class PeopleConfig extends Section<PeopleConfig> {
  declare readonly issuer: string | undefined;
  declare readonly clientId: string | undefined;
  declare readonly clientSecret: Secret | undefined;
  declare readonly roles: readonly PersonRole[];
}

/** Requests a minute that one caller may make, at once or spread. */
export class CallerLimitsConfig extends Section<CallerLimitsConfig> {
  declare readonly accountRequestsPerMinute: number;
}

export class SyncConfig extends Section<SyncConfig> {
  /** Names of the catalogue, `all` already resolved. */
  declare readonly resources: readonly string[];
  declare readonly intervalSeconds: number;
  /** For parts of which upstream's introspection shows nothing missing. */
  declare readonly maxIntervalSeconds: number;
  declare readonly lookbackHours: number;
  declare readonly backfillDays: number;
}

/** apply: what complete looks no longer show is hidden · observe: it is counted only · off: it is not looked for. */
export const deletionModes = ['apply', 'observe', 'off'] as const;
export type DeletionMode = (typeof deletionModes)[number];

/** Treatment of records that upstream no longer shows, by provider; '' is every other provider. */
export class Deletions {
  constructor(private readonly modes: ReadonlyMap<string, DeletionMode>) {}

  of(provider: string): DeletionMode {
    return this.modes.get(provider) ?? this.modes.get('') ?? 'apply';
  }
}

export class DeletionsConfig extends Section<DeletionsConfig> {
  declare readonly modes: Deletions;
  /** A second look confirms a deletion so long after the first at the earliest. */
  declare readonly confirmHours: number;
  /** A look that misses a larger share of its records is held for an operator. */
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
  /** Required: operators must give a reason for reads and acts. */
  declare readonly reasons: AccessReasons;
  /** Signs checkpoints and removals by age; undefined: neither is signed. */
  declare readonly checkpointKey: SigningKey | undefined;
}

export class ErasureConfig extends Section<ErasureConfig> {
  /** HMAC keys of fences, the current one first; none: the service makes one. */
  declare readonly fenceSecrets: readonly KeyObject[];
  /** The erasure journal; undefined: none (PostgreSQL without a configured path). */
  declare readonly journalPath: string | undefined;
}

export class BackupConfig extends Section<BackupConfig> {
  /** Undefined: no backups are made or watched. */
  declare readonly folder: string | undefined;
  declare readonly intervalHours: number;
}

export class PushConfig extends Section<PushConfig> {
  /** Keys that the secrets of push endpoints are derived from, the current one first; none: nothing can be pushed. */
  declare readonly signingKeys: readonly KeyObject[];
  /** Addresses and networks that are not public and to which pushes may go, also without TLS. */
  declare readonly allowedNetworks: readonly string[];
}

export class DiskConfig extends Section<DiskConfig> {
  /** Less free space than this is an alarm. */
  declare readonly lowBytes: number;
}

export class LogConfig extends Section<LogConfig> {
  declare readonly level: LogLevel;
}

/** A name that this service does not read but that looks like one it does. */
export interface UnknownVariable {
  readonly name: string;
  /** The most similar name that it reads, unless none is similar. */
  readonly nearest: string | undefined;
  /** It is of a family of ours, so it can only be a mistake: no start goes on with it. */
  readonly refused: boolean;
}

/** Names in the environment that have no effect, though one could think so. */
export class IgnoredConfig extends Section<IgnoredConfig> {
  /** Of variables that name a proxy; this service uses none. */
  declare readonly proxies: readonly string[];
  /** That look like names of ours. */
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
