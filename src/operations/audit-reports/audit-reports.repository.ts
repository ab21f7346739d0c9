import { Injectable } from '@nestjs/common';
import { insertion } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { Tx } from '../../storage/database/tx.js';
import type { AuditReportEntity } from './audit-report.entity.js';

/** The audit_reports table. */
@Injectable()
export class AuditReportsRepository {
  constructor(private readonly reader: Reader) {}

  async insert(tx: Tx, report: AuditReportEntity): Promise<void> {
    const { row, values } = insertion({ ...report });
    await tx.execute(`INSERT INTO audit_reports ${row}`, values);
  }

  find(id: string): Promise<AuditReportEntity | null> {
    return this.reader.row('SELECT * FROM audit_reports WHERE id = ?', [id]);
  }
}
