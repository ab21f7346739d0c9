import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { reservedNames } from '../../platform/config/admin-key.js';
import { AdminConfig } from '../../platform/config/config.js';
import { AppError, invalidFields, orNotFound } from '../../platform/platform/errors.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { type AccessFilter, AccessLogRepository, type AccessRow } from './access-log.repository.js';
import { ChainWorker } from './chain.worker.js';

/** A filter from a caller: an account is given by its id, or by its number if it is erased. */
interface AccessQuestion extends AccessFilter {
  readonly account_id?: string | undefined;
}

/** Lists entries of the access log. */
@Injectable()
export class AccessLogSearch {
  /** Method and path template of every route of this service. */
  readonly actions = new Set<string>();

  constructor(
    private readonly entries: AccessLogRepository,
    private readonly chain: ChainWorker,
    private readonly accounts: AccountsService,
    private readonly admin: AdminConfig,
  ) {}

  /**
   * Checks and converts a filter, and chains what was recorded before, because only chained entries are listed. An
   * empty result must mean that there was no access, so unknown names are refused: throws `not_found` for an unknown
   * account, and `invalid_request` for an unknown action or actor.
   */
  async filterOf(question: AccessQuestion): Promise<AccessFilter> {
    await this.chain.settle();
    const { account_id, ...filter } = question;
    const { account_ref, action, actor } = filter;
    if (account_id !== undefined && account_ref !== undefined)
      throw unknown('account_ref', 'cannot be combined with account_id');
    if (action !== undefined && !this.actions.has(action) && !(await this.entries.has({ action })))
      throw unknown('action', 'must be a method and route of this service, such as GET /v1/me');
    if (actor !== undefined && !this.isCaller(actor) && !(await this.entries.has({ actor })))
      throw unknown('actor', 'must be the name of an admin key that exists or has log entries');
    if (account_ref !== undefined && !(await this.entries.has({ account_ref })))
      throw new AppError('not_found', 'The access log has no entry about an account with this number.');
    return account_id === undefined ? filter : { ...filter, account_ref: await this.refOf(account_id) };
  }

  /** Newest first. */
  async list(filter: AccessFilter, cursor: string | undefined, limit: number): Promise<Page<AccessRow>> {
    const [before] = cursor === undefined ? [null] : decodeCursor(cursor, ['number']);
    const rows = await this.entries.page(filter, before, limit + 1);
    return pageOf(rows, limit, ({ seq }) => [seq]);
  }

  /** Time of the last entry of an actor; null if there is none. */
  lastOf(actor: string): Promise<number | null> {
    return this.entries.lastOf(actor);
  }

  private async refOf(accountId: string): Promise<number> {
    const sentence = 'No account has this id. Use account_ref for an erased account.';
    return orNotFound(await this.accounts.find(accountId), sentence).id;
  }

  private isCaller(actor: string): boolean {
    return reservedNames.includes(actor) || this.admin.keys.current.some(({ name }) => name === actor);
  }
}

function unknown(field: string, problem: string): AppError {
  return invalidFields({ field, message: `${field} ${problem}` });
}
