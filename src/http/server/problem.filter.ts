import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, CodedError, type ErrorCode, loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { bodyTooLarge } from './body-room.js';
import { bodyLimitOf } from './form-body.js';
import type { ProblemDto } from './openapi.js';
import { codeOfStatus, problemCodes } from './problem-codes.js';

export interface Problem {
  status: number;
  headers: Record<string, string>;
  body: ProblemDto;
}

/** Reason of an `unauthorized` if there were no credentials. */
export const noCredentials = 'missing';

/**
 * Converts any error to a response. Only our own errors are shown with their message, except internal ones. All others,
 * including the framework's, get the fixed sentence of their code, because their messages contain addresses, header
 * values and worse.
 */
export function toProblem(error: unknown, requestId: string): Problem {
  const code = codeOf(error);
  const { status, title } = problemCodes[code];
  const own = error instanceof CodedError && status !== 500 ? error : undefined;
  const headers: Record<string, string> = { 'content-type': 'application/problem+json' };
  if (own?.retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(own.retryAfterSeconds)));
  }
  if (code === 'unauthorized')
    headers['www-authenticate'] = challengeOf(own instanceof AppError ? own.reason : undefined);
  const body: ProblemDto = {
    type: `urn:pulsekeep:problem:${code}`,
    title,
    status,
    code,
    detail: own?.message || `${title}.`,
    request_id: requestId,
    ...(own?.fields?.length ? { errors: own.fields } : {}),
  };
  return { status, headers, body };
}

/** RFC 6750, section 3: names an error only if there were credentials. */
function challengeOf(reason: string | undefined): string {
  if (reason === undefined || reason === noCredentials) return 'Bearer';
  return `Bearer error="invalid_token", error_description="${reason}"`;
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof CodedError) return error.code;
  const status = frameworkStatus(error);
  if (status === undefined || status < 400 || status >= 500) return 'internal';
  return codeOfStatus[status] ?? 'invalid_request';
}

/** Nest wraps Fastify's 4xx errors; a route registered directly on Fastify gets them unwrapped. */
function frameworkStatus(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error)) return undefined;
  const { code, statusCode } = error;
  if (typeof code !== 'string' || !code.startsWith('FST_') || typeof statusCode !== 'number') return undefined;
  return statusCode;
}

/**
 * Anyone can cause these while a key set is unreadable. Refused credentials are logged once a minute
 * (auth/refusals.ts), and the key set is logged by its own telemetry.
 */
const loggedElsewhere: ErrorCode = 'verification_unavailable';

/** The only exception filter: responds with a problem, counts it, and logs those not caused by the client. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly problems;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.problems = metrics.counter('http_problems_total', 'Error responses by code', ['code']);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const isTooLarge = frameworkStatus(error) === 413;
    const problem = toProblem(isTooLarge ? bodyTooLarge(bodyLimitOf(request)) : error, request.id);
    this.problems.inc({ code: problem.body.code });
    if (problem.status >= 500 && problem.body.code !== loggedElsewhere) this.report(error, request, problem);
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    void reply.code(problem.status).headers(problem.headers).send(problem.body);
  }

  private report(error: unknown, request: FastifyRequest, problem: Problem): void {
    const described = loggable(error);
    this.log.event(
      'http.request_failed',
      {
        ...described,
        code: described.code ?? problem.body.code,
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: problem.status,
      },
      problem.status === 500 ? 'error' : 'warn',
    );
  }
}
