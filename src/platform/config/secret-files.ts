import { hash } from 'node:crypto';
import type { Config } from './config.js';
import type { Rotating } from './secret.js';
import { type Environment, fileBacked } from './sources.js';

/** Where each secret is held that can change while the process runs. */
const rotating: Readonly<Record<string, (config: Config) => Rotating<unknown> | undefined>> = {
  ADMIN_API_KEYS: (config) => config.admin.keys,
  WEBHOOK_SECRETS: (config) => config.webhook.secrets,
  UPSTREAM_API_KEY: (config) => config.upstream.apiKey,
  APP_JWT_SECRET: (config) => config.appAuth.secret,
};

/** By name, never by value. */
export interface Reread {
  /** Secrets that have changed, and are used from now on. */
  readonly rotated: readonly string[];
  /** Secrets whose files have changed, and that only a restart takes over. */
  readonly needRestart: readonly string[];
}

/** An environment with the contents of the files, and what it configures. */
interface Filled {
  readonly environment: Environment;
  readonly config: Config;
}

/**
 * A configuration and the files of its secrets. Reading them again changes all of the secrets that can change while the
 * process runs, or, where anything is wrong with any file, none.
 */
export class SecretFiles {
  readonly config: Config;
  private held: ReadonlyMap<string, string>;

  /** `again`: not for the first time. */
  constructor(private readonly read: (again: boolean) => Filled) {
    const { config, environment } = read(false);
    this.config = config;
    this.held = digestsOf(environment);
  }

  /** Throws `ConfigError`, and then everything is as it was. */
  reread(): Reread {
    const { environment, config } = this.read(true);
    const found = digestsOf(environment);
    const changed = [...found].flatMap(([name, digest]) => (digest === this.held.get(name) ? [] : [name]));
    const rotated = changed.filter((name) => Object.hasOwn(rotating, name));
    for (const name of rotated) rotating[name]?.(this.config)?.replace(rotating[name](config)?.current);
    const needRestart = changed.filter((name) => !rotated.includes(name));
    // What needs a restart goes on to be named until there was one.
    this.held = new Map([...found].map(([name, digest]) => [name, needRestart.includes(name) ? '' : digest]));
    return { rotated, needRestart };
  }
}

/** No copy of a secret is kept to find out whether it has changed. */
function digestsOf(environment: Environment): Map<string, string> {
  return new Map(fileBacked(environment).map(([name, text]) => [name, hash('sha256', text)]));
}
