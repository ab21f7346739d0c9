import { frozen } from './setting.js';

/** A variable that this service does not read, although its name resembles one that it reads. */
export interface UnknownVariable {
  readonly name: string;
  /** The most similar name that the service reads, if one is similar. */
  readonly nearest: string | undefined;
  /** True if the name has one of our prefixes, so that it must be a mistake; the service does not start. */
  readonly refused: boolean;
}

/** Variables in the environment that have no effect, although a user might expect one. */
export class IgnoredConfig extends frozen<{
  /** Names of variables that configure a proxy; this service uses none. */
  proxies: readonly string[];
  /** Names that look like ours. */
  unknown: readonly UnknownVariable[];
}>() {}
