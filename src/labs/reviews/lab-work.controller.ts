import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem, Columns } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { decodeCursor, mapPage, type Page, pageOf } from '../../platform/platform/paging.js';
import { LabWorkDto, LabWorkQuery, toLabWorkDto } from './lab-work.dto.js';
import { LabWorkReader } from './lab-work.reader.js';

@ApiTags('orders')
@ForOperators()
@Controller('admin/v1/lab-work')
export class LabWorkController {
  constructor(private readonly work: LabWorkReader) {}

  @Get()
  @Role('viewer', 'backend')
  @RouteIs({ fromReplica: true })
  @ApiOperation({
    summary: 'Open work of the clinic on lab orders, most urgent first, then oldest first',
    description:
      'Patients to notify (critical results, then new draws that are needed), draws to book, unmatched results to decide ' +
      'about, samples and kits to replace, and results to chase. An item leaves the list when it is done.',
  })
  @ApiPage(LabWorkDto)
  @ApiProblem('invalid_request')
  @Columns('kind', 'reason', 'since', 'account_id', 'lab_test_name', 'order_id', 'action')
  async listLabWork(@Query() { kind, account_id, cursor, limit }: LabWorkQuery): Promise<Page<LabWorkDto>> {
    const after = cursor === undefined ? null : decodeCursor(cursor, ['number', 'number', 'string']);
    const rows = await this.work.page({ kind, externalId: account_id, after, limit: limit + 1 });
    return mapPage(
      pageOf(rows, limit, ({ rank, since, id }) => [rank, since, id]),
      toLabWorkDto,
    );
  }
}
