import { Injectable } from '@nestjs/common';
import { AppResultsConfig } from '../../platform/config/config.js';
import { AppError } from '../../platform/platform/errors.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import { type ResultRead, ResultsService } from './results.service.js';

/**
 * Final results for the person they are about. The order transaction must be completed, because a result without a
 * status counts as final (docs/upstream/results.md#partial-or-final), and the newest version must be neither partial
 * nor withdrawn. So no one learns here first that a lab reported a result as critical before it was final.
 */
@Injectable()
export class OwnResultsService {
  constructor(
    private readonly orders: OrderReadsService,
    private readonly results: ResultsService,
    private readonly config: AppResultsConfig,
  ) {}

  /**
   * Throws `forbidden` if apps may not read results, `not_found` for a transaction of another person or an unknown one,
   * `result_not_ready` before the result is final, and what `ResultsService.read` throws.
   */
  async read(id: string, accountId: string): Promise<ResultRead> {
    if (this.config.shown === 'off')
      throw new AppError(
        'forbidden',
        'This service does not return results to apps; its operator can allow it with APP_RESULTS=final.',
      );
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
