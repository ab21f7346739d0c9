import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../../http/auth/caller.js';
import { callerAddress } from '../../http/server/caller-address.js';
import { AccessLog } from './access-log.service.js';
import { isRecorded, shownBy, type Target, targetsOf, targetText } from './audit-policy.js';
import { SubjectReader } from './subject.reader.js';

type Fields = Readonly<Record<string, unknown>>;

/** Records requests in the access log. */
@Injectable()
export class RequestRecorder {
  constructor(
    private readonly log: AccessLog,
    private readonly about: SubjectReader,
  ) {}

  /** True if the response to this request must be recorded before it is sent. */
  concerns(request: FastifyRequest): boolean {
    return isRecorded(callerOf(request), request.routeOptions.url ?? '');
  }

  /** Resolves once the entry is durable; throws `storage_unavailable`, or the error of a database lookup. */
  async record(request: FastifyRequest, status: number): Promise<void> {
    const caller = callerOf(request);
    const route = request.routeOptions.url ?? '';
    const targets = targetsOf(route, fieldsOf(request.params));
    const access = {
      actor: caller.actor?.name ?? 'app',
      role: caller.actor?.role ?? null,
      action: `${request.method} ${route}`,
      account_ref: await this.accountOf(request, caller, targets),
      target: targetText(targets),
      ...shownBy({ method: request.method, route, params: fieldsOf(request.params), query: fieldsOf(request.query) }),
      address: caller.actor ? callerAddress(request) : null,
      request_id: request.id,
      status,
      reason: caller.reason ?? null,
    };
    await this.log.record(access);
  }

  /** The app's own account, else the named account, else the owner of the named object. */
  private async accountOf(request: FastifyRequest, caller: Caller, targets: readonly Target[]): Promise<number | null> {
    const places = [request.params, request.body, request.query].map(fieldsOf);
    const named = places.map(({ account_id }) => account_id).find((id) => id !== undefined);
    const user = fieldsOf(request.body)['user_id'];
    return (
      (await this.about.account(caller.accountId ?? named)) ??
      (await this.about.user(user)) ??
      (await this.about.owner(targets)) ??
      refOf(fieldsOf(request.query)['account_ref'])
    );
  }
}

/** Our own number of an account, for queries of the access log after an erasure. */
function refOf(text: unknown): number | null {
  return typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

function fieldsOf(input: unknown): Fields {
  return typeof input === 'object' && input !== null ? (input as Fields) : {};
}
