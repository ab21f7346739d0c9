import { hash } from 'node:crypto';
import type { Config } from './config.js';
import { Rotating } from './secret.js';
import { type Environment, fileBacked } from './sources.js';
import { valueIn, variables } from './variables.js';

/** Names of secrets, never values. */
export interface Reread {
  /** Changed secrets, now in use. */
  readonly rotated: readonly string[];
  /** Changed secrets that take effect only after a restart. */
  readonly needRestart: readonly string[];
}

/** An environment completed from the files, with the resulting configuration. */
interface Filled {
  readonly environment: Environment;
  readonly config: Config;
}

/**
 * A configuration with the files of its secrets. Reading them again replaces all secrets that can change while the
 * process runs, or none if any file is invalid.
 */
export class SecretFiles {
  readonly config: Config;
  private held: ReadonlyMap<string, string>;

  /** `again` is false only for the first read. */
  constructor(private readonly read: (again: boolean) => Filled) {
    const { config, environment } = read(false);
    this.config = config;
    this.held = digestsOf(environment);
  }

  /** Throws `ConfigError` and then changes nothing. */
  reread(): Reread {
    const { environment, config } = this.read(true);
    const found = digestsOf(environment);
    const changed = [...found].flatMap(([name, digest]) => (digest === this.held.get(name) ? [] : [name]));
    const rotated = changed.filter((name) => {
      const [held, next] = [this.config, config].map((each) => variables[name] && valueIn(each, variables[name]));
      if (!(held instanceof Rotating && next instanceof Rotating)) return false;
      held.replace(next.current);
      return true;
    });
    const needRestart = changed.filter((name) => !rotated.includes(name));
    // Reported again at every read until the restart.
    this.held = new Map([...found].map(([name, digest]) => [name, needRestart.includes(name) ? '' : digest]));
    return { rotated, needRestart };
  }
}

/** Changes are detected by digest, so that no copy of a secret is kept. */
function digestsOf(environment: Environment): Map<string, string> {
  return new Map(fileBacked(environment).map(([name, text]) => [name, hash('sha256', text)]));
}
