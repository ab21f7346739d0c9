import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { reasonRequired } from '../../http/auth/access-reason.js';
import { type Caller, callerOf } from '../../http/auth/caller.js';
import { isEventStream } from '../../http/auth/event-stream.js';
import { ValueAccesses } from '../../http/auth/value-accesses.js';
import { callerAddress } from '../../http/server/caller-address.js';
import { everyResource, factsOf } from '../../http/server/route-facts.js';
import { Clock } from '../../platform/platform/clock.js';
import { newId } from '../../platform/platform/ids.js';
import { DAY_MS, MINUTE_MS } from '../../platform/platform/time.js';
import { type Access, AccessLog } from './access-log.service.js';
import { isRecorded, shownBy, type Target, targetsOf, targetText } from './audit-policy.js';
import { SubjectReader } from './subject.reader.js';

const everything = { resource: everyResource, window_start: null, window_end: null };

type Fields = Readonly<Record<string, unknown>>;

/** Records requests, and pushes of values, in the access log. */
@Injectable()
export class RequestRecorder extends ValueAccesses {
  /** Accounts recorded per subscription on its last day with pushes (days since 1970-01-01). */
  private readonly pushed = new Map<string, { readonly day: number; readonly accounts: Set<number> }>();

  /** Accesses of streams in the current minute, by key and account. */
  private streamed = { minute: 0, accesses: new Map<string, Promise<void>>() };

  constructor(
    private readonly log: AccessLog,
    private readonly subjects: SubjectReader,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** True if the response to this request must be recorded before it is sent. */
  concerns(request: FastifyRequest): boolean {
    return isRecorded(callerOf(request), factsOf(request));
  }

  override async record(request: FastifyRequest, accounts: readonly number[]): Promise<void> {
    const caller = callerOf(request);
    if (accounts.length === 0) return;
    if (caller.lacksReason) throw reasonRequired();
    const access = { ...accessOf(request, caller), target: null, ...everything, status: 200 };
    const record = (account_ref: number): Promise<void> => this.log.record({ ...access, account_ref });
    const isStream = isEventStream(request);
    await Promise.all(
      accounts.map((account) =>
        isStream ? this.oncePerMinute(`${access.actor} ${account}`, () => record(account)) : record(account),
      ),
    );
  }

  /** For streams, of which a key may have many that send every change. Resolves once the entry is durable. */
  private async oncePerMinute(access: string, record: () => Promise<void>): Promise<void> {
    const minute = Math.floor(this.clock.now() / MINUTE_MS);
    if (this.streamed.minute !== minute) this.streamed = { minute, accesses: new Map() };
    const { accesses } = this.streamed;
    const recorded = accesses.get(access) ?? record();
    accesses.set(access, recorded);
    try {
      await recorded;
    } catch (error) {
      accesses.delete(access);
      throw error;
    }
  }

  override async recordPushes(subscription: string, accounts: readonly number[]): Promise<void> {
    const day = Math.floor(this.clock.now() / DAY_MS);
    const last = this.pushed.get(subscription);
    const recorded = last?.day === day ? last.accounts : new Set<number>();
    this.pushed.set(subscription, { day, accounts: recorded });
    const others = accounts.filter((account) => !recorded.has(account));
    await Promise.all(others.map((account_ref) => this.log.record(pushEntry(subscription, account_ref))));
    for (const account of others) recorded.add(account);
  }

  /** Resolves once the entry is durable; throws `storage_unavailable`, or the error of a database lookup. */
  async recordAnswer(request: FastifyRequest, status: number): Promise<void> {
    const caller = callerOf(request);
    const { params, query } = request;
    const targets = targetsOf(request.routeOptions.url ?? '', fieldsOf(params));
    const access = {
      ...accessOf(request, caller),
      account_ref: await this.accountOf(request, caller, targets),
      target: targetText(targets),
      ...shownBy({ method: request.method, facts: factsOf(request), params: fieldsOf(params), query: fieldsOf(query) }),
      status,
    };
    await this.log.record(access);
  }

  /** The app's own account, else the account, upstream user or owner of an object that the request names. */
  private async accountOf(request: FastifyRequest, caller: Caller, targets: readonly Target[]): Promise<number | null> {
    const places = [request.params, request.body, request.query].map(fieldsOf);
    const named = places.map(({ account_id }) => account_id).find((id) => id !== undefined);
    const user = fieldsOf(request.body)['user_id'];
    return (
      (await this.subjects.account(caller.accountId ?? named)) ??
      (await this.subjects.user(user)) ??
      (await this.subjects.owner(targets)) ??
      refOf(fieldsOf(request.query)['account_ref'])
    );
  }
}

function accessOf(
  request: FastifyRequest,
  { actor, reason }: Caller,
): Pick<Access, 'actor' | 'role' | 'action' | 'address' | 'request_id' | 'reason'> {
  return {
    actor: actor?.name ?? 'app',
    role: actor?.role ?? null,
    action: `${request.method} ${request.routeOptions.url ?? ''}`,
    address: actor ? callerAddress(request) : null,
    request_id: request.id,
    reason: reason ?? null,
  };
}

/** An entry without a request, like those about the log itself (chain.ts). */
function pushEntry(subscription: string, account_ref: number): Access {
  const target = targetText([{ kind: 'subscription', id: subscription }]);
  const sender = { actor: 'system', role: null, address: null, request_id: newId(), reason: null };
  return { ...sender, action: 'push values', account_ref, target, ...everything, status: 200 };
}

/** An account number, used to query the access log after an erasure. */
function refOf(text: unknown): number | null {
  return typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

function fieldsOf(input: unknown): Fields {
  return typeof input === 'object' && input !== null ? (input as Fields) : {};
}
