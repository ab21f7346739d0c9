import { Controller, Get, Param, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Credentials } from '../../http/auth/credentials.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiProblem } from '../../http/server/openapi.js';
import { ExportService } from './export.service.js';

const type = 'application/x-ndjson';
const disposition = 'attachment; filename="export.ndjson"';

const example =
  '{"type":"header","account_id":"customer-1","exported_at":"2026-11-20T12:00:00.000Z","version":"0.9.0"}\n';

const description = `One JSON object per line: {"type":"header","account_id","exported_at","version"}, then {"type","data"}
for each stored row, then {"type":"footer","counts"} with the number of each type. Without the footer the export is
incomplete. Records look as in the list of records. A message has its body as text, or as base64 if it is not UTF-8.
Other types are named after their tables.`;

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/accounts')
export class ExportController {
  constructor(
    private readonly exports: ExportService,
    private readonly credentials: Credentials,
  ) {}

  @Get(':account_id/export')
  @Role('reader')
  @ApiOperation({ summary: 'Export all data of a person as a stream of JSON lines' })
  @ApiOkResponse({
    content: { [type]: { schema: { type: 'string', example } } },
    description: description.replaceAll('\n', ' '),
  })
  @ApiProblem('invalid_request', 'not_found', 'account_erased')
  async exportAccount(
    @Param() { account_id }: AccountPath,
    @Res({ passthrough: true }) { request }: FastifyReply,
  ): Promise<StreamableFile> {
    const stream = await this.exports.open(account_id, () => this.credentials.assertUnchanged(request));
    return new StreamableFile(stream, { type, disposition });
  }
}
