import { OmitType } from '@nestjs/swagger';
import { ResultDto, toResultDto } from './results.dto.js';
import type { ResultRead } from './results.service.js';

/** A final result for its person: without versions, because some may have been partial. */
export class OwnResultDto extends OmitType(ResultDto, ['order_id', 'versions', 'pdf_versions'] as const) {}

export function toOwnResultDto(id: string, read: ResultRead): OwnResultDto {
  const { versions: _, pdf_versions: __, ...shown } = toResultDto({ scope: 'transaction', id }, read);
  return shown;
}
