import { accessReasons, appResults, availabilityInputs, environments, logLevels, regions, roles } from './config.js';
import {
  adminKeys,
  apiKey,
  baseAddress,
  claimName,
  database,
  databaseKey,
  deletions,
  headerName,
  hmacSecret,
  hostName,
  integer,
  list,
  network,
  oneOf,
  type Parse,
  personRole,
  resourceNames,
  secretText,
  share,
  signingKey,
  text,
  webAddress,
  webhookSecret,
  webOrigin,
} from './parsers.js';

export interface Variable<T> {
  parse: Parse<T>;
  comment: string;
  /** Value if the variable is unset or empty. */
  default?: string;
  required?: true;
  /** Has no value in `.env.example`. */
  secret?: true;
}

function required<T>(parse: Parse<T>, comment: string): Variable<T> {
  return { parse, comment, required: true };
}

function optional<T>(parse: Parse<T>, comment: string): Variable<T | undefined> {
  return { parse, comment };
}

function defaulted<T>(parse: Parse<T>, value: string, comment: string): Variable<T> {
  return { parse, comment, default: value };
}

function secret<T>(variable: Variable<T>): Variable<T> {
  return { ...variable, secret: true };
}

/** Every variable that the service reads; a test compares names and defaults with `.env.example`. */
export const variables = {
  HOST: defaulted(hostName, '127.0.0.1', 'Address to listen on.'),
  PORT: defaulted(integer(0, 65_535), '3000', 'Port to listen on; 0 picks a free one and logs it.'),
  TRUSTED_PROXIES: optional(list(network), 'Addresses or networks whose X-Forwarded-* headers are trusted.'),
  CORS_ORIGINS: optional(list(webOrigin), 'Origins whose pages may call /v1; none unless set.'),
  HTTP_KEEP_ALIVE_SECONDS: defaulted(
    integer(1, 86_400),
    '620',
    'Seconds after which an idle connection is closed; longer than in the load balancer in front.',
  ),
  DATABASE_URL: secret(
    defaulted(database, 'sqlite:./data/pulsekeep.sqlite', 'sqlite:PATH or postgres://user:password@host:port/name.'),
  ),
  DATABASE_KEY: secret(
    optional(databaseKey, 'Key of an encrypted SQLite file, 64 hex digits; the file is not encrypted unless set.'),
  ),
  ROLE: defaulted(oneOf(roles), 'all', 'all, api (HTTP only) or worker; anything but all needs PostgreSQL.'),
  UPSTREAM_BASE_URL: required(baseAddress, 'Base address of upstream; https unless loopback.'),
  UPSTREAM_API_KEY: secret(required(apiKey, 'Team key: pk_us_, pk_eu_, sk_us_ or sk_eu_ and the rest.')),
  UPSTREAM_API_KEY_HEADER: defaulted(headerName, 'x-service-api-key', 'Header that carries the team key.'),
  UPSTREAM_REGION: required(oneOf(regions), 'us or eu; must agree with the key and the address.'),
  UPSTREAM_ENVIRONMENT: required(oneOf(environments), 'sandbox or production; must agree with the key.'),
  UPSTREAM_AVAILABILITY_INPUT: defaulted(
    oneOf(availabilityInputs),
    'auto',
    'Place of the inputs of appointment availability: body, query, or auto to find out.',
  ),
  CLIENT_ID_SECRET: secret(
    optional(hmacSecret, 'Key of the pseudonyms that upstream sees instead of account ids; unset: it sees the ids.'),
  ),
  UPSTREAM_MAX_CONCURRENCY: defaulted(integer(1, 256), '8', 'Concurrent calls to upstream, of all processes together.'),
  UPSTREAM_REQUESTS_PER_SECOND: defaulted(
    integer(1, 10_000),
    '20',
    'Calls to upstream per second, of all processes together.',
  ),
  UPSTREAM_TIMEOUT_MS: defaulted(integer(100, 600_000), '30000', 'Timeout of one attempt, in milliseconds.'),
  WEBHOOK_SECRETS: secret(
    required(
      list(webhookSecret),
      'Signing secrets (whsec_...): the current one first, then older ones that are still valid.',
    ),
  ),
  WEBHOOK_TOLERANCE_SECONDS: defaulted(integer(1, 3_600), '300', 'Largest difference to our clock, in seconds.'),
  WEBHOOK_MAX_BYTES: defaulted(integer(1_024, 104_857_600), '5242880', 'Largest body of a delivery, in bytes.'),
  APP_JWT_JWKS_URL: optional(webAddress, 'Key set of your access tokens (RS256, ES256, EdDSA).'),
  APP_JWT_SECRET: secret(optional(hmacSecret, 'HS256 secret of your access tokens, at least 32 bytes.')),
  APP_JWT_ISSUER: optional(list(text), 'Accepted iss claims; alone, the key set is found by OIDC discovery.'),
  APP_JWT_AUDIENCE: optional(list(text), 'Accepted aud claims: the identifiers of your API.'),
  APP_JWT_CLIENT_IDS: optional(list(text), 'Accepted azp or client_id claims: the clients of your app.'),
  APP_JWT_ANY_AUDIENCE: defaulted(
    oneOf(['true', 'false']),
    'false',
    'true: tokens of every application of the issuer are accepted.',
  ),
  APP_JWT_ACCOUNT_CLAIM: defaulted(claimName, 'sub', 'Claim that holds the account id.'),
  APP_LINK_REDIRECT_ORIGINS: optional(list(webOrigin), 'Allowed origins of the redirect_url of a link token.'),
  APP_RESULTS: defaulted(oneOf(appResults), 'off', 'off, or final: apps may read the final results of their user.'),
  ADMIN_API_KEYS: secret(
    required(
      adminKeys,
      'name:role:sha256-hex-of-key, comma-separated; monitor, viewer, reader, operator, backend or feed.',
    ),
  ),
  OIDC_ISSUER: optional(baseAddress, 'Identity provider of the people who use the console; https unless loopback.'),
  OIDC_CLIENT_ID: optional(text, 'Client id of the console there; its redirect URL is https://HOST/console/callback.'),
  OIDC_CLIENT_SECRET: secret(optional(secretText, 'Secret of that client; none for a public client.')),
  OIDC_ROLES: optional(list(personRole), 'claim:value=role: roles of people by a claim, such as groups:sre=operator.'),
  ACCOUNT_REQUESTS_PER_MINUTE: defaulted(
    integer(1, 1_000_000),
    '300',
    'Requests of one account through the app; a fifth for lab searches and for results, two fifths for each kind of token.',
  ),
  SYNC_RESOURCES: defaulted(resourceNames, 'all', 'Resources to pull: names of the catalogue, or all.'),
  SYNC_INTERVAL_SECONDS: defaulted(integer(1, 604_800), '3600', 'Interval between pulls of a stream.'),
  SYNC_MAX_INTERVAL_SECONDS: defaulted(
    integer(1, 604_800),
    '86400',
    "The same for streams for which upstream's introspection shows nothing missing.",
  ),
  SYNC_LOOKBACK_HOURS: defaulted(integer(0, 8_760), '48', 'Overlap of a pull with the previous one.'),
  SYNC_BACKFILL_DAYS: defaulted(integer(1, 3_650), '90', 'First window of a new connection.'),
  DELETIONS: defaulted(
    deletions,
    'apply',
    'Records that upstream no longer has: apply (hide), observe (count) or off; for one provider apply,oura:observe.',
  ),
  DELETION_CONFIRM_HOURS: defaulted(
    integer(0, 720),
    '6',
    'Hours after which a second complete look confirms a deletion; 0: the next one does.',
  ),
  DELETION_HOLD_SHARE: defaulted(
    share,
    '0.2',
    'A look that misses a larger share of its records, and at least 10, waits for an operator.',
  ),
  SILENCE_ALERT_HOURS: defaulted(
    integer(1, 8_760),
    '24',
    'Hours without a delivery, or without one of a provider, that raise an alarm.',
  ),
  MESSAGE_RETENTION_DAYS: defaulted(
    integer(1, 3_650),
    '30',
    'Days after which bodies of finished messages are deleted.',
  ),
  HISTORY_RETENTION_DAYS: defaulted(
    integer(30, 3_650),
    '90',
    'Days after which rows of finished work (messages, pulls, issued tokens) and the content of gone records are deleted.',
  ),
  ACCESS_LOG_REASONS: defaulted(
    oneOf(accessReasons),
    'optional',
    'optional, or required: recorded requests without the header x-access-reason are refused.',
  ),
  ACCESS_LOG_KEY: secret(
    optional(signingKey, 'Ed25519 private key that signs checkpoints of the access log and its removals by age.'),
  ),
  ERASURE_FENCE_SECRETS: secret(
    optional(
      list(hmacSecret),
      'Keys of the digests of erased account ids, current one first; unset: the service generates one.',
    ),
  ),
  ERASURE_JOURNAL_PATH: optional(
    text,
    'Erasure journal; default: in BACKUP_FOLDER, but on SQLite beside the database if it is there or BACKUP_FOLDER is unset.',
  ),
  BACKUP_FOLDER: optional(
    text,
    'Folder of backups; on SQLite the service makes them, on PostgreSQL it watches their age.',
  ),
  BACKUP_INTERVAL_HOURS: defaulted(integer(1, 720), '24', 'Hours between backups; one twice as old raises an alarm.'),
  PUSH_SIGNING_KEYS: secret(
    optional(
      list(hmacSecret),
      'Keys that the secrets of push endpoints are derived from, current one first; nothing is pushed unless set.',
    ),
  ),
  PUSH_ALLOWED_NETWORKS: optional(
    list(network),
    'Private addresses or networks to which pushes may go, also over http; public https addresses only unless set.',
  ),
  DISK_LOW_BYTES: defaulted(
    integer(0, 100_000_000_000_000),
    '1073741824',
    'Less free space for the SQLite file, the journal or the backups raises an alarm; 0: no limit.',
  ),
  DRAIN_SECONDS: defaulted(
    integer(0, 300),
    '5',
    'Seconds in which a stopping process reports it in /readyz and still accepts requests.',
  ),
  LOG_LEVEL: defaulted(oneOf(logLevels), 'info', 'debug, info, warn or error.'),
};

export type VariableName = keyof typeof variables;
export type Values = { [N in VariableName]: (typeof variables)[N] extends Variable<infer T> ? T : never };
