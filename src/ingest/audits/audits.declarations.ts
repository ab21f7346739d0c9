import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { waitingByError } from '../../storage/work/leased-rows.js';
import { AuditEntity, DayProofEntity } from './audit.entity.js';

/** Days that differ through a fault of this program, or did until they were repaired in the last 24 hours. */
const faults = `FROM day_proofs WHERE cause IN ('mapping', 'lost') AND looked_at >= :lately
  AND (state <> 'proven' OR looked_at >= :day)`;

export const auditsDeclarations: RoomDeclarations = {
  entities: [AuditEntity, DayProofEntity],
  personal: [
    personalRows(DayProofEntity, byAccount, {
      as: 'day_proof',
      json: ['fields'],
      without: ['audit_id', 'task_id', 'looks', 'look_due_at'],
    }),
    personalRows(AuditEntity, byAccount, { as: 'audit', without: [...leaseColumns, 'place'] }),
  ],
  figures: {
    audit_faults: `SELECT COUNT(*) ${faults}`,
    audit_faults_since: `SELECT MIN(looked_at) ${faults}`,
    audit_days_different: `SELECT COUNT(*) FROM day_proofs WHERE state <> 'proven' AND state = 'different'`,
    audit_days_held: `SELECT COUNT(*) FROM day_proofs WHERE state <> 'proven' AND state = 'held'`,
  },
  waiting: {
    audit: waitingByError('audits'),
  },
  gauges: [
    {
      name: 'audit_findings',
      help: 'Days that audits found different from upstream, or hold for an operator',
      label: 'state',
      figures: { different: 'audit_days_different', held: 'audit_days_held' },
    },
  ],
  ended: [
    {
      table: 'audits',
      key: 'id',
      madeAt: 'created_at',
      // The last one of an account decides when it is due again.
      ended: `r.finished_at < :before AND r.id < (SELECT MAX(a.id) FROM audits a WHERE a.account_id = r.account_id)`,
    },
  ],
  // As text, because what a path names may be no number, and PostgreSQL would refuse it.
  auditNumbers: { audit: 'SELECT account_id AS account FROM audits WHERE id = ?' },
};
