import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { accessTokenProblems } from './access-token-agreement.js';
import { type ConfigProblem, disagreements, type Read } from './agreement.js';
import { Config, ErasureConfig, HttpConfig, type Sections, SyncConfig, sections } from './config.js';
import { type DatabaseConfig, PostgresConfig, SqliteConfig } from './database-config.js';
import { IgnoredConfig } from './ignored-config.js';
import { InvalidValue, isAll } from './parsers.js';
import { Secret } from './secret.js';
import { SecretFiles } from './secret-files.js';
import { type Environment, valueOf, withEnvFile, withSecretFiles } from './sources.js';
import { aboutUnknown, unknownVariables } from './unknown-variables.js';
import { type Variable, variables } from './variables.js';

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
 * @param measures those that `SAMPLES_KEEP_DAYS` may name
 */
export function readConfig(given: Environment, knownResources: readonly string[], measures = knownResources): Config {
  return readRereadable(given, knownResources, measures).config;
}

/** Like `readConfig`, but the files of secrets can be read again. */
export function readRereadable(
  given: Environment,
  knownResources: readonly string[],
  measures = knownResources,
): SecretFiles {
  return new SecretFiles((again) => {
    const filled = withSecretFiles(given, { again });
    return { environment: filled.environment, config: configFrom(filled, knownResources, measures) };
  });
}

/**
 * Address at which the service of this environment can be called on this machine: `http://127.0.0.1:3000`. Reads `HOST`
 * and `PORT` alone, so nothing else has to be right. Throws if one is not valid.
 */
export function ownAddress(): string {
  const { environment } = withEnvFile(process.env);
  const { host, port } = HttpConfig.settings;
  return localAddress({
    host: host.parse(valueOf(environment[host.name]) ?? String(host.default)),
    port: port.parse(valueOf(environment[port.name]) ?? String(port.default)),
  });
}

/** An IPv6 socket of all addresses also takes connections over IPv4. */
const everyAddress = new Set(['0.0.0.0', '::']);

/** Address for calls from this machine to a service that listens on this host and port. */
export function localAddress({ host, port }: Pick<HttpConfig, 'host' | 'port'>): string {
  if (everyAddress.has(host)) return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
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
  measures: readonly string[],
): Config {
  const unreadable = new Set(fileProblems.map(({ variable }) => variable));
  const unknown = unknownVariables(environment);
  const problems: ConfigProblem[] = [...fileProblems];
  const read: Record<string, Record<string, unknown>> = {};
  for (const [name, variable] of Object.entries(variables)) {
    const values = (read[variable.section] ??= {});
    if (unreadable.has(`${name}_FILE`)) continue;
    const result = readVariable(environment[name], variable);
    if ('problem' in result) problems.push({ variable: name, problem: result.problem });
    else values[variable.key] = result.value;
  }
  problems.push(...accessTokenProblems(environment), ...disagreements(read as Read, knownResources, measures));
  if (problems.length > 0 || unknown.some(({ refused }) => refused)) {
    const strangers = unknown.map((each) => ({ variable: each.name, problem: aboutUnknown(each) }));
    throw new ConfigError([...strangers, ...problems]);
  }
  const made = Object.entries(sections).map(([name, Section]) => [name, new Section(read[name] as never)]);
  const ignored = new IgnoredConfig({ proxies: proxiesIn(environment), unknown });
  return completed(Object.fromEntries(made) as Sections, knownResources, ignored);
}

function sentence({ variable, problem }: ConfigProblem): string {
  return `  ${variable} ${problem}`;
}

function readVariable(text: string | undefined, variable: Variable): { value: unknown } | { problem: string } {
  const given = valueOf(text) ?? variable.default;
  if (given === undefined) return variable.required ? { problem: 'is required' } : { value: variable.unset };
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

/** Fills in the values that depend on other variables or on the catalogue. */
function completed(read: Sections, knownResources: readonly string[], ignored: IgnoredConfig): Config {
  const { sync, erasure } = read;
  return new Config({
    ...read,
    database: databaseOf(read),
    sync: new SyncConfig({ ...sync, resources: isAll(sync.resources) ? [...knownResources] : sync.resources }),
    erasure: new ErasureConfig({ ...erasure, journalPath: erasure.journalPath ?? journalBesideBackups(read) }),
    ignored,
  });
}

/**
 * Named after its database, because several databases may share a backup folder. A journal that already exists beside a
 * SQLite file stays there.
 */
function journalBesideBackups({ backup: { folder }, database: { database } }: Sections): string | undefined {
  if (database.kind === 'postgres') {
    const name = new URL(database.url.reveal()).pathname.replace(/\W/g, '') || 'postgres';
    return folder === undefined ? undefined : join(folder, `${name}.erasures`);
  }
  const beside = `${database.path}.erasures`;
  const begun = folder === undefined || existsSync(beside);
  return begun ? beside : join(folder, basename(beside));
}

/** Workers never read from a replica. */
function databaseOf({ database: { database, readUrl, key }, role: { role } }: Sections): DatabaseConfig {
  if (database.kind === 'sqlite') return key ? new SqliteConfig({ ...database, key }) : database;
  return readUrl && role !== 'worker' ? new PostgresConfig({ ...database, readUrl }) : database;
}
