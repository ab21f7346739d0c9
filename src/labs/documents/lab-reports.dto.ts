import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProperty, OmitType } from '@nestjs/swagger';
import { AccountPath } from '../../http/server/account-path.js';
import { UpstreamKey } from '../order-api/orders.query.js';
import { ParsingJobDetailDto, toParsingJobDetailDto } from './parsing-jobs.dto.js';
import type { ParsingJob } from './parsing-jobs.service.js';
import type { Uploaded } from './uploading.service.js';

export class OwnReportPath {
  @UpstreamKey('a parsing job') job_id: string;
}

export class ReportPath extends AccountPath {
  @UpstreamKey('a parsing job') job_id: string;
}

/** The parsing job of a lab report of one account. */
export class LabReportDto extends OmitType(ParsingJobDetailDto, ['account_id', 'order_id'] as const) {}

export class UploadedReportDto extends LabReportDto {
  @ApiProperty({ description: 'True if an earlier request with the key uploaded it.' }) replayed: boolean;
}

export function toLabReportDto(job: ParsingJob): LabReportDto {
  const { account_id: _, order_id: __, ...shown } = toParsingJobDetailDto(job);
  return shown;
}

export function toUploadedReportDto({ job, replayed }: Uploaded): UploadedReportDto {
  return { ...toLabReportDto(job), replayed };
}

/** Documents the form of a lab report. */
export function ApiReportForm(): MethodDecorator {
  return applyDecorators(
    ApiConsumes('multipart/form-data'),
    ApiBody({
      required: true,
      schema: {
        type: 'object',
        required: ['file'],
        additionalProperties: false,
        properties: {
          file: {
            type: 'array',
            minItems: 1,
            maxItems: 8,
            items: { type: 'string', format: 'binary' },
            description:
              'One PDF of at most 30 pages, or up to 8 JPEG or PNG images as pages in their order; 30 MiB together.',
          },
          needs_human_review: {
            type: 'boolean',
            default: false,
            description: 'True: a person at upstream checks what was read; is_reviewed of content turns true then.',
          },
        },
      },
    }),
  );
}
