import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { MAX_ACCOUNTS_A_READ } from '../access-log/tuning.js';
import { ErasureService } from './erasure.service.js';
import { ErasureTelemetry } from './erasure.telemetry.js';
import { ErasureWorker } from './erasure.worker.js';
import { ErasureJournal } from './erasure-journal.service.js';
import { ErasureMarks } from './erasure-marks.js';
import { type JournalEntry, JournalUnusable } from './journal-file.js';

/**
 * Repeats erasures after a restore: the database may contain people who were erased after its backup, and the erasure
 * journal identifies them. Their rows are deleted before the first request is served; their upstream users are deleted
 * later, as for any erasure. People without an account are fenced as well. May be interrupted and repeated.
 */
@Injectable()
export class RepeatedErasures {
  constructor(
    private readonly journal: ErasureJournal,
    private readonly accounts: AccountsService,
    private readonly marks: ErasureMarks,
    private readonly service: ErasureService,
    private readonly worker: ErasureWorker,
    private readonly telemetry: ErasureTelemetry,
  ) {}

  /** Throws {@link JournalUnusable}. */
  async run(): Promise<void> {
    const unknown = await this.journal.open();
    if (!this.journal.isKept) this.telemetry.noJournal();
    if (unknown.length === 0) return;
    await this.marks.makeOwnKey();
    const byDigest = new Map(unknown.flatMap((entry) => digestsIn(entry).map((digest) => [digest, entry] as const)));
    for (let cursor: string | undefined; ; ) {
      const page = await this.accounts.list({
        limit: MAX_ACCOUNTS_A_READ,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const account of page.data) {
        const [entry] = (await this.marks.digestsOf(account)).flatMap((digest) => byDigest.get(digest) ?? []);
        if (entry !== undefined) await this.service.repeat(account, entry);
      }
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    await this.worker.deleteHere();
    if (await this.service.anyHere(unknown.map(({ erasure }) => erasure))) {
      throw new JournalUnusable('Erasures of the journal could not be repeated; the log contains the reason.');
    }
    // Last, because the erasures then count as known.
    for (const entry of unknown) await this.marks.add(entry);
  }
}

function digestsIn({ names, users }: JournalEntry): string[] {
  return [...names.map(({ digest }) => digest), ...users];
}
