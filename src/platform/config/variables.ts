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
  /** Taken when the variable is unset or empty. */
  default?: string;
  required?: true;
  /** Never given a value in `.env.example`. */
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

/** Every variable the service reads. `.env.example` says the same to people; a test holds the two together. */
export const variables = {
  HOST: defaulted(hostName, '127.0.0.1', 'Address to listen on.'),
  PORT: defaulted(integer(0, 65_535), '3000', 'Port to listen on; 0 picks a free one and logs it.'),
  TRUSTED_PROXIES: optional(list(network), 'Addresses or networks whose X-Forwarded-* headers are believed.'),
  CORS_ORIGINS: optional(list(webOrigin), 'Origins whose browsers may call /v1; none unless set.'),
  HTTP_KEEP_ALIVE_SECONDS: defaulted(
    integer(1, 86_400),
    '620',
    'Idle time of a connection; longer than that of the load balancer in front.',
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
    'Where the inputs of appointment availability go: body, query, or auto to find out.',
  ),
  CLIENT_ID_SECRET: secret(
    optional(hmacSecret, 'Makes the pseudonyms upstream sees in place of account ids; it sees those unless set.'),
  ),
  UPSTREAM_MAX_CONCURRENCY: defaulted(
    integer(1, 256),
    '8',
    'Calls to upstream at the same time, of all processes together.',
  ),
  UPSTREAM_REQUESTS_PER_SECOND: defaulted(
    integer(1, 10_000),
    '20',
    'Calls to upstream per second, of all processes together.',
  ),
  UPSTREAM_TIMEOUT_MS: defaulted(integer(100, 600_000), '30000', 'Time limit of one try, in milliseconds.'),
  WEBHOOK_SECRETS: secret(
    required(list(webhookSecret), 'Signing secrets (whsec_...), current one first, then still valid older ones.'),
  ),
  WEBHOOK_TOLERANCE_SECONDS: defaulted(integer(1, 3_600), '300', 'Largest age of a delivery attempt, both ways.'),
  WEBHOOK_MAX_BYTES: defaulted(integer(1_024, 104_857_600), '5242880', 'Largest body of a delivery.'),
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
  APP_LINK_REDIRECT_ORIGINS: optional(list(webOrigin), 'Origins a redirect_url of a link token may have.'),
  APP_RESULTS: defaulted(oneOf(appResults), 'off', 'off, or final: apps are shown final results of their own labs.'),
  ADMIN_API_KEYS: secret(
    required(
      adminKeys,
      'name:role:sha256-hex-of-key, comma-separated; monitor, viewer, reader, operator, backend or feed.',
    ),
  ),
  OIDC_ISSUER: optional(baseAddress, 'Identity provider of the people who use the console; https unless loopback.'),
  OIDC_CLIENT_ID: optional(text, 'Client id of the console there; its redirect address is /console/callback.'),
  OIDC_CLIENT_SECRET: secret(optional(secretText, 'Secret of that client; none for a public client.')),
  OIDC_ROLES: optional(list(personRole), 'claim:value=role: roles of people by a claim, such as groups:sre=operator.'),
  ACCOUNT_REQUESTS_PER_MINUTE: defaulted(
    integer(1, 1_000_000),
    '300',
    'Requests of one account through the app; a fifth as many searches of labs, two fifths as many calls for tokens.',
  ),
  SYNC_RESOURCES: defaulted(resourceNames, 'all', 'Resources to pull: names of the catalogue, or all.'),
  SYNC_INTERVAL_SECONDS: defaulted(integer(1, 604_800), '3600', 'How often each part is pulled.'),
  SYNC_MAX_INTERVAL_SECONDS: defaulted(
    integer(1, 604_800),
    '86400',
    "The same for parts of which upstream's introspection shows nothing missing.",
  ),
  SYNC_LOOKBACK_HOURS: defaulted(integer(0, 8_760), '48', 'Overlap of a pull with the one before.'),
  SYNC_BACKFILL_DAYS: defaulted(integer(1, 3_650), '90', 'First window of a new connection.'),
  DELETIONS: defaulted(
    deletions,
    'apply',
    'Records that upstream no longer has: apply (hide), observe (count) or off; for one provider apply,oura:observe.',
  ),
  DELETION_CONFIRM_HOURS: defaulted(
    integer(0, 720),
    '6',
    'A second complete look, so long after the first, confirms a deletion; 0: the next one does.',
  ),
  DELETION_HOLD_SHARE: defaulted(
    share,
    '0.2',
    'A look that misses a larger share of its records, and at least 10, waits for an operator.',
  ),
  SILENCE_ALERT_HOURS: defaulted(
    integer(1, 8_760),
    '24',
    'No delivery, or none of a provider, for so long raises an alarm.',
  ),
  MESSAGE_RETENTION_DAYS: defaulted(integer(1, 3_650), '30', 'Bodies of finished messages are kept so long.'),
  HISTORY_RETENTION_DAYS: defaulted(
    integer(30, 3_650),
    '90',
    'Rows of work that is done are kept so long: messages, pulls, issues of tokens; and the content of records that are gone.',
  ),
  ACCESS_LOG_REASONS: defaulted(
    oneOf(accessReasons),
    'optional',
    'optional, or required: reads and acts of operators without the header x-access-reason are refused.',
  ),
  ACCESS_LOG_KEY: secret(
    optional(signingKey, 'Ed25519 private key that signs checkpoints of the access log and its removals by age.'),
  ),
  ERASURE_FENCE_SECRETS: secret(
    optional(list(hmacSecret), 'Keys of the digests of erased account ids, current one first; one is made unless set.'),
  ),
  ERASURE_JOURNAL_PATH: optional(
    text,
    'File in which every erasure is recorded, outside the database; default: beside the backups, on SQLite otherwise beside the database.',
  ),
  BACKUP_FOLDER: optional(text, 'Where backups lie; on SQLite the service makes them there, none unless set.'),
  BACKUP_INTERVAL_HOURS: defaulted(integer(1, 720), '24', 'How often a backup is due; twice as old raises the alarm.'),
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
    'Less free space where the SQLite file, the journal or backups lie raises an alarm; 0: never for that reason.',
  ),
  DRAIN_SECONDS: defaulted(
    integer(0, 300),
    '5',
    'How long a stopping process says so in /readyz and still takes requests.',
  ),
  LOG_LEVEL: defaulted(oneOf(logLevels), 'info', 'debug, info, warn or error.'),
};

export type VariableName = keyof typeof variables;
export type Values = { [N in VariableName]: (typeof variables)[N] extends Variable<infer T> ? T : never };
