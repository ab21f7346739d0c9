import { Injectable } from '@nestjs/common';
import type { PageQuery } from '../../http/server/page-query.js';
import { Clock } from '../../platform/platform/clock.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { frequentSignIns } from './token-limits.js';
import { type FrequentInstallation, TokensRepository } from './tokens.repository.js';

/** Tokens of an installation in a day including this one (`before` plus one); null if that is not too many. */
export function frequencyOf(before: number): number | null {
  return before + 1 > frequentSignIns.max ? before + 1 : null;
}

/** Which installations of the app ask for a sign-in token at every launch instead of once per sign-in. */
@Injectable()
export class FrequentSignIns {
  constructor(
    private readonly tokens: TokensRepository,
    private readonly clock: Clock,
  ) {}

  /** Those of the last 24 hours, by account. */
  async list({ cursor, limit }: PageQuery): Promise<Page<FrequentInstallation>> {
    const after = cursor === undefined ? ([0, ''] as const) : decodeCursor(cursor, ['number', 'string']);
    const rows = await this.tokens.frequent(this.clock.now() - frequentSignIns.windowMs, after, limit + 1);
    return pageOf(rows, limit, ({ account_ref, installation }) => [account_ref, installation]);
  }
}
