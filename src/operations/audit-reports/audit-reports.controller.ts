import { Controller, Get, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Credentials } from '../../http/auth/credentials.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiProblem } from '../../http/server/openapi.js';
import { AuditRefDto, AuditRefQuery, AuditReportQuery, ReportedAuditPath } from './audit-reports.dto.js';
import { AuditReports, type ReportQuestion } from './audit-reports.service.js';

const type = 'application/x-ndjson';
const example = '{"account_ref":"ZsJbU0xkZcUgbjOlbmeqIg","day":"2026-11-02",...}\n{"report":"eyJhbGciOi..."}\n';

@ApiTags('audit')
@ForOperators()
@Controller('admin/v1')
export class AuditReportsController {
  constructor(
    private readonly reports: AuditReports,
    private readonly credentials: Credentials,
  ) {}

  @Get('audit-report')
  @Role('operator')
  @ApiOperation({
    summary: 'Get a signed report about proven days, without values or ids',
    description:
      'A line for each proven day, then one with the signed head, whose Merkle root covers the lines. A report ' +
      'without the last line is incomplete. Each call makes a new report with new names for the accounts.',
  })
  @ApiOkResponse({ content: { [type]: { schema: { type: 'string', example } } } })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async signAuditReport(
    @Query() question: AuditReportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.stream(question, reply);
  }

  @Get('audits/:audit_id/report')
  @Role('operator')
  @ApiOperation({
    summary: 'Get a signed report about the days of an audit, in their current state',
    description: 'Same as `GET /admin/v1/audit-report` with the account, resource and days of the audit.',
  })
  @ApiParam({ name: 'audit_id', type: 'integer' })
  @ApiOkResponse({ content: { [type]: { schema: { type: 'string', example } } } })
  @ApiProblem('invalid_request', 'not_found', 'conflict')
  async signReportOfAudit(
    @Param() { audit_id }: ReportedAuditPath,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.stream(await this.reports.questionOf(audit_id), reply);
  }

  @Get('accounts/:account_id/audit-ref')
  @Role('operator')
  @ApiOperation({ summary: 'Get the name of an account in signed reports' })
  @ApiOkResponse({ type: AuditRefDto })
  @ApiProblem('invalid_request', 'not_found')
  async getAuditRef(@Param() { account_id }: AccountPath, @Query() { report_id }: AuditRefQuery): Promise<AuditRefDto> {
    return { report_id, account_ref: await this.reports.refOf(account_id, report_id) };
  }

  private async stream(question: ReportQuestion, reply: FastifyReply): Promise<StreamableFile> {
    const mayGoOn = (): Promise<void> => this.credentials.assertUnchanged(reply.request);
    const lines = await this.reports.open(question, reply, mayGoOn);
    return new StreamableFile(lines, { type, disposition: 'attachment; filename="audit-report.ndjson"' });
  }
}
