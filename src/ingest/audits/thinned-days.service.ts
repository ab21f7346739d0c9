import { Injectable } from '@nestjs/common';
import { OldSamples } from '../../health/thinning/old-samples.service.js';
import { dateOf } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import type { DayProofEntity } from './audit.entity.js';
import type { StreamDays } from './audit-plan.js';
import { AuditsRepository } from './audits.repository.js';

/**
 * Days with hourly sums in place of samples (SAMPLES_KEEP_DAYS). They are not compared, because what upstream shows of
 * them has no counterpart here, and what was found before is forgotten, because it is of samples that are stored no
 * more.
 */
@Injectable()
export class ThinnedDays {
  constructor(
    private readonly samples: OldSamples,
    audits: AuditsRepository,
  ) {
    samples.beside(async (tx, { account, resource, providers, start, end }) => {
      const days = { account, resource, firstDay: dateOf(start), lastDay: dateOf(end - 1) };
      for (const provider of providers) await audits.forget(tx, { ...days, provider });
    });
  }

  /** The streams without these days. */
  async without(account: number, streams: readonly StreamDays[]): Promise<StreamDays[]> {
    const all = streams.flatMap(({ days }) => days).sort();
    const thinned = await this.samples.thinnedDays(account, all[0] ?? '', all.at(-1) ?? '');
    if (thinned.size === 0) return [...streams];
    return streams.map((stream) => {
      return { ...stream, days: stream.days.filter((day) => !thinned.has(nameOf({ ...stream, day }))) };
    });
  }

  /** Those of the found days that were not thinned while they were compared. */
  async stillComparable(tx: Tx, account: number, found: readonly DayProofEntity[]): Promise<DayProofEntity[]> {
    const all = found.map(({ day }) => day).sort();
    const thinned = await this.samples.thinnedDays(account, all[0] ?? '', all.at(-1) ?? '', tx);
    return found.filter((one) => !thinned.has(nameOf(one)));
  }
}

function nameOf({ resource, provider, day }: Pick<DayProofEntity, 'resource' | 'provider' | 'day'>): string {
  return `${resource} ${provider} ${day}`;
}
