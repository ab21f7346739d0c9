import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, oneOf, TextColumn, TextKey } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';
import { OrderEntity } from './order.entity.js';
import { type ResultScope, resultScopes } from './result-subject.js';

/** A result to read from upstream because it is new or may have changed. Deleted after the read. */
@Entity('result_fetches')
@Check('result_fetches_scope', oneOf('scope', resultScopes))
@Index('result_fetches_due', ['due_at'], { where: 'due_at IS NOT NULL' })
@Index('result_fetches_given_up', ['requested_at'], { where: 'due_at IS NULL' })
@Index('result_fetches_account_id', ['account_id'])
export class ResultFetchEntity extends LeaseColumns {
  @TextKey() scope: ResultScope;
  @TextKey() subject_id: string;
  @AccountColumn('result_fetches_account', IntColumn({ nullable: true })) account_id: number | null;
  /** Time of the latest request. Only a later call completes it. */
  @IntColumn() requested_at: number;
  /** Null once buried; `error_code` says why. */
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}

/** An order to read from upstream, because little more than its id is known. Deleted after the read. */
@Entity('order_refreshes')
@Index('order_refreshes_due', ['due_at'], { where: 'due_at IS NOT NULL' })
@Index('order_refreshes_given_up', ['requested_at'], { where: 'due_at IS NULL' })
export class OrderRefreshEntity extends LeaseColumns {
  @ForeignKey(() => OrderEntity, { name: 'order_refreshes_order' })
  @TextKey()
  order_id: string;
  /** Time of the latest request. Only a later call completes it. */
  @IntColumn() requested_at: number;
  /** Null once buried; `error_code` says why. */
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}
