import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import type { WorkerLoop } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import type { AccountImportEntity } from './account-import.entity.js';
import { AccountImportTelemetry } from './account-import.telemetry.js';
import { AccountImportsRepository } from './account-imports.repository.js';
import { importRetry, judgeImport } from './import-rules.js';
import { ImportSteps } from './import-steps.js';

/*
 * Takes the users of upstream over, one step of one import at a time. Leases: work/leased-rows.ts.
 *
 *   (none)   --requested-->      walk    the one import that runs, however often it is requested
 *   walk     --page stored-->    walk    accounts, differences, seen users and the next offset in one transaction
 *   walk     --list has ended--> walk    once more from its beginning, if the list changed (import-scan.ts)
 *                            --> verify  if it did not change, or was read often enough
 *   verify   --compared-->       verify  accounts the scan did not see, each requested separately
 *   verify   --no more-->        done
 *   any step --busy or down-->   same    later, after a growing pause, for as long as it takes
 *   any step --refused-->        failed  see `error_code`; also if a response stays unreadable
 *   done, failed --tidied-->     due_at null once the seen users are removed
 *
 * A crash leaves a lease and the place of the last step that was stored: when the lease ends, that step is taken again,
 * and what it stores twice is the same.
 */

const everyMs = 2_000;

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
      everyMs,
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
