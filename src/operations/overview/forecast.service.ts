import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { measureResources } from '../../health/catalogue/catalogue.js';
import { type StoredAmount, StoredAmounts } from '../../health/reads/stored-amounts.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, HOUR_MS, toIso } from '../../platform/platform/time.js';
import { MAX_FORECAST_ACCOUNTS } from '../alarms/tuning.js';
import { WatchedDisks } from '../alarms/watched-disks.js';
import type { ForecastDto, ForecastReason } from './forecast.dto.js';

const DAYS = 7;
const HOURS_A_DAY = DAY_MS / HOUR_MS;

/** Measures what people store, and how long the disk will last. Says nothing that it has not measured. */
@Injectable()
export class ForecastService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly amounts: StoredAmounts,
    private readonly disks: WatchedDisks,
    private readonly clock: Clock,
  ) {}

  async forecast(): Promise<ForecastDto> {
    const now = this.clock.now();
    const accounts = await this.accounts.spread(MAX_FORECAST_ACCOUNTS);
    const [bytesOfSample, amounts] = await Promise.all([
      this.amounts.bytesOfSample(),
      this.amounts.amounts(accounts, { start: now - DAYS * DAY_MS, end: now }),
    ]);
    const bytesOf = { sample: bytesOfSample, hour: this.amounts.bytesOfHour() };
    const resources = averages(amounts, bytesOf, accounts.length * DAYS);
    const unknown: ForecastReason | null =
      accounts.length === 0 ? 'no_accounts' : bytesOfSample === null ? 'not_counted_yet' : null;
    return {
      at: toIso(now),
      accounts: accounts.length,
      days: DAYS,
      bytes_a_sample: bytesOfSample,
      bytes_a_person_and_day:
        unknown === null ? rounded(resources.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)) : null,
      reason: unknown,
      resources,
      disk: this.disk(),
    };
  }

  private disk(): ForecastDto['disk'] {
    const disk = this.disks.ofDatabase();
    if (disk === null) return { free_bytes: null, days_left: null, reason: 'not_visible' };
    const { freeBytes, hoursLeft, hasHistory } = disk;
    const days_left = hoursLeft === null ? null : rounded(hoursLeft / HOURS_A_DAY);
    const unknown = hasHistory ? 'not_filling' : 'no_history';
    return { free_bytes: freeBytes, days_left, reason: days_left === null ? unknown : null };
  }
}

/** Of one person on one day, largest first. */
function averages(
  amounts: readonly StoredAmount[],
  bytesOf: { readonly sample: number | null; readonly hour: number },
  personDays: number,
): ForecastDto['resources'] {
  return amounts
    .map(({ resource, samples, hours, summaries, bytes }) => ({
      resource,
      samples: rounded(samples / personDays),
      summaries: rounded(summaries / personDays),
      bytes:
        samples > 0 && bytesOf.sample === null ? null : rounded((samples * (bytesOf.sample ?? 0) + bytes) / personDays),
      bytes_thinned: measureResources.includes(resource) ? rounded((hours * bytesOf.hour) / personDays) : null,
    }))
    .sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || b.samples - a.samples);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
