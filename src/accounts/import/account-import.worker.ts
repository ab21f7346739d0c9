import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { IMPORT_EVERY_MS } from '../erasure-guard/tuning.js';
import type { AccountImportEntity } from './account-import.entity.js';
import { AccountImportTelemetry } from './account-import.telemetry.js';
import { AccountImportsRepository } from './account-imports.repository.js';
import { importRetry, judgeImport } from './import-rules.js';
import { ImportSteps } from './import-steps.js';

/*
 * Imports upstream's users, one step at a time. Leases: work/leased-rows.ts.
 *
 *   (none)   --requested-->      walk    at most one import runs at a time
 *   walk     --page stored-->    walk    accounts, differences, seen users and the next offset in one transaction
 *   walk     --end of list-->    walk    again from the start, if the list changed (import-scan.ts)
 *                            --> verify  if it did not change, or after the last pass
 *   verify   --compared-->       verify  accounts missing from the list are looked up individually
 *   verify   --none left-->      done
 *   any step --busy or down-->   same    retried after a growing pause, for as long as it takes
 *   any step --refused-->        failed  see `error_code`; also if a response stays unreadable
 *   done, failed --tidied-->     due_at null once the seen users are deleted
 *
 * After a crash, the interrupted step is repeated when the lease ends. Repeating a step stores the same.
 */

@Injectable()
export class AccountImportWorker {
  readonly loop: WorkerLoop;

  constructor(
    imports: AccountImportsRepository,
    private readonly steps: ImportSteps,
    private readonly telemetry: AccountImportTelemetry,
    private readonly clock: Clock,
    workers: WorkerRegistry,
  ) {
    this.loop = workers.registerQueue({
      name: 'account-import',
      everyMs: IMPORT_EVERY_MS,
      batch: 1,
      rows: imports.rows,
      retry: importRetry,
      judge: judgeImport,
      handle: (held, signal) => this.step(held, signal),
      bury: (tx, held, code) => steps.bury(tx, held, code, clock.now()),
      deferred: (held, { code, delayMs }, error) => telemetry.deferred(held, code, delayMs, error),
      buried: (held, code, error) => telemetry.failed(held, code, error),
    });
  }

  private async step(held: AccountImportEntity, signal: AbortSignal): Promise<void> {
    const after = await this.steps.take(held, this.clock.now(), { priority: 'background', signal });
    this.telemetry.stepped(held, after);
  }
}
