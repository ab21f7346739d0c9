import { Injectable } from '@nestjs/common';
import { FiguresReader } from '../declarations/figures.reader.js';
import { ProviderHours } from '../provider-hours/provider-hours.service.js';
import type { Finding } from './alarm-codes.js';
import { AlarmRules, connectedSources, findingsOf } from './alarm-rules.js';
import { ProcessReports } from './process-reports.js';

/** Reads what the alarms rest on, and finds what is wrong. */
@Injectable()
export class AlarmFinder {
  constructor(
    private readonly figures: FiguresReader,
    private readonly providerHours: ProviderHours,
    private readonly reports: ProcessReports,
    private readonly rules: AlarmRules,
  ) {}

  /** Rejects when the store cannot be read. */
  async find(now: number): Promise<Finding[]> {
    const [figures, reports] = await Promise.all([this.figures.read(now), this.reports.all(now)]);
    const silent_providers = await this.providerHours.silent(now, connectedSources(figures));
    return findingsOf({ ...figures, silent_providers }, reports, this.rules, now);
  }
}
