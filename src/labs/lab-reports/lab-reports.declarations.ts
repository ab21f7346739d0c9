import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { LabReportUploadEntity } from './lab-report-upload.entity.js';

export const labReportsDeclarations: RoomDeclarations = {
  entities: [LabReportUploadEntity],
  personal: [
    personalRows(LabReportUploadEntity, byAccount, {
      as: 'lab_report_upload',
      without: [...leaseColumns, 'key_digest', 'fingerprint', 'salt'],
    }),
  ],
};
