import { Injectable } from '@nestjs/common';
import { AuditConfig } from '../../platform/config/config.js';
import type { SigningKey } from '../../platform/config/signing-keys.js';
import { AppError } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { DAY_MS, startOfDate } from '../../platform/platform/time.js';
import { AccessLog } from '../../privacy/access-log/access-log.service.js';
import { type Head, signHead } from './audit-report.js';

/** Signs the heads of reports. */
@Injectable()
export class AuditReportSigner {
  constructor(
    private readonly config: AuditConfig,
    private readonly log: AccessLog,
  ) {}

  /** Throws `conflict` if none is configured. */
  key(): SigningKey {
    const key = this.config.reportKeys?.current;
    if (!key) {
      const make = '`openssl genpkey -algorithm ed25519` makes a key';
      throw new AppError('conflict', `AUDIT_REPORT_KEYS is not set, so reports cannot be signed: ${make}.`);
    }
    return key;
  }

  /** The chain of the access log shows later that this report was signed then, and no other one by this id. */
  async sign(signed: Head, key: SigningKey): Promise<string> {
    const { report_id, leaves, root, ...head } = signed;
    await this.log.record({
      ...{ actor: 'system', role: null, action: 'sign a report of audits', account_ref: null },
      target: `audit_report:${report_id} leaves:${leaves} root:${root}`,
      resource: head.resource,
      window_start: startOfDate(head.first_day),
      window_end: startOfDate(head.last_day) + DAY_MS,
      ...{ address: null, request_id: newId(), status: 200, reason: null },
    });
    return signHead(signed, key);
  }
}
