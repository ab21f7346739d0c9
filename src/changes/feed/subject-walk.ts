import { Injectable } from '@nestjs/common';
import type { ChangeKind } from '../../platform/config/feed-scope.js';
import { Reader } from '../../storage/database/reader.js';
import type { WalkedSubject } from '../../storage/declarations/change-source.js';
import { Declarations } from '../../storage/declarations/declarations.js';
import { MAX_SUBJECTS_A_READ } from './tuning.js';

/** The stored subjects of a kind of change, page by page. */
@Injectable()
export class SubjectWalk {
  constructor(
    private readonly declarations: Declarations,
    private readonly reader: Reader,
  ) {}

  /** `account`: `accounts.id`; undefined for all accounts. Nothing for a kind without stored subjects. */
  async *pages(kind: ChangeKind, account: number | undefined): AsyncGenerator<readonly WalkedSubject[]> {
    const source = this.declarations.changes.get(kind);
    if (source === undefined) return;
    for (let after: WalkedSubject['key'] | null = null; ; ) {
      const page: readonly WalkedSubject[] = await source.walk(this.reader, {
        after,
        limit: MAX_SUBJECTS_A_READ,
        account,
      });
      const last = page.at(-1);
      if (!last) return;
      yield page;
      after = last.key;
    }
  }
}
