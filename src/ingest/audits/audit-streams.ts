import { Injectable } from '@nestjs/common';
import { ConnectionsService, isSteadySource } from '../../accounts/connections/connections.service.js';
import { coveredResources } from '../../health/catalogue/catalogue.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import type { AuditEntity } from './audit.entity.js';
import type { AuditStream } from './audit-plan.js';

/** What an audit compares: the pulled resources of the sources that are connected and not in error. */
@Injectable()
export class AuditStreams {
  constructor(
    private readonly streams: PullStreams,
    private readonly connections: ConnectionsService,
  ) {}

  async of({ account_id, resource }: Pick<AuditEntity, 'account_id' | 'resource'>): Promise<AuditStream[]> {
    const connected = (await this.connections.list(account_id)).filter(isSteadySource);
    const sources = new Set(connected.map(({ provider }) => provider));
    const streams = await this.streams.rows.list(account_id);
    return streams.filter((stream) => {
      if (!sources.has(stream.provider) || !coveredResources.includes(stream.resource)) return false;
      return resource === '' || resource === stream.resource;
    });
  }
}
