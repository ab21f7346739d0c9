import { Injectable } from '@nestjs/common';
import type { PageQuery } from '../http/page-query.js';
import { Clock } from '../platform/clock.js';
import { decodeCursor, type Page, pageOf } from '../platform/paging.js';
import { type FrequentInstallation, FrequentSignInsReader } from './frequent-sign-ins.reader.js';
import { frequentSignIns } from './token-issuer.js';

/** Which installations of the app ask for a sign-in token at every launch instead of once per sign-in. */
@Injectable()
export class FrequentSignIns {
  constructor(
    private readonly reader: FrequentSignInsReader,
    private readonly clock: Clock,
  ) {}

  /** Those of the last 24 hours, by account. */
  async list({ cursor, limit }: PageQuery): Promise<Page<FrequentInstallation>> {
    const after = cursor === undefined ? ([0, ''] as const) : decodeCursor(cursor, ['number', 'string']);
    const since = this.clock.now() - frequentSignIns.windowMs;
    const rows = await this.reader.page(since, after, limit + 1);
    return pageOf(rows, limit, ({ account_ref, installation }) => [account_ref, installation]);
  }
}
