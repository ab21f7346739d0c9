import { Injectable } from '@nestjs/common';
import type { Records } from '../../health/catalogue/records.js';
import { HealthDataService, type ShownRecords } from '../../health/records/health-data.service.js';
import { type MessageRecords, RejectedRecords } from '../../health/records/rejected-records.service.js';
import type { ChangeOrigin } from '../../storage/change-log/change.js';
import type { Tx } from '../../storage/database/tx.js';
import { PullRequests } from '../pulls/pull-requests.service.js';
import { PullStreams } from '../streams/pull-streams.service.js';

interface ShownByMessage extends MessageRecords {
  readonly origin: ChangeOrigin;
}

@Injectable()
export class MessageRecordStore {
  constructor(
    private readonly healthData: HealthDataService,
    private readonly pulls: PullRequests,
    private readonly streams: PullStreams,
    private readonly rejected: RejectedRecords,
  ) {}

  /**
   * Stores the records of messages, with the same result as one message after another. Writes a sample that contradicts
   * a stored one, but requests a pull of its range, because a late retry looks like new data.
   */
  async store(tx: Tx, messages: readonly ShownByMessage[]): Promise<void> {
    await this.rejected.ofMessages(tx, messages);
    const shown = messages.map(({ account, seq, at, records, origin }): ShownRecords => {
      return { account, records, origin, provenance: { kind: 'message', ref: seq, at } };
    });
    const applied = await this.healthData.applyTogether(tx, shown);
    for (const [index, { conflicts, newSources }] of applied.entries()) {
      const { account, records } = messages[index] as MessageRecords;
      const { name } = records.resource;
      if (conflicts.length > 0) await this.pulls.requestRefetch(tx, account, name, conflicts);
      for (const provider of newSources) await this.streams.sourceSeen(tx, account, provider, name);
    }
    await this.healthData.noteDeliveries(tx, receiptsOf(messages));
  }
}

/** Receipt time of the last data, by provider. */
function receiptsOf(messages: readonly MessageRecords[]): ReadonlyMap<string, number> {
  const receipts = new Map<string, number>();
  for (const { at, records } of messages) {
    for (const provider of providersOf(records)) receipts.set(provider, Math.max(at, receipts.get(provider) ?? 0));
  }
  return receipts;
}

function providersOf({ samples, summaries }: Records): string[] {
  return [...samples.map(({ key }) => key.provider), ...summaries.map(({ provider }) => provider)];
}
