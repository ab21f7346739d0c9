import { Controller, Get, Param, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Credentials } from '../../http/auth/credentials.js';
import { ReadTurns } from '../../http/auth/read-turns.service.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiProblem } from '../../http/server/openapi.js';
import { everyResource, RouteIs } from '../../http/server/route-facts.js';
import { ExportService } from './export.service.js';
import { disposition, exportContent, exportDescription, type } from './export-content.js';

@ApiTags('accounts')
@ForOperators()
@Controller('admin/v1/accounts')
export class ExportController {
  constructor(
    private readonly exports: ExportService,
    private readonly credentials: Credentials,
    private readonly turns: ReadTurns,
  ) {}

  @Get(':account_id/export')
  @RouteIs({ shows: everyResource, fromReplica: true })
  @Role('reader')
  @ApiOperation({ summary: 'Export all data of a person as a stream of JSON lines' })
  @ApiOkResponse({ content: exportContent, description: exportDescription })
  @ApiProblem('invalid_request', 'not_found', 'account_erased')
  async exportAccount(
    @Param() { account_id }: AccountPath,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const stream = await this.exports.open(
      account_id,
      (lines) => this.turns.each(reply, lines),
      () => this.credentials.assertUnchanged(reply.request),
    );
    return new StreamableFile(stream, { type, disposition });
  }
}
