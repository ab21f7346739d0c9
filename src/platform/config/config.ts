import { adminKeys, personRoles } from './admin-key.js';
import { claimsOf } from './api-keys.js';
import type { DatabaseConfig } from './database-config.js';
import { deletions } from './deletions.js';
import type { IgnoredConfig } from './ignored-config.js';
import { keepDays } from './keep-days.js';
import {
  amqpServer,
  apiKey,
  brokerLogin,
  claimName,
  database,
  databaseKey,
  flag,
  headerName,
  hmacSecret,
  hostName,
  integer,
  list,
  network,
  oneOf,
  queueName,
  reachableNetwork,
  readDatabase,
  reportKeys,
  resourceNames,
  rotating,
  routingKey,
  scopes,
  secretText,
  share,
  signingKey,
  text,
  webhookSecret,
} from './parsers.js';
import { defaulted, frozen, optional, optionalList, required, secret, section } from './setting.js';
import { baseAddress, collectorAddress, issuerAddress, publicOrigin, webAddress, webOrigin } from './web-addresses.js';

/*
 * Every variable that the service reads, by section: its name, its parser, its default and its text, which is also that
 * of `.env.example`. Everything else about variables is derived from these tables (`variables.ts`).
 */

export const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];
export const regions = ['us', 'eu'] as const;
export const environments = ['sandbox', 'production'] as const;
const availabilityInputs = ['auto', 'body', 'query'] as const;
const ownDataActs = ['all', 'export', 'delete', 'off'] as const;
const appResults = ['off', 'final'] as const;
const resultPdfModes = ['pass', 'store'] as const;
/** Method by which the client of the console authenticates at the token endpoint. */
const clientAuthMethods = ['auto', 'client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const;
/** shared: a claim names the same account whatever the issuer · by_issuer: each issuer has its own accounts. */
const accountScopes = ['shared', 'by_issuer'] as const;
export const accessReasons = ['optional', 'required'] as const;
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export class RoleConfig extends section({
  role: defaulted(
    'ROLE',
    oneOf(roles),
    'all',
    'all, api (HTTP only) or worker (background work and probes only); anything but all needs PostgreSQL.',
  ),
}) {}

export class HttpConfig extends section({
  host: defaulted('HOST', hostName, '127.0.0.1', 'Address to listen on.'),
  port: defaulted('PORT', integer(0, 65_535), '3000', 'Port to listen on; 0 picks a free one and logs it.'),
  keepAliveSeconds: defaulted(
    'HTTP_KEEP_ALIVE_SECONDS',
    integer(1, 86_400),
    '620',
    'Idle time of a connection, in seconds; longer than that of the load balancer in front.',
  ),
  drainSeconds: defaulted(
    'DRAIN_SECONDS',
    integer(0, 300),
    '5',
    'Seconds in which a stopping process reports it in /readyz and still accepts requests; then it drains and ends.',
  ),
  /** Origin; unset: only a trusted proxy or a loopback address reveals it. */
  publicUrl: optional(
    'PUBLIC_URL',
    publicOrigin,
    'Address under which people reach this service, as https://HOST without a path. Needed to sign in to the console with an identity provider, except on a loopback address.',
  ),
  trustedProxies: optionalList(
    'TRUSTED_PROXIES',
    list(network),
    'Addresses or networks (10.0.0.0/8) of your own proxies; only their X-Forwarded-* headers are trusted.',
  ),
  corsOrigins: optionalList(
    'CORS_ORIGINS',
    list(webOrigin),
    'Origins whose pages may call /v1 (CORS); none unless set.',
  ),
}) {}

/** Together they become a `DatabaseConfig`. */
class DatabaseSettings extends section({
  database: secret(
    defaulted(
      'DATABASE_URL',
      database,
      'sqlite:./data/pulsekeep.sqlite',
      'sqlite:PATH or postgres://user:password@host:port/name.',
    ),
  ),
  readUrl: secret(
    optional(
      'DATABASE_READ_URL',
      readDatabase,
      'postgres://... of a streaming standby of DATABASE_URL, for lists, exports and snapshots; not used while it cannot show what was committed (docs/operations.md).',
    ),
  ),
  key: secret(
    optional(
      'DATABASE_KEY',
      databaseKey,
      'Key of an encrypted SQLite file, 32 bytes as 64 hex digits (openssl rand -hex 32); not encrypted unless set. The file of a service that ran without one is changed by npm run cli -- change-database-key (docs/operations.md).',
    ),
  ),
}) {}

export class UpstreamConfig extends section({
  /** Without a trailing slash. */
  baseUrl: required('UPSTREAM_BASE_URL', baseAddress, 'Base address, https unless it is a loopback address.'),
  apiKey: secret(
    required(
      'UPSTREAM_API_KEY',
      rotating(apiKey),
      'Team key: pk_us_, pk_eu_ (production), sk_us_ or sk_eu_ (sandbox) and the rest. A key of another form is accepted with a warning in the log, because it cannot be checked against region and environment.',
    ),
  ),
  /** Lower case. */
  apiKeyHeader: defaulted(
    'UPSTREAM_API_KEY_HEADER',
    headerName,
    'x-service-api-key',
    'Header that carries the team key.',
  ),
  region: required(
    'UPSTREAM_REGION',
    oneOf(regions),
    'us or eu; must agree with the key and the address, and never changes for a database.',
  ),
  environment: required('UPSTREAM_ENVIRONMENT', oneOf(environments), 'sandbox or production; as above.'),
  availabilityInput: defaulted(
    'UPSTREAM_AVAILABILITY_INPUT',
    oneOf(availabilityInputs),
    'auto',
    'Where the inputs of appointment availability go: body, query, or auto. With auto each process starts with the body and switches when upstream reports that it looked for them in the other place.',
  ),
  clientIdSecret: secret(
    optional(
      'CLIENT_ID_SECRET',
      hmacSecret,
      'Key, at least 32 bytes, of the pseudonyms that upstream sees as client_user_id instead of account ids; if unset, it sees the ids. Existing users are renamed in the background. Import them before you set it.',
    ),
  ),
  maxConcurrency: defaulted(
    'UPSTREAM_MAX_CONCURRENCY',
    integer(1, 256),
    '8',
    'Concurrent calls, of all kinds and all processes together; calls that a person waits for go first.',
  ),
  requestsPerSecond: defaulted(
    'UPSTREAM_REQUESTS_PER_SECOND',
    integer(1, 10_000),
    '20',
    'Calls per second, of all kinds and all processes together.',
  ),
  timeoutMs: defaulted(
    'UPSTREAM_TIMEOUT_MS',
    integer(100, 600_000),
    '30000',
    'Timeout of one attempt, in milliseconds.',
  ),
}) {
  /** The key has no known prefix, so it was not checked against region and environment. */
  get apiKeyIsUnfamiliar(): boolean {
    return claimsOf(this.apiKey.current.reveal()) === undefined;
  }
}

export class WebhookConfig extends section({
  secrets: secret(
    required(
      'WEBHOOK_SECRETS',
      rotating(list(webhookSecret)),
      'Signing secrets (whsec_...): the current one first, then older ones that are still valid.',
    ),
  ),
  toleranceSeconds: defaulted(
    'WEBHOOK_TOLERANCE_SECONDS',
    integer(1, 3_600),
    '300',
    'Maximum difference between the time of a delivery attempt and this clock, in seconds, in both directions.',
  ),
  maxBytes: defaulted(
    'WEBHOOK_MAX_BYTES',
    integer(1_024, 104_857_600),
    '5242880',
    'Largest body of a delivery, in bytes.',
  ),
  amqpServer: secret(
    optional(
      'WEBHOOK_AMQP_URL',
      amqpServer,
      'RabbitMQ to which upstream publishes the same messages, as amqps://user:password@host:5671/vhost with reserved characters percent-encoded. Its messages have no signature: whoever may publish there is trusted. None is consumed unless set.',
    ),
  ),
  amqpQueue: optional(
    'WEBHOOK_AMQP_QUEUE',
    queueName,
    'Queue there from which messages are consumed; it must exist. Required with WEBHOOK_AMQP_URL.',
  ),
}) {}

/** Address of a key set, or the issuer whose OIDC discovery document names it. */
export type KeySetSource = { readonly url: string } | { readonly issuer: string };

/** Exactly one of `keySet` and `secret` is set. With a key set, `issuers` is never empty. An empty list accepts all. */
export class AppAuthConfig extends section({
  keySetUrl: optional(
    'APP_JWT_JWKS_URL',
    webAddress,
    'Address of the key set, for RS256, ES256 and EdDSA; https unless it is a loopback address.',
  ),
  secret: secret(
    optional(
      'APP_JWT_SECRET',
      rotating(hmacSecret),
      'Shared secret for HS256, at least 32 bytes, instead of a key set.',
    ),
  ),
  issuers: optionalList(
    'APP_JWT_ISSUER',
    list(text),
    'Accepted iss claims. Alone, with one https address, the key set is found by OIDC discovery. Required with a key set.',
  ),
  audiences: optionalList(
    'APP_JWT_AUDIENCE',
    list(text),
    'Accepted aud claims: the identifiers of your API. This or APP_JWT_CLIENT_IDS is required with a key set. With several issuers, entries are ISSUER AUDIENCE.',
  ),
  clientIds: optionalList(
    'APP_JWT_CLIENT_IDS',
    list(text),
    'Accepted azp or client_id claims: the clients of your app. If the audience is set too, both are checked. With several issuers, entries are ISSUER CLIENT.',
  ),
  accounts: optional(
    'APP_JWT_ACCOUNTS',
    oneOf(accountScopes),
    'Required with several issuers: shared (the claim alone is the account) or by_issuer (accounts are ISSUER|CLAIM).',
  ),
  anyAudience: defaulted(
    'APP_JWT_ANY_AUDIENCE',
    flag,
    'false',
    'true: tokens of every application of the issuer are accepted; only for an issuer that serves nothing else.',
  ),
  accountClaim: defaulted(
    'APP_JWT_ACCOUNT_CLAIM',
    claimName,
    'sub',
    'Claim that holds the account id, with dots if it is inside others.',
  ),
}) {
  get keySet(): KeySetSource | undefined {
    if (this.keySetUrl !== undefined) return { url: this.keySetUrl };
    const [issuer] = this.issuers;
    return this.secret || issuer === undefined ? undefined : { issuer };
  }
}

export class LinkConfig extends section({
  redirectOrigins: optionalList(
    'APP_LINK_REDIRECT_ORIGINS',
    list(webOrigin),
    'Allowed origins of the redirect_url of a link token; none if unset.',
  ),
}) {}

export class AppResultsConfig extends section({
  shown: defaulted(
    'APP_RESULTS',
    oneOf(appResults),
    'off',
    'off, or final: GET /v1/me/order-transactions/{id}/result shows a person the final results of their own orders.',
  ),
}) {}

export class ResultPdfsConfig extends section({
  mode: defaulted(
    'RESULT_PDFS',
    oneOf(resultPdfModes),
    'pass',
    'pass, or store: PDFs of results are stored in the database when they are read, and served while upstream is away.',
  ),
}) {}

export class AppDataConfig extends section({
  allowed: defaulted(
    'APP_OWN_DATA',
    oneOf(ownDataActs),
    'all',
    'all, export, delete or off: whether a person may export their data (GET /v1/me/export) and erase it (DELETE /v1/me).',
  ),
}) {}

export class AdminConfig extends section({
  keys: secret(
    required(
      'ADMIN_API_KEYS',
      rotating(adminKeys),
      'Entries name:role:sha256-hex-of-key. Roles: monitor (overview and alarms), viewer (no health values), reader (may read them), operator (may also act), backend (for your own backend: accounts, tokens, records, sync, labs, orders), feed (only the change feed and snapshots; feed+values with current values; feed/account/order only these kinds: docs/changes.md). The hash of a key: printf %s "$KEY" | sha256sum.',
    ),
  ),
}) {}

export class PeopleConfig extends section({
  issuer: optional(
    'OIDC_ISSUER',
    issuerAddress,
    'Issuer of the people who use the console (OpenID Connect), exactly as in its discovery document, with or without a slash at the end; https unless loopback. They use keys unless set.',
  ),
  clientId: optional(
    'OIDC_CLIENT_ID',
    text,
    'Client id of the console there; its redirect URL is PUBLIC_URL and /console/callback.',
  ),
  clientSecret: secret(optional('OIDC_CLIENT_SECRET', secretText, 'Secret of that client; none for a public client.')),
  clientAuth: defaulted(
    'OIDC_CLIENT_AUTH',
    oneOf(clientAuthMethods),
    'auto',
    'How the secret is used: client_secret_basic, client_secret_post, client_secret_jwt, or auto to go by the discovery document.',
  ),
  scopes: optional(
    'OIDC_SCOPES',
    scopes,
    'Scopes of a sign-in, space-separated. Default: openid, and those of profile, email and groups that the discovery document lists.',
  ),
  roles: optionalList(
    'OIDC_ROLES',
    personRoles,
    'Roles of people by a claim, as claim:value=role: groups:sre=operator,groups:support=viewer. A value with a colon goes in quotation marks: groups:"team:sre"=viewer.',
  ),
}) {}

export class CallerLimitsConfig extends section({
  accountRequestsPerMinute: defaulted(
    'ACCOUNT_REQUESTS_PER_MINUTE',
    integer(1, 1_000_000),
    '300',
    'Requests per minute through the app. Lab searches and reads of lab results have quotas of a fifth of it, calls for sign-in tokens and for link tokens of two fifths.',
  ),
}) {}

export class SyncConfig extends section({
  resources: defaulted(
    'SYNC_RESOURCES',
    resourceNames,
    'all',
    'Names of the resource catalogue, or all. Resources that a connection does not offer are not pulled. Of a resource that is not listed, only data that upstream sends is stored, and an empty list of its records gets 409 not_synced.',
  ),
  intervalSeconds: defaulted(
    'SYNC_INTERVAL_SECONDS',
    integer(1, 604_800),
    '3600',
    'Interval between pulls of each stream (a source and resource), in seconds.',
  ),
  maxIntervalSeconds: defaulted(
    'SYNC_MAX_INTERVAL_SECONDS',
    integer(1, 604_800),
    '86400',
    "The same for streams for which upstream's introspection shows nothing missing, in seconds: the maximum delay of a change without a webhook that introspection does not show. If it is not more than SYNC_INTERVAL_SECONDS, every stream is pulled every SYNC_INTERVAL_SECONDS, and introspection is not used.",
  ),
  lookbackHours: defaulted(
    'SYNC_LOOKBACK_HOURS',
    integer(0, 8_760),
    '48',
    'Overlap of a pull with the previous one, in hours.',
  ),
  backfillDays: defaulted('SYNC_BACKFILL_DAYS', integer(1, 3_650), '90', 'First window of a new connection, in days.'),
}) {}

export class DeletionsConfig extends section({
  modes: defaulted(
    'DELETIONS',
    deletions,
    'apply',
    'Handling of records that upstream no longer has: apply (hide them), observe (only count them) or off; apply,oura:observe sets a single provider.',
  ),
  confirmHours: defaulted(
    'DELETION_CONFIRM_HOURS',
    integer(0, 720),
    '6',
    'A second complete pull without a record confirms its deletion after so many hours; 0: the next one does.',
  ),
  holdShare: defaulted(
    'DELETION_HOLD_SHARE',
    share,
    '0.2',
    'If a complete pull lacks a larger share of its records, and at least 10 of them, their deletion waits for an operator.',
  ),
}) {}

export class AlertConfig extends section({
  silenceHours: defaulted(
    'SILENCE_ALERT_HOURS',
    integer(1, 8_760),
    '24',
    'Hours without a delivery that raise an alarm, also for one provider while others deliver.',
  ),
}) {}

export class RetentionConfig extends section({
  messageDays: defaulted(
    'MESSAGE_RETENTION_DAYS',
    integer(1, 3_650),
    '30',
    'Days after which bodies of finished messages are deleted.',
  ),
  historyDays: defaulted(
    'HISTORY_RETENTION_DAYS',
    integer(30, 3_650),
    '90',
    'Days after which finished work rows are deleted: messages without a body, pulls, issued tokens. The content of records that upstream no longer has is deleted as well.',
  ),
  changeDays: defaulted(
    'CHANGE_RETENTION_DAYS',
    integer(1, 3_650),
    '14',
    'Days after which entries of the change feed are deleted. A consumer that was away for longer has to start over.',
  ),
  sampleDays: defaulted(
    'SAMPLES_KEEP_DAYS',
    keepDays,
    'all',
    'Days after which samples of measures are replaced by hourly sums, for good: heartrate=400,glucose=all; a number alone is for all others. At least 30. Samples of totals, such as steps, are always kept.',
  ),
}) {}

export class AccessLogConfig extends section({
  reasons: defaulted(
    'ACCESS_LOG_REASONS',
    oneOf(accessReasons),
    'optional',
    'Whether operators must state a reason for reads and changes, in the header x-access-reason: optional or required.',
  ),
  checkpointKey: secret(
    optional(
      'ACCESS_LOG_KEY',
      signingKey,
      'Ed25519 private key (PEM, or the base64 inside it) that signs checkpoints of the access log and its removals by age.',
    ),
  ),
}) {}

export class AuditConfig extends section({
  reportKeys: secret(
    optional(
      'AUDIT_REPORT_KEYS',
      reportKeys,
      'Ed25519 keys of reports about audits (PEM, or the base64 inside it), comma-separated: the private key that signs, then older ones, private or public, that stay in /.well-known/jwks.json. No reports unless set.',
    ),
  ),
  callsPerDay: defaulted(
    'AUDIT_CALLS_PER_DAY',
    integer(0, 40_000),
    '0',
    'Calls to upstream per day, at the lowest priority, with which audits prove the days of everybody in turn; 0: only audits that an operator starts. A fifth of the number of accounts is a good start (docs/operations.md#audits).',
  ),
  cycleDays: defaulted(
    'AUDIT_CYCLE_DAYS',
    integer(1, 400),
    '30',
    'A day that was compared within so many days is not compared again by itself, unless a recovery pulled it since.',
  ),
}) {}

export class ErasureConfig extends section({
  fenceSecrets: secret(
    optionalList(
      'ERASURE_FENCE_SECRETS',
      list(hmacSecret),
      'Keys of the digests of erased account ids, each at least 32 bytes and without commas: the current one first, older ones for as long as their fences must hold. If unset, the service generates one and keeps it in its database, where anyone with a copy can test ids.',
    ),
  ),
  journalPath: optional(
    'ERASURE_JOURNAL_PATH',
    text,
    'Erasure journal, from which erasures are repeated after a restore. Default: in BACKUP_FOLDER, but on SQLite beside the database if it is already there or BACKUP_FOLDER is unset. On PostgreSQL all processes share one file; without a path or BACKUP_FOLDER there is no journal.',
  ),
}) {}

export class BackupConfig extends section({
  folder: optional(
    'BACKUP_FOLDER',
    text,
    'Folder of backups: on SQLite the service makes them there and keeps the newest 7; on PostgreSQL it watches the age of those that the command backup made there.',
  ),
  intervalHours: defaulted(
    'BACKUP_INTERVAL_HOURS',
    integer(1, 720),
    '24',
    'Hours from one backup to the next; one twice as old raises the alarm.',
  ),
}) {}

export class PushConfig extends section({
  signingKeys: secret(
    optionalList(
      'PUSH_SIGNING_KEYS',
      list(hmacSecret),
      'Keys, at least 32 bytes each, from which the signing secrets of endpoints are derived; nothing is pushed if unset. To replace one, put the new one first, rotate the secret of every subscription, then remove the old one.',
    ),
  ),
  brokerLogins: secret(
    optionalList(
      'PUSH_BROKER_LOGINS',
      list(brokerLogin),
      'How to sign in to message brokers that get pushes, such as amqps://user:password@mq.example.com:5671, with reserved characters percent-encoded. A token of NATS stands alone before the @.',
    ),
  ),
  pagerDutyRoutingKey: secret(
    optional(
      'PAGERDUTY_ROUTING_KEY',
      routingKey,
      'Integration key (Events API v2) of the PagerDuty service that gets alarms from subscriptions with the payload pagerduty.',
    ),
  ),
  allowedNetworks: optionalList(
    'PUSH_ALLOWED_NETWORKS',
    list(reachableNetwork),
    'Private addresses and networks to which pushes may go, also over http, nats and amqp, such as 10.0.0.0/8. If unset, endpoints must use TLS and have a public address. Networks that contain a metadata service, such as 169.254.169.254, are refused.',
  ),
}) {}

export class DiskConfig extends section({
  lowBytes: defaulted(
    'DISK_LOW_BYTES',
    integer(0, 100_000_000_000_000),
    '1073741824',
    'Less free space, in bytes, on a disk of the SQLite file, the journal or the backups raises an alarm; 0: no limit.',
  ),
}) {}

export class LogConfig extends section({
  level: defaulted('LOG_LEVEL', oneOf(logLevels), 'info', 'debug, info, warn or error. One JSON line per event.'),
}) {}

export class TracesConfig extends section({
  endpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    collectorAddress,
    'Address of an OpenTelemetry collector for traces (OTLP over HTTP), without /v1/traces. None are measured unless set.',
  ),
}) {}

export const sections = {
  role: RoleConfig,
  http: HttpConfig,
  database: DatabaseSettings,
  upstream: UpstreamConfig,
  webhook: WebhookConfig,
  appAuth: AppAuthConfig,
  link: LinkConfig,
  appResults: AppResultsConfig,
  resultPdfs: ResultPdfsConfig,
  appData: AppDataConfig,
  admin: AdminConfig,
  people: PeopleConfig,
  callerLimits: CallerLimitsConfig,
  sync: SyncConfig,
  deletions: DeletionsConfig,
  alert: AlertConfig,
  retention: RetentionConfig,
  accessLog: AccessLogConfig,
  audit: AuditConfig,
  erasure: ErasureConfig,
  backup: BackupConfig,
  push: PushConfig,
  disk: DiskConfig,
  log: LogConfig,
  traces: TracesConfig,
};
export type SectionName = keyof typeof sections;
/** The sections as they are read from the environment. */
export type Sections = { readonly [S in SectionName]: InstanceType<(typeof sections)[S]> };

export class Config extends frozen<
  Omit<Sections, 'database'> & { readonly database: DatabaseConfig; readonly ignored: IgnoredConfig }
>() {}
