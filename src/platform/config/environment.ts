import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { accessTokenProblems } from './access-token-agreement.js';
import { type ConfigProblem, disagreements, tellsWhereItBelongs } from './agreement.js';
import {
  AccessLogConfig,
  AdminConfig,
  AlertConfig,
  AppAuthConfig,
  AppResultsConfig,
  BackupConfig,
  CallerLimitsConfig,
  Config,
  type DatabaseConfig,
  DeletionsConfig,
  DiskConfig,
  ErasureConfig,
  HttpConfig,
  IgnoredConfig,
  type KeySetSource,
  LinkConfig,
  LogConfig,
  PeopleConfig,
  PushConfig,
  RetentionConfig,
  RoleConfig,
  SqliteConfig,
  SyncConfig,
  UpstreamConfig,
  WebhookConfig,
} from './config.js';
import { InvalidValue } from './parsers.js';
import { Rotating, Secret } from './secret.js';
import { SecretFiles } from './secret-files.js';
import { type Environment, valueOf, withEnvFile, withSecretFiles } from './sources.js';
import { aboutUnknown, unknownVariables } from './unknown-variables.js';
import { type Values, type Variable, type VariableName, variables } from './variables.js';

/** All problems of the environment, by variable name, without values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    super(['The configuration is incomplete or wrong:', ...problems.map(sentence)].join('\n'));
  }
}

/** The environment of this process, completed from the `.env` of its working directory. Throws `ConfigError`. */
export function ownEnvironment(): Environment {
  const { environment, problems } = withEnvFile(process.env);
  if (problems.length > 0) throw new ConfigError(problems);
  return environment;
}

/**
 * Reads the configuration from a table of names and values, and from the files of secrets. Throws `ConfigError`.
 * @param knownResources names of the catalogue, against which `SYNC_RESOURCES` is checked, and which `all` stands for
 */
export function readConfig(given: Environment, knownResources: readonly string[]): Config {
  return readRereadable(given, knownResources).config;
}

/** Like `readConfig`, but the files of secrets can be read again. */
export function readRereadable(given: Environment, knownResources: readonly string[]): SecretFiles {
  return new SecretFiles((again) => {
    const filled = withSecretFiles(given, { again });
    return { environment: filled.environment, config: configFrom(filled, knownResources) };
  });
}

/**
 * The environment of this program's threads, without the variable of Node's watch mode (`npm run dev`). With it, newer
 * releases of Node 24 and 26 report every file that a thread loads as a message of that thread (nodejs/node issue
 * 65044).
 */
export function environmentOfThreads(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'WATCH_REPORT_DEPENDENCIES'));
}

/**
 * The operator key that the command line sends to a running service; the service itself does not read it. Throws
 * `ConfigError`.
 */
export function readOperatorKey(given = withEnvFile(process.env).environment): Secret | undefined {
  const { environment, problems } = withSecretFiles(given);
  const about = problems.filter(({ variable }) => variable.startsWith('PULSEKEEP_ADMIN_KEY'));
  if (about.length > 0) throw new ConfigError(about);
  const key = valueOf(environment['PULSEKEEP_ADMIN_KEY']);
  return key === undefined ? undefined : new Secret(key);
}

function configFrom(
  { environment, problems: fileProblems }: ReturnType<typeof withSecretFiles>,
  knownResources: readonly string[],
): Config {
  const unreadable = new Set(fileProblems.map(({ variable }) => variable));
  const unknown = unknownVariables(environment);
  const problems: ConfigProblem[] = [...fileProblems];
  const values: Partial<Record<VariableName, unknown>> = {};
  for (const name of Object.keys(variables) as VariableName[]) {
    if (unreadable.has(`${name}_FILE`)) continue;
    const result = readVariable(environment[name], variables[name]);
    if ('problem' in result) problems.push({ variable: name, problem: result.problem });
    else values[name] = result.value;
  }
  problems.push(...accessTokenProblems(environment), ...disagreements(values as Partial<Values>, knownResources));
  if (problems.length > 0 || unknown.some(({ refused }) => refused)) {
    const strangers = unknown.map((each) => ({ variable: each.name, problem: aboutUnknown(each) }));
    throw new ConfigError([...strangers, ...problems]);
  }
  return configOf(values as Values, knownResources, new IgnoredConfig({ proxies: proxiesIn(environment), unknown }));
}

function sentence({ variable, problem }: ConfigProblem): string {
  return `  ${variable} ${problem}`;
}

function readVariable(text: string | undefined, variable: Variable<unknown>): { value: unknown } | { problem: string } {
  const given = valueOf(text) ?? variable.default;
  if (given === undefined) return variable.required ? { problem: 'is required' } : { value: undefined };
  // Docker's environment files keep quotation marks, and a quoted issuer or secret would match nothing.
  if (/^(["']).*\1$/s.test(given)) return { problem: 'must not be in quotation marks: remove them' };
  try {
    return { value: variable.parse(given) };
  } catch (error) {
    return { problem: error instanceof InvalidValue ? error.message : 'is not valid' };
  }
}

/** Proxy variables of other programs. */
function proxiesIn(environment: Environment): string[] {
  return Object.keys(environment).filter((name) => /^(https?|all)_proxy$/i.test(name) && environment[name] !== '');
}

function configOf(values: Values, knownResources: readonly string[], ignored: IgnoredConfig): Config {
  return new Config({
    http: new HttpConfig({
      host: values.HOST,
      port: values.PORT,
      trustedProxies: values.TRUSTED_PROXIES ?? [],
      corsOrigins: values.CORS_ORIGINS ?? [],
      drainSeconds: values.DRAIN_SECONDS,
      keepAliveSeconds: values.HTTP_KEEP_ALIVE_SECONDS,
    }),
    database: databaseOf(values),
    role: new RoleConfig({ role: values.ROLE }),
    upstream: upstreamOf(values),
    webhook: new WebhookConfig({
      secrets: new Rotating(values.WEBHOOK_SECRETS),
      toleranceSeconds: values.WEBHOOK_TOLERANCE_SECONDS,
      maxBytes: values.WEBHOOK_MAX_BYTES,
    }),
    appAuth: new AppAuthConfig({
      keySet: keySetOf(values),
      secret: values.APP_JWT_SECRET && new Rotating(values.APP_JWT_SECRET),
      issuers: values.APP_JWT_ISSUER ?? [],
      audiences: values.APP_JWT_AUDIENCE ?? [],
      clientIds: values.APP_JWT_CLIENT_IDS ?? [],
      accountClaim: values.APP_JWT_ACCOUNT_CLAIM,
    }),
    appResults: new AppResultsConfig({ shown: values.APP_RESULTS }),
    link: new LinkConfig({ redirectOrigins: values.APP_LINK_REDIRECT_ORIGINS ?? [] }),
    admin: new AdminConfig({ keys: new Rotating(values.ADMIN_API_KEYS) }),
    people: new PeopleConfig({
      issuer: values.OIDC_ISSUER,
      clientId: values.OIDC_CLIENT_ID,
      clientSecret: values.OIDC_CLIENT_SECRET,
      roles: values.OIDC_ROLES ?? [],
    }),
    callerLimits: new CallerLimitsConfig({ accountRequestsPerMinute: values.ACCOUNT_REQUESTS_PER_MINUTE }),
    sync: new SyncConfig({
      resources: values.SYNC_RESOURCES ?? [...knownResources],
      intervalSeconds: values.SYNC_INTERVAL_SECONDS,
      maxIntervalSeconds: values.SYNC_MAX_INTERVAL_SECONDS,
      lookbackHours: values.SYNC_LOOKBACK_HOURS,
      backfillDays: values.SYNC_BACKFILL_DAYS,
    }),
    deletions: new DeletionsConfig({
      modes: values.DELETIONS,
      confirmHours: values.DELETION_CONFIRM_HOURS,
      holdShare: values.DELETION_HOLD_SHARE,
    }),
    alert: new AlertConfig({ silenceHours: values.SILENCE_ALERT_HOURS }),
    retention: new RetentionConfig({
      messageDays: values.MESSAGE_RETENTION_DAYS,
      historyDays: values.HISTORY_RETENTION_DAYS,
    }),
    accessLog: new AccessLogConfig({
      reasons: values.ACCESS_LOG_REASONS,
      checkpointKey: values.ACCESS_LOG_KEY,
    }),
    erasure: new ErasureConfig({
      fenceSecrets: values.ERASURE_FENCE_SECRETS ?? [],
      journalPath: values.ERASURE_JOURNAL_PATH ?? journalBesideBackups(values),
    }),
    backup: new BackupConfig({
      folder: values.BACKUP_FOLDER,
      intervalHours: values.BACKUP_INTERVAL_HOURS,
    }),
    push: new PushConfig({
      signingKeys: values.PUSH_SIGNING_KEYS ?? [],
      allowedNetworks: values.PUSH_ALLOWED_NETWORKS ?? [],
    }),
    disk: new DiskConfig({ lowBytes: values.DISK_LOW_BYTES }),
    log: new LogConfig({ level: values.LOG_LEVEL }),
    ignored,
  });
}

/**
 * Named after its database, because several databases may share a backup folder. A journal that already exists beside a
 * SQLite file stays there.
 */
function journalBesideBackups({ BACKUP_FOLDER: folder, DATABASE_URL: database }: Values): string | undefined {
  if (database.kind === 'postgres') {
    const name = new URL(database.url.reveal()).pathname.replace(/\W/g, '') || 'postgres';
    return folder === undefined ? undefined : join(folder, `${name}.erasures`);
  }
  const beside = `${database.path}.erasures`;
  const begun = folder === undefined || existsSync(beside);
  return begun ? beside : join(folder, basename(beside));
}

function databaseOf({ DATABASE_URL: database, DATABASE_KEY: key }: Values): DatabaseConfig {
  return database.kind === 'sqlite' && key ? new SqliteConfig({ ...database, key }) : database;
}

function keySetOf(values: Values): KeySetSource | undefined {
  if (values.APP_JWT_JWKS_URL) return { url: values.APP_JWT_JWKS_URL };
  const [issuer] = values.APP_JWT_ISSUER ?? [];
  return values.APP_JWT_SECRET || issuer === undefined ? undefined : { issuer };
}

function upstreamOf(values: Values): UpstreamConfig {
  return new UpstreamConfig({
    baseUrl: values.UPSTREAM_BASE_URL,
    apiKey: new Rotating(values.UPSTREAM_API_KEY),
    apiKeyIsUnfamiliar: !tellsWhereItBelongs(values.UPSTREAM_API_KEY.reveal()),
    apiKeyHeader: values.UPSTREAM_API_KEY_HEADER,
    region: values.UPSTREAM_REGION,
    environment: values.UPSTREAM_ENVIRONMENT,
    availabilityInput: values.UPSTREAM_AVAILABILITY_INPUT,
    clientIdSecret: values.CLIENT_ID_SECRET,
    maxConcurrency: values.UPSTREAM_MAX_CONCURRENCY,
    requestsPerSecond: values.UPSTREAM_REQUESTS_PER_SECOND,
    timeoutMs: values.UPSTREAM_TIMEOUT_MS,
  });
}
