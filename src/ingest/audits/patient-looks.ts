import { Injectable } from '@nestjs/common';
import type { Account } from '../../accounts/accounts/accounts.service.js';
import { describeError } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { classifyPatiently } from '../../storage/work/retry.js';
import type { AuditEntity } from './audit.entity.js';
import { type AuditLook, AuditLooks } from './audit-looks.js';
import type { AuditUnit } from './audit-plan.js';

/** Of a requested audit. A sample or question holds up others, and its days have their turn again. */
const MAX_TRIES = 5;

export interface PatientLook {
  /** Null if nothing is proven. */
  readonly look: AuditLook | null;
  readonly calls: number;
  /** For a reason of its own: it is left out. */
  readonly hasFailed: boolean;
}

/** Looks of audits. One that fails again and again, because of what it asks for, does not hold up the others. */
@Injectable()
export class PatientLooks {
  constructor(
    private readonly looks: AuditLooks,
    private readonly log: Log,
  ) {}

  /** Throws what concerns everybody, and what is to be tried again. */
  async compare(audit: AuditEntity, account: Account, unit: AuditUnit, signal: AbortSignal): Promise<PatientLook> {
    try {
      const look = await this.looks.compare(account, unit, signal);
      return { look, calls: look?.calls ?? 0, hasFailed: false };
    } catch (error) {
      if (signal.aborted || !isToBeLeftOut(audit, error)) throw error;
      const { provider, resource } = unit;
      const of = { account: account.id, provider, resource: resource.name, count: unit.days.length };
      this.log.event('sync.audit_look_failed', { ...of, ...describeError(error) }, 'warn');
      return { look: null, calls: 1, hasFailed: true };
    }
  }
}

function isToBeLeftOut({ origin, attempts, waits }: AuditEntity, error: unknown): boolean {
  const { then, code, everybody } = classifyPatiently(error);
  if (everybody || !(code.startsWith('upstream_') || code === 'internal')) return false;
  return then === 'final' || attempts + waits >= (origin === 'request' ? MAX_TRIES : 1);
}
