import { Controller, Get, Headers, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { AccessEntryDto, AccessLogQuery, toAccessEntryDto } from './access-log.dto.js';
import { AccessLog } from './access-log.service.js';
import { AccessLogStream } from './access-log.stream.js';

const lines = 'application/x-ndjson';
const disposition = 'attachment; filename="access-log.ndjson"';
const exampleLine = '{"seq":1,"at":"2026-11-20T12:00:00.000Z","actor":"support",...}\n';

@ApiTags('access-log')
@ForOperators()
@Controller('admin/v1/access-log')
export class AccessLogController {
  constructor(
    private readonly log: AccessLog,
    private readonly stream: AccessLogStream,
  ) {}

  @Get()
  @Role('operator')
  @ApiOperation({
    summary: 'Who did or read what about whom, newest first; reading it is recorded too',
    description:
      'With `Accept: application/x-ndjson` every entry that fits, oldest first and up to the newest at that time, as a ' +
      'line of JSON each, without `cursor` and `limit`. A connection that is cut means that lines are missing.',
  })
  @ApiPage(AccessEntryDto)
  @ApiOkResponse({ content: { [lines]: { schema: { type: 'string', example: exampleLine } } } })
  @ApiProblem('invalid_request')
  async list(
    @Query() { account_id, ...query }: AccessLogQuery,
    @Headers('accept') accept?: string,
  ): Promise<Page<AccessEntryDto> | StreamableFile> {
    const filter = { ...query, accountId: account_id };
    if (!asksForLines(accept)) return mapPage(await this.log.list(filter), toAccessEntryDto);
    return new StreamableFile(await this.stream.open(filter), { type: lines, disposition });
  }
}

function asksForLines(accept = ''): boolean {
  return accept.split(',').some((part) => part.split(';')[0]?.trim().toLowerCase() === lines);
}
