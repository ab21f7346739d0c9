import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { erasedError } from '../../accounts/erasure-guard/erasure-guard.service.js';
import { version } from '../../platform/config/versions.js';
import { Clock } from '../../platform/platform/clock.js';
import { toIso } from '../../platform/platform/time.js';
import { ExportReader } from './export.reader.js';
import { ExportTelemetry } from './export.telemetry.js';

/** Bytes that wait for the caller; nothing more is read while so many do. */
const READ_AHEAD_BYTES = 65_536;

/**
 * Everything held of an account as lines of JSON: a header, a line for each thing, and a footer with how many there
 * were of each kind. An export without a footer is not whole: it was cut because something failed on the way. Each
 * page is a snapshot of its own, so what changes during an export may be in it as it was or as it became.
 */
@Injectable()
export class ExportService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly reader: ExportReader,
    private readonly clock: Clock,
    private readonly telemetry: ExportTelemetry,
  ) {}

  /** Reads on only as fast as it is read, and stops when it is destroyed. Throws `not_found` or `account_erased`. */
  async open(accountId: string): Promise<Readable> {
    const account = await this.accounts.get(accountId);
    if (account.status === 'erasing') throw erasedError();
    return Readable.from(this.text(account), { objectMode: false, highWaterMark: READ_AHEAD_BYTES });
  }

  private async *text(account: Account): AsyncGenerator<string> {
    const counts: Record<string, number> = {};
    let isWhole = false;
    try {
      yield line({ type: 'header', ...this.headerOf(account) });
      for await (const page of this.reader.pages(account.id)) {
        for (const { type } of page) counts[type] = (counts[type] ?? 0) + 1;
        yield page.map(line).join('');
      }
      isWhole = true;
      yield line({ type: 'footer', counts });
    } catch (error) {
      this.telemetry.failed(account.id, error);
      throw error;
    } finally {
      this.telemetry.ended(account.id, isWhole ? 'whole' : 'cut', sumOf(counts));
    }
  }

  private headerOf({ account_id }: Account): object {
    return { account_id, exported_at: toIso(this.clock.now()), version };
  }
}

function line(content: object): string {
  return `${JSON.stringify(content)}\n`;
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
