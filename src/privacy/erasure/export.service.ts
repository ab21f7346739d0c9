import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { erasedError } from '../../accounts/erasure-guard/open-accounts.js';
import { version } from '../../platform/config/versions.js';
import { Clock } from '../../platform/platform/clock.js';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import { toIso } from '../../platform/platform/time.js';
import { MAX_READ_AHEAD_BYTES } from '../access-log/tuning.js';
import { ExportReader } from './export.reader.js';

/** Makes each part of a response when it is its turn (`ReadTurns.each`). */
type InTurns = (lines: AsyncGenerator<string>) => AsyncGenerator<string>;

/**
 * Exports all data of an account as JSON lines: a header, a line per item, and a footer with the number of items of
 * each type. An export without a footer is incomplete, because it failed. Each page is its own snapshot, so an item
 * that changes during the export may appear in its old or new form.
 */
@Injectable()
export class ExportService {
  private readonly outcomes: Outcomes;

  constructor(
    private readonly accounts: AccountsService,
    private readonly reader: ExportReader,
    private readonly clock: Clock,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.outcomes = new Outcomes(log, metrics, 'exports_total', 'Account exports by outcome');
  }

  /**
   * Reads only as fast as the caller, and stops when destroyed, or when `mayGoOn` rejects before a page. Throws
   * `not_found` or `account_erased`.
   */
  async open(accountId: string, inTurns: InTurns, mayGoOn: () => Promise<void>): Promise<Readable> {
    const account = await this.accounts.get(accountId);
    if (account.status === 'erasing') throw erasedError();
    return Readable.from(inTurns(this.text(account, mayGoOn)), {
      objectMode: false,
      highWaterMark: MAX_READ_AHEAD_BYTES,
    });
  }

  private async *text(account: Account, mayGoOn: () => Promise<void>): AsyncGenerator<string> {
    const counts: Record<string, number> = {};
    let isWhole = false;
    try {
      yield line({ type: 'header', ...this.headerOf(account) });
      for await (const page of this.reader.pages(account.id)) {
        await mayGoOn();
        for (const { type } of page) counts[type] = (counts[type] ?? 0) + 1;
        yield page.map(line).join('');
      }
      isWhole = true;
      yield line({ type: 'footer', counts });
    } catch (error) {
      this.log.event('export.failed', { account_ref: account.id, ...loggable(error) }, 'error');
      throw error;
    } finally {
      // `cut`: without a footer, because of an error or because the caller disconnected.
      const [outcome, level] = isWhole ? (['whole', 'info'] as const) : (['cut', 'warn'] as const);
      const count = Object.values(counts).reduce((sum, each) => sum + each, 0);
      this.outcomes.note(outcome, 'export.ended', { account_ref: account.id, outcome, count }, level);
    }
  }

  private headerOf({ account_id }: Account): object {
    return { account_id, exported_at: toIso(this.clock.now()), version };
  }
}

function line(content: object): string {
  return `${JSON.stringify(content)}\n`;
}
