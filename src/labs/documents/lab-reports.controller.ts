import { applyDecorators, Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ensureProblems } from '../../accounts/accounts/accounts.service.js';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { AccountPath } from '../../http/server/account-path.js';
import { ApiIdempotencyKey, IdempotencyKey } from '../../http/server/idempotency-key.js';
import type { OpenFields } from '../../http/server/open-body.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { labResults, RouteIs } from '../../http/server/route-facts.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { ApiOkOrFhir, acceptsFhir, asFhir, varies } from '../fhir/fhir-answer.js';
import type { Bundle } from '../fhir/fhir-resources.js';
import {
  ApiReportForm,
  LabReportDto,
  OwnReportPath,
  ReportPath,
  toLabReportDto,
  toUploadedReportDto,
  UploadedReportDto,
} from './lab-reports.dto.js';
import { type ParsingJob, ParsingJobs } from './parsing-jobs.service.js';
import { reportBundle } from './report-bundle.js';
import { readReport } from './report-files.js';
import { UploadingService } from './uploading.service.js';

const UploadReport = (whose: string): MethodDecorator =>
  applyDecorators(
    Post('lab-reports'),
    RouteIs({ takesForm: true }),
    HttpCode(202),
    ApiOperation({
      summary: `Upload a lab report of ${whose} to upstream's parser (in beta at upstream)`,
      description:
        'For a document that exists already, without an order. Type, size and pages are checked before anything is ' +
        'sent; the file is not stored. The response has the job, which takes upstream some minutes: read it ' +
        'until its status is completed or failed. What the parser read is a suggestion, and not verified.',
    }),
    ApiIdempotencyKey('A new uuid per report. A repeat with the same key and files returns the job of the first call.'),
    ApiReportForm(),
    ApiAcceptedResponse({ type: UploadedReportDto }),
    ApiProblem(
      'invalid_request',
      'idempotency_key_required',
      'idempotency_key_reused',
      'conflict',
      'payload_too_large',
      'unsupported_media_type',
      'upstream_invalid_request',
      ...ensureProblems,
      ...upstreamFailures,
    ),
  );

const GetReport = (whose: string): MethodDecorator =>
  applyDecorators(
    Get('lab-reports/:job_id'),
    RouteIs({ shows: labResults }),
    ApiOperation({ summary: `Get the parsing job of a lab report of ${whose}` }),
    ApiOkOrFhir(LabReportDto),
    ApiProblem('invalid_request', 'not_found'),
  );

@ApiTags('labs')
@ForApp()
@Controller('v1/me')
export class OwnLabReportsController {
  constructor(
    private readonly uploading: UploadingService,
    private readonly jobs: ParsingJobs,
    private readonly clock: Clock,
  ) {}

  @UploadReport('the signed-in person')
  @RouteIs({ limit: 'results' })
  async uploadMyLabReport(
    @OwnAccountId() accountId: string,
    @IdempotencyKey() key: string,
    @Body() form: OpenFields,
  ): Promise<UploadedReportDto> {
    return toUploadedReportDto(await this.uploading.upload(accountId, key, readReport(form)));
  }

  @GetReport('the signed-in person')
  async getMyLabReport(
    @OwnAccountId() accountId: string,
    @Param() { job_id }: OwnReportPath,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LabReportDto | Bundle> {
    return answered(reply, ofAccount(await this.jobs.get(job_id), accountId), this.clock.now());
  }
}

@ApiTags('backend')
@ForOperators()
@Controller('v1/accounts/:account_id')
export class LabReportsController {
  constructor(
    private readonly uploading: UploadingService,
    private readonly jobs: ParsingJobs,
    private readonly clock: Clock,
  ) {}

  @UploadReport('an account')
  @Role('operator', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  async uploadLabReport(
    @Param() { account_id }: AccountPath,
    @IdempotencyKey() key: string,
    @Body() form: OpenFields,
  ): Promise<UploadedReportDto> {
    return toUploadedReportDto(await this.uploading.uploadFor(account_id, key, readReport(form)));
  }

  @GetReport('an account')
  @Role('reader', 'backend')
  async getLabReport(
    @Param() { account_id, job_id }: ReportPath,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LabReportDto | Bundle> {
    return answered(reply, ofAccount(await this.jobs.get(job_id), account_id), this.clock.now());
  }
}

function answered(reply: FastifyReply, job: ParsingJob, now: number): LabReportDto | Bundle {
  varies(reply);
  return acceptsFhir(reply.request.headers.accept) ? asFhir(reply, reportBundle(job, now)) : toLabReportDto(job);
}

function ofAccount(job: ParsingJob, externalId: string): ParsingJob {
  if (job.external_id !== externalId) throw new AppError('not_found', 'There is no such parsing job.');
  return job;
}
