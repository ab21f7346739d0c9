import { Injectable } from '@nestjs/common';
import { listedDataTypes } from '../../health/priorities/priority-rule.js';
import { type ReadPriorities, SourcePriorities } from '../../health/priorities/source-priorities.service.js';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { classifyPatiently } from '../../storage/work/retry.js';
import { type Walk, Walks } from '../../storage/work/walks.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import { SOURCE_PRIORITIES_CALL_MS, SOURCE_PRIORITIES_EVERY_MS } from '../streams/tuning.js';

/*
 * Reads upstream's source priorities once a day, with one call per data type, and stores all lists in one transaction.
 * After a failure, the previous lists stay in use. After a refusal, the next attempt is a day later. A crash only
 * repeats the calls. Leases: work/leased-rows.ts.
 */

const retry = { pause: { baseMs: 60_000, capMs: 60 * 60_000, factor: 2, jitter: 0.2 }, mostAttempts: 5 };

@Injectable()
export class SourcePrioritiesWorker {
  readonly loop: WorkerLoop;

  constructor(
    private readonly upstream: UpstreamClient,
    private readonly priorities: SourcePriorities,
    private readonly walks: Walks,
    private readonly lane: WriteLane,
    log: Log,
    workers: WorkerRegistry,
  ) {
    const deferred = (code: string, delay_ms: number, error: unknown): void => {
      log.event('sync.priorities_deferred', { ...loggable(error), code, delay_ms }, 'warn');
    };
    this.loop = workers.registerQueue({
      name: 'source-priorities',
      everyMs: SOURCE_PRIORITIES_EVERY_MS,
      batch: 1,
      rows: walks.rows,
      only: walks.only('source_priorities'),
      retry,
      judge: classifyPatiently,
      handle: (held, signal) => this.read(held, signal),
      bury: (tx, held, code) => walks.finish(tx, held, tx.now + DAY_MS, { error_code: code }),
      deferred: (_held, { code, delayMs }, error) => deferred(code, delayMs, error),
      buried: (_held, code, error) => deferred(code, DAY_MS, error),
    });
  }

  private async read(held: Walk, signal: AbortSignal): Promise<void> {
    const options = { priority: 'background', signal, deadlineMs: SOURCE_PRIORITIES_CALL_MS } as const;
    const lists: ReadPriorities[] = [];
    for (const dataType of listedDataTypes) {
      lists.push({ dataType, ...(await this.upstream.sourcePriorities(dataType, options)) });
    }
    await this.lane.run(async (tx) => {
      for (const list of lists) await this.priorities.keep(tx, list);
      await this.walks.finish(tx, held, tx.now + DAY_MS);
    });
  }
}
