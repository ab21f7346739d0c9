import { Injectable } from '@nestjs/common';
import { IdempotencyKeys } from '../../storage/work/idempotency-keys.js';
import { LabReportUploadEntity } from './lab-report-upload.entity.js';

/** The lab_report_uploads table. */
@Injectable()
export class UploadKeysRepository {
  readonly keys = new IdempotencyKeys(LabReportUploadEntity);
}
