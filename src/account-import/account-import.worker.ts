import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import { Loops } from '../work/loops.js';
import type { WorkerLoop, WorkOutcome } from '../work/worker-loop.js';
import type { AccountImportEntity } from './account-import.entity.js';
import { AccountImportTelemetry } from './account-import.telemetry.js';
import { ImportLeaseLost } from './account-imports.repository.js';
import { afterFailure } from './import-rules.js';
import { ImportSteps } from './import-steps.js';

/*
 * Takes the users of upstream over, one step of one import at a time.
 *
 *   (none)   --asked for-->      walk    the one import that runs, however often it is asked for
 *   walk     --page stored-->    walk    accounts, differences, seen users and the next offset in one transaction
 *   walk     --list has ended--> walk    once more from its beginning, when it did not stand still (import-walk.ts)
 *                            --> verify  when it stood still, or has been looked at often enough
 *   verify   --compared-->       verify  accounts the walk did not see, each asked for by itself
 *   verify   --no more-->        done
 *   any step --busy or down-->   same    later, after a growing pause, for as long as it takes
 *   any step --refused-->        failed  `error_code` says why; so does what stays unreadable
 *   done, failed --tidied-->     due_at null once the seen users are removed
 *
 * A crash leaves a lease and the place of the last step that was stored: when the lease ends, that step is taken again,
 * and what it stores twice is the same.
 */

const everyMs = 2_000;
/** Longer than a call without a hurry may take. */
const LEASE_MS = 300_000;

@Injectable()
export class AccountImportWorker {
  readonly loop: WorkerLoop;
  private readonly owner = newId();

  constructor(
    private readonly steps: ImportSteps,
    private readonly events: AccountImportTelemetry,
    private readonly clock: Clock,
    loops: Loops,
  ) {
    this.loop = loops.make('account-import', everyMs, (signal) => this.round(signal));
  }

  private async round(signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.now();
    const held = await this.steps.claim(this.owner, now, now + LEASE_MS);
    if (held === 'idle') return 'idle';
    if (held === 'taken') return 'skipped';
    try {
      const after = await this.steps.take(held, now, { priority: 'background', signal });
      this.events.stepped(held, after);
      return 'more';
    } catch (error) {
      return this.failed(held, error, signal);
    }
  }

  private async failed(held: AccountImportEntity, error: unknown, signal: AbortSignal): Promise<WorkOutcome> {
    const now = this.clock.now();
    if (error instanceof ImportLeaseLost) return 'skipped';
    if (signal.aborted) {
      await this.steps.defer(held, { dueAt: now, code: 'shutting_down', failures: held.failures });
      return 'idle';
    }
    if (!(error instanceof UpstreamError)) throw error;
    const reaction = afterFailure(error, held.failures);
    if (reaction.then === 'fail') {
      await this.steps.fail(held, reaction.code, now);
      this.events.failed(held, reaction.code, error);
      return 'more';
    }
    const { code, delayMs } = reaction;
    await this.steps.defer(held, { dueAt: now + delayMs, code, failures: held.failures + 1 });
    this.events.deferred(held, code, delayMs, error);
    return 'idle';
  }
}
