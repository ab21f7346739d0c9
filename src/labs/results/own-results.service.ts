import { Injectable } from '@nestjs/common';
import { AppResultsConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import { type ResultRead, ResultsService } from './results.service.js';

/**
 * Results for the person they are about. Only what is final: the transaction is completed, since a result that says
 * nothing of its state counts as final by itself (docs/upstream/results.md#partial-or-final), and the newest version of
 * the result is neither partial nor withdrawn. So what a lab calls critical before it is final is never shown here
 * first.
 */
@Injectable()
export class OwnResultsService {
  constructor(
    private readonly orders: OrderReadsService,
    private readonly results: ResultsService,
    private readonly config: AppResultsConfig,
  ) {}

  /**
   * Throws `forbidden` if apps may not see results, `not_found` for another person's transaction and for one that
   * does not exist, `result_not_ready` before it is final, else what `ResultsService.read` throws.
   */
  async read(id: string, accountId: string): Promise<ResultRead> {
    if (this.config.shown === 'off') throw new AppError('forbidden', 'This service does not return results to apps.');
    const { transaction } = await this.orders.getOwnTransaction(id, accountId);
    if (transaction.status !== 'completed') throw notFinal();
    const read = await this.results.read({ scope: 'transaction', id });
    if (read.shown.withdrawn_at !== null) throw notFinal();
    if (read.shown.status !== 'final' || read.transaction?.transaction.status !== 'completed') throw notFinal();
    return read;
  }
}

function notFinal(): AppError {
  return new AppError('result_not_ready', 'The result is not final yet.');
}
