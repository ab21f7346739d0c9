import { Entity } from 'typeorm';
import { IntColumn, TextColumn, TextKey } from '../../storage/database/columns.js';

/** A report that was begun, with the secret of its names for accounts. */
@Entity('audit_reports')
export class AuditReportEntity {
  @TextKey() id: string;
  /** 32 random bytes, in hex. */
  @TextColumn() salt: string;
  @IntColumn() created_at: number;
}
