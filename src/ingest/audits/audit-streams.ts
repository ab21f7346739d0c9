import { Injectable } from '@nestjs/common';
import { ConnectionsService, isSteadySource } from '../../accounts/connections/connections.service.js';
import { coveredResources } from '../../health/catalogue/catalogue.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { covers, DAY_MS } from '../../platform/platform/time.js';
import { CoverageService } from '../streams/coverage.service.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import type { AuditEntity } from './audit.entity.js';
import { AuditCycle } from './audit-cycle.js';
import { type AuditStream, closedDays, rangeOfDay, type StreamDays, turnOf } from './audit-plan.js';
import { AuditsRepository } from './audits.repository.js';
import { ThinnedDays } from './thinned-days.service.js';

/** Streams that an audit compares: the pulled resources of the sources that are connected and not in error. */
@Injectable()
export class AuditStreams {
  constructor(
    private readonly streams: PullStreams,
    private readonly connections: ConnectionsService,
    private readonly coverage: CoverageService,
    private readonly cycle: AuditCycle,
    private readonly audits: AuditsRepository,
    private readonly thinned: ThinnedDays,
  ) {}

  /**
   * The days to compare, without those that were thinned. A sample leaves out days that were compared within a cycle,
   * or never pulled; a question, those that were compared within a day.
   */
  async of(audit: AuditEntity, now: number): Promise<StreamDays[]> {
    const streams = (await this.connected(audit)).map((stream) => {
      return { ...stream, days: closedDays(stream, audit, now), turn: 0 };
    });
    const comparable = await this.thinned.without(audit.account_id, streams);
    return audit.origin === 'request' ? comparable : this.due(audit, comparable, now);
  }

  private async connected({ account_id, resource }: AuditEntity): Promise<AuditStream[]> {
    const connected = (await this.connections.list(account_id)).filter(isSteadySource);
    const sources = new Set(connected.map(({ provider }) => provider));
    const streams = await this.streams.list(account_id);
    return streams.filter((stream) => {
      if (!sources.has(stream.provider) || !coveredResources.includes(stream.resource)) return false;
      return resource === '' || resource === stream.resource;
    });
  }

  private async due(audit: AuditEntity, streams: readonly StreamDays[], now: number): Promise<StreamDays[]> {
    const { account_id: account, first_day: firstDay } = audit;
    const cycleMs = audit.origin === 'question' ? DAY_MS : this.cycle.lengthMs;
    const rows = await this.audits.proofs({ account, firstDay });
    const looks = groupedBy(rows, ({ resource, provider }) => `${resource} ${provider}`);
    const pulled = (await this.coverage.list(account)).filter(({ state }) => state !== 'fresh');
    const recoveries = await this.cycle.recoveredSince(now - cycleMs);
    return streams.flatMap((stream) => {
      const { resource, provider } = stream;
      const own = looks.get(`${resource} ${provider}`) ?? [];
      const lookedAt = new Map(own.map((row) => [row.day, row.looked_at]));
      const mostObjects = own.reduce<number | undefined>((most = 0, row) => Math.max(most, row.objects), undefined);
      const isOwn = (row: AuditStream): boolean =>
        row.resource === resource && (row.provider === provider || row.provider === '');
      const ranges = pulled.filter(isOwn);
      const recovered = recoveries.filter(({ resources }) => resources.includes(resource));
      const covered = stream.days.filter((day) => covers(ranges, rangeOfDay(day)));
      const turns = groupedBy(covered, (day) => turnOf({ day, lookedAt: lookedAt.get(day), cycleMs, now, recovered }));
      return [...turns].flatMap(([turn, days]) => (turn === null ? [] : [{ ...stream, days, turn, mostObjects }]));
    });
  }
}
