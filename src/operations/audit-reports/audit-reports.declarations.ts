import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { AuditReportEntity } from './audit-report.entity.js';

export const auditReportsDeclarations: RoomDeclarations = {
  entities: [AuditReportEntity],
  kept: { audit_reports: 'salts of the names that reports have for accounts; no personal data' },
};
