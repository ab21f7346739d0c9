import type { Secret } from './secret.js';
import { frozen } from './setting.js';

export class SqliteConfig extends frozen<{
  kind: 'sqlite';
  path: string;
  /** 32 bytes as hex digits; undefined: the file is not encrypted. */
  key?: Secret;
}>() {}

export class PostgresConfig extends frozen<{
  kind: 'postgres';
  /** May contain a password. */
  url: Secret;
  /** A standby of it for reads; undefined if it has none, or the process serves no requests. */
  readUrl?: Secret;
}>() {}

export type DatabaseConfig = SqliteConfig | PostgresConfig;
/** Injection token of `DatabaseConfig`, which is a union and therefore cannot be a class. */
export const DatabaseConfig = Symbol('DatabaseConfig');
