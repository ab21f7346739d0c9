import type { Logger } from 'typeorm';

/** TypeORM's own log lines carry statements with their parameters; none of them is ever written. */
export class SilentLogger implements Logger {
  logQuery(): void {}
  logQueryError(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}
