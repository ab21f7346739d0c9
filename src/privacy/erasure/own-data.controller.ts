import { Controller, Delete, Get, HttpCode, Res, StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { ReadTurns } from '../../http/auth/read-turns.service.js';
import { ApiProblem } from '../../http/server/openapi.js';
import { everyResource, RouteIs } from '../../http/server/route-facts.js';
import { AppDataConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import { ErasureService } from './erasure.service.js';
import { ErasureDto, toErasureDto } from './erasures.dto.js';
import { ExportService } from './export.service.js';
import { disposition, exportContent, exportDescription, type } from './export-content.js';

/** Routes by which a person handles all of their data; app stores require both. `APP_OWN_DATA` can refuse it. */
@ApiTags('me')
@ForApp()
@ApiProblem('forbidden', 'not_found')
@Controller('v1/me')
export class OwnDataController {
  constructor(
    private readonly erasures: ErasureService,
    private readonly exports: ExportService,
    private readonly config: AppDataConfig,
    private readonly turns: ReadTurns,
  ) {}

  @Delete()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Erase the signed-in person: all data here and the upstream user; the response is the receipt',
  })
  @ApiAcceptedResponse({ type: ErasureDto })
  async eraseMe(@OwnAccountId() accountId: string): Promise<ErasureDto> {
    this.assertAllowed('delete');
    return toErasureDto(await this.erasures.request(accountId, 'person'));
  }

  @Get('export')
  @RouteIs({ shows: everyResource })
  @ApiOperation({ summary: 'Export all data of the signed-in person as a stream of JSON lines' })
  @ApiOkResponse({ content: exportContent, description: exportDescription })
  @ApiProblem('account_erased')
  async exportMe(
    @OwnAccountId() accountId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    this.assertAllowed('export');
    // A token expires within minutes, so the stream it began is not cut off.
    const stream = await this.exports.open(
      accountId,
      (lines) => this.turns.each(reply, lines),
      () => Promise.resolve(),
    );
    return new StreamableFile(stream, { type, disposition });
  }

  private assertAllowed(act: 'export' | 'delete'): void {
    const { allowed } = this.config;
    if (allowed === 'all' || allowed === act) return;
    throw new AppError('forbidden', `This service does not let apps ${act} the data of a person (APP_OWN_DATA).`);
  }
}
