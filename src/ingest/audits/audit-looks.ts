import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ConnectionsService } from '../../accounts/connections/connections.service.js';
import { isWhole } from '../../health/catalogue/catalogue.js';
import type { RecordRead, RecordsQuery } from '../../health/reads/stored-record.js';
import { StoredRecords } from '../../health/reads/stored-records.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { mapInTurns, yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { DAY_MS, startOfDate } from '../../platform/platform/time.js';
import { Reader } from '../../storage/database/reader.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { type CallOptions } from '../../upstream/transport/call.js';
import { AUDIT_CALL_MS, MAX_STORED_A_READ } from '../streams/tuning.js';
import { type AuditUnit, windowOf } from './audit-plan.js';
import type { CanonicalObject } from './canonical-object.js';
import { type ComparedDay, compareDays } from './day-comparison.js';
import { storedObjects } from './stored-objects.js';
import { onceEach, wireObjects } from './wire-objects.js';

/** Days of a source as upstream shows them and as they are stored. */
export interface AuditLook {
  readonly lookedAt: number;
  readonly calls: number;
  readonly days: readonly ComparedDay[];
}

interface StoredObject {
  readonly object: CanonicalObject;
  /** When it was last seen; epoch milliseconds. */
  readonly seenAt: number;
}

/** Upstream's pages are opaque; an answer with more never ends. */
const MAX_PAGES = 10_000;

/** Compares days with upstream. Reads a complete window, and writes nothing. */
@Injectable()
export class AuditLooks {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly accounts: AccountsService,
    private readonly connections: ConnectionsService,
    private readonly records: StoredRecords,
    private readonly reader: Reader,
    private readonly clock: Clock,
  ) {}

  /**
   * Null if the source or its upstream user changed during the look, or the source is not connected or in error: then
   * nothing is proven. A stored record that was last seen before the source was connected, or before the account had
   * its present upstream user, counts only if upstream shows it, as when deletions are judged. Throws `UpstreamError`,
   * or the signal's reason.
   */
  async compare(account: Account, unit: AuditUnit, signal: AbortSignal): Promise<AuditLook | null> {
    const lookedAt = this.clock.now();
    const before = await this.connections.steady(this.reader, account.id, unit.provider);
    if (before === null || account.upstream_user_id === null) return null;
    const options = { priority: 'bulk', account: account.id, signal, deadlineMs: AUDIT_CALL_MS } as const;
    const { wire, calls } = await this.wire(account.upstream_user_id, unit, options);
    const texts = new Set(wire.map(({ text }) => text));
    const judgedFrom = Math.max(account.relinked_at ?? 0, before.connectedAt ?? 0);
    const stored = (await this.stored(account.id, unit)).flatMap(({ object, seenAt }) =>
      seenAt >= judgedFrom || texts.has(object.text) ? [object] : [],
    );
    const after = await this.connections.steady(this.reader, account.id, unit.provider);
    const user = (await this.accounts.findById(account.id))?.upstream_user_id;
    if (after?.lastChange !== before.lastChange || user !== account.upstream_user_id) return null;
    const days = compareDays(unit.resource, unit.provider, unit.days, { wire, stored });
    return { lookedAt, calls, days };
  }

  private async wire(
    userId: string,
    { resource, provider, ...unit }: AuditUnit,
    options: CallOptions,
  ): Promise<{ wire: CanonicalObject[]; calls: number }> {
    const { name: path, responseKey, dateOnly } = resource;
    const window = windowOf({ resource, provider, ...unit });
    if (isWhole(resource)) {
      const query = { userId, path, responseKey, dateOnly, provider, ...window };
      const answer = await this.upstream.summaryAnswer(query, options);
      return { wire: wireObjects(resource, [answer]), calls: 1 };
    }
    const objects: CanonicalObject[] = [];
    let cursor: string | null = null;
    for (let calls = 1; calls <= MAX_PAGES; calls++) {
      const query = { ...window, provider, cursor };
      const page = await this.upstream.timeseriesAnswer(userId, path, query, options);
      for (const one of wireObjects(resource, [page.answer])) objects.push(one);
      await yieldToEventLoop();
      if (page.nextCursor === null) return { wire: onceEach(objects), calls };
      if (page.nextCursor === cursor) break;
      cursor = page.nextCursor;
    }
    throw new AppError('upstream_contract', 'The pages of upstream repeat or never end.');
  }

  private async stored(account: number, { resource, provider, days }: AuditUnit): Promise<StoredObject[]> {
    const [first = '', last = ''] = [days[0], days.at(-1)];
    const range = { start: startOfDate(first), end: startOfDate(last) + DAY_MS };
    const query = { account, resource, provider, sourceType: null, ...range, limit: MAX_STORED_A_READ };
    const rebuild = storedObjects(resource);
    const objects: StoredObject[] = [];
    for (let after: RecordsQuery['after'] = null; ; ) {
      const records = await this.records.list({ ...query, after });
      const rebuilt = await mapInTurns(records, (record): StoredObject => {
        return { object: rebuild(record), seenAt: record.provenance.observedAt };
      });
      for (const one of rebuilt) objects.push(one);
      const newest = records.at(-1);
      if (!newest || records.length < MAX_STORED_A_READ) return objects;
      after = placeOf(newest);
    }
  }
}

function placeOf(record: RecordRead): NonNullable<RecordsQuery['after']> {
  if (record.kind === 'summary') return [record.time, record.summaryId];
  return [record.time, record.seriesId, record.sibling];
}
