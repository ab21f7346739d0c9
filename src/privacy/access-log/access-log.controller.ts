import { Controller, Get, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Credentials } from '../../http/auth/credentials.js';
import { ApiProblem, Columns, pageSchema } from '../../http/server/openapi.js';
import { RouteIs } from '../../http/server/route-facts.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { AccessEntryDto, AccessLogQuery, toAccessEntryDto } from './access-log.dto.js';
import { AccessLogStream, type StreamFormat, streamFormats } from './access-log.stream.js';
import { AccessLogSearch } from './access-log-search.service.js';

const text = (example: string): object => ({ schema: { type: 'string', example } });

@ApiTags('access-log')
@ForOperators()
@Controller('admin/v1/access-log')
export class AccessLogController {
  constructor(
    private readonly search: AccessLogSearch,
    private readonly stream: AccessLogStream,
    private readonly credentials: Credentials,
  ) {}

  @Get()
  @Role('operator')
  @RouteIs({ fromReplica: true })
  @ApiOperation({
    summary: 'Access log, newest first; reading it is recorded too',
    description:
      'With `Accept: application/x-ndjson` or `text/csv`: every matching entry up to the current end of the log, ' +
      'oldest first, without `cursor` and `limit`. If the connection drops, entries are missing. In CSV, text that ' +
      'a spreadsheet would run as a formula begins with an apostrophe.',
  })
  @ApiHeader({ name: 'accept', required: false, description: 'One of the types of the response; default JSON pages.' })
  @ApiExtraModels(AccessEntryDto)
  @ApiOkResponse({
    content: {
      'application/json': { schema: pageSchema({}, AccessEntryDto) },
      'application/x-ndjson': text('{"seq":1,"at":"2026-11-20T12:00:00.000Z","actor":"support",...}\n'),
      'text/csv': text('seq,at,actor,...\r\n1,2026-11-20T12:00:00.000Z,support,...\r\n'),
    },
  })
  @ApiProblem('invalid_request', 'not_found')
  @Columns(
    'at',
    'actor',
    'action',
    'status',
    'account_id',
    'account_ref',
    'resource',
    'window_start',
    'window_end',
    'reason',
  )
  async listAccessLog(
    @Query() { cursor, limit, ...question }: AccessLogQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Page<AccessEntryDto> | StreamableFile> {
    const { request } = reply;
    const format = formatOf(request.headers.accept);
    if (format) this.stream.refusePages(cursor, limit);
    const filter = await this.search.filterOf(question);
    if (!format) return mapPage(await this.search.list(filter, cursor, limit), toAccessEntryDto);
    const disposition = `attachment; filename="access-log.${format.extension}"`;
    const lines = await this.stream.open(filter, format, reply, () => this.credentials.assertUnchanged(request));
    return new StreamableFile(lines, { type: format.type, disposition });
  }
}

/** The first stream format that the caller accepts by name. */
function formatOf(accept = ''): StreamFormat | undefined {
  const types = accept.split(',').map((part) => part.split(';')[0]?.trim().toLowerCase());
  return streamFormats.find(({ type }) => types.includes(type));
}
