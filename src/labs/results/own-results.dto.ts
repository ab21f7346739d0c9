import { OmitType } from '@nestjs/swagger';
import { ResultDto, toResultDto } from './results.dto.js';
import type { ResultRead } from './results.service.js';

/** A final result for the signed-in person; without versions, because earlier ones may be partial. */
export class OwnResultDto extends OmitType(ResultDto, ['order_id', 'versions', 'pdf_versions'] as const) {}

export function toOwnResultDto(id: string, read: ResultRead): OwnResultDto {
  const { versions: _, pdf_versions: __, ...shown } = toResultDto({ scope: 'transaction', id }, read);
  return shown;
}
