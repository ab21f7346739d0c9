import { Injectable } from '@nestjs/common';
import { resourceByName } from '../../health/catalogue/catalogue.js';
import { StoredRecords } from '../../health/reads/stored-records.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, startOfDate, type TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { ListedPulls } from '../pulls/listed-pulls.service.js';
import { PullRequests } from '../pulls/pull-requests.service.js';
import type { DayProofEntity } from './audit.entity.js';
import { type AuditUnit, daysAtOnce, lastJudgedEnd, runsOfDays, windowUntil } from './audit-plan.js';

type OfPull = Pick<DayProofEntity, 'task_id'>;

/** State of the pulls that repair days. */
interface RepairPulls {
  /** True if the pull of this day has not ended. */
  readonly isOpen: (day: OfPull) => boolean;
  readonly hasFailed: (day: OfPull) => boolean;
}

/** Pulls that repair days of audits. */
@Injectable()
export class AuditRepairs {
  constructor(
    private readonly pulls: PullRequests,
    private readonly listedPulls: ListedPulls,
    private readonly records: StoredRecords,
    private readonly clock: Clock,
  ) {}

  async pullsOf(days: readonly OfPull[]): Promise<RepairPulls> {
    const statuses = await this.listedPulls.statuses([...new Set(days.flatMap(({ task_id }) => task_id ?? []))]);
    return {
      isOpen: ({ task_id }) => ['pending', 'running'].includes(statuses.get(task_id ?? 0) ?? ''),
      hasFailed: ({ task_id }) => statuses.get(task_id ?? 0) === 'failed',
    };
  }

  /** Requests the pulls that repair days of one stream, and returns the days with them. */
  async withPulls(tx: Tx, days: readonly DayProofEntity[]): Promise<DayProofEntity[]> {
    const [first] = days;
    if (!first) return [];
    const { account_id: account, provider } = first;
    const resource = resourceByName(first.resource);
    if (!resource) return days.map((row) => ({ ...row, state: 'different' }));
    const taskOf = new Map<string, number>();
    const listed = days.map(({ day }) => day);
    for (const run of runsOfDays(listed, daysAtOnce(resource))) {
      const window = await this.windowOf(tx, account, { resource, provider, days: run });
      const request = { account, provider, resource: resource.name, origin: 'reread', ...window } as const;
      const task = await this.pulls.request(tx, request);
      for (const day of run) taskOf.set(day, task);
    }
    return days.map((row) => ({ ...row, task_id: taskOf.get(row.day) ?? row.task_id }));
  }

  /** Long enough for the longest stored record of the days, because a pull judges only what lies inside its window. */
  private async windowOf(tx: Tx, account: number, unit: AuditUnit): Promise<TimeRange> {
    const { resource, provider, days } = unit;
    const [first = '', last = ''] = [days[0], days.at(-1)];
    const range = { start: startOfDate(first), end: startOfDate(last) + DAY_MS };
    const until = lastJudgedEnd(unit, this.clock.now());
    return windowUntil(unit, await this.records.lastEnd(tx, { account, resource, provider, ...range, until }));
  }
}
