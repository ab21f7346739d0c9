import type { DataSource, MigrationInterface } from 'typeorm';
import { openWriter } from '../../src/database/store.js';
import { entities } from '../../src/entities.js';
import { migrate } from '../../src/schema/migrate.js';
import { type TestDatabase, testDatabase } from './test-store.js';

/** A database as it was before a migration: fill it, then migrate it. */
export class BeforeMigration {
  private constructor(
    readonly database: TestDatabase,
    private readonly source: DataSource,
    private readonly later: DataSource['migrations'],
  ) {}

  static async of(migration: MigrationInterface): Promise<BeforeMigration> {
    const database = await testDatabase('unmigrated');
    const source = await openWriter(database.config, entities);
    const later = source.migrations.splice(source.migrations.findIndex(({ name }) => name === migration.name));
    await source.runMigrations();
    return new BeforeMigration(database, source, later);
  }

  sql<T = Record<string, unknown>>(text: string): Promise<T[]> {
    return this.source.query(text);
  }

  async migrate(): Promise<void> {
    this.source.migrations.push(...this.later);
    await migrate(this.source, this.database.config, 0);
  }

  async close(): Promise<void> {
    await this.source.destroy();
    await this.database.drop();
  }
}
