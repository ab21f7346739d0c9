import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ErasureConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { SchemaService } from '../../storage/schema/schema.service.js';
import type { ErasureEntity } from './erasure.entity.js';
import { ErasureMarks } from './erasure-marks.js';
import { ErasuresRepository } from './erasures.repository.js';
import {
  beginJournal,
  hasErasures,
  type JournalEntry,
  JournalUnusable,
  JournalWriter,
  readJournal,
} from './journal-file.js';

/** Records the erasures of this database in a file outside it. journal-file.ts describes the file. */
@Injectable()
export class ErasureJournal {
  private writer: JournalWriter | null = null;

  constructor(
    private readonly config: ErasureConfig,
    private readonly schema: SchemaService,
    private readonly erasures: ErasuresRepository,
    private readonly accounts: AccountsService,
    private readonly marks: ErasureMarks,
    private readonly lane: WriteLane,
  ) {}

  /** False before `open`, and if no journal is configured. */
  get isKept(): boolean {
    return this.writer !== null;
  }

  /**
   * Opens the journal; call it before the first request is served. Starts a journal for a new database. Returns
   * erasures that are in the journal but not in the database, because the database was restored.
   * Throws {@link JournalUnusable} unless the journal belongs to the database and is complete.
   */
  async open(): Promise<JournalEntry[]> {
    const { journalPath: path } = this.config;
    const name = await this.schema.journalName();
    if (path === undefined) {
      if (name === null) return [];
      throw new JournalUnusable(
        'ERASURE_JOURNAL_PATH: the database has an erasure journal; set the path to that file.',
      );
    }
    const kept = name ?? (await this.begin(path));
    const entries = readJournal(path, kept);
    const stored = await this.erasures.all();
    const known = new Set(stored.map(({ id }) => id));
    const unknown = await this.marks.unmarked(entries.filter(({ erasure }) => !known.has(erasure)));
    const inJournal = new Set(entries.map(({ erasure }) => erasure));
    if (stored.some(({ id, journaled_at }) => journaled_at !== null && !inJournal.has(id))) {
      throw new JournalUnusable(
        `ERASURE_JOURNAL_PATH: the erasure journal ${path} lacks erasures of this database, so it is an older copy. Restore the newest.`,
      );
    }
    this.writer = new JournalWriter(path, kept);
    for (const erasure of await this.erasures.notJournaled()) await this.record(erasure);
    return unknown;
  }

  /** Records an erasure, durable on return. Does nothing if it is recorded already. Throws `storage_unavailable`. */
  async record({ id, requested_at: at, journaled_at }: ErasureEntity): Promise<void> {
    if (this.writer === null || journaled_at !== null) return;
    const { names, users } = await this.marks.of(id);
    try {
      await this.writer.add({ erasure: id, at, names, users });
    } catch (cause) {
      throw new AppError('storage_unavailable', 'The erasure journal cannot be written.', { cause });
    }
    await this.lane.run((tx) => this.erasures.noteJournaled(tx, id, tx.now));
  }

  /**
   * Starts a journal and returns the name of the database in it. Throws if the database already has accounts and the
   * file already has erasures: a database that is not new must not start in a file of others.
   */
  private async begin(path: string): Promise<string> {
    const name = newId();
    const { data } = await this.accounts.list({ limit: 1 });
    if (data.length > 0 && hasErasures(path)) readJournal(path, name);
    await this.marks.makeOwnKey();
    await beginJournal(path, name);
    await this.lane.run((tx) => this.schema.nameInJournal(tx, name));
    return (await this.schema.journalName()) ?? name;
  }
}
