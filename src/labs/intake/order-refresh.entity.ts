import { Entity, ForeignKey, Index } from 'typeorm';
import { IntColumn, TextColumn, TextKey } from '../../storage/database/columns.js';
import { LeaseColumns } from '../../storage/work/lease-columns.js';
import { OrderEntity } from '../orders/order.entity.js';

/** An order to read from upstream, because little more than its id is known. Deleted after the read. */
@Entity('order_refreshes')
@Index('order_refreshes_due', ['due_at'], { where: 'due_at IS NOT NULL' })
export class OrderRefreshEntity extends LeaseColumns {
  @ForeignKey(() => OrderEntity, { name: 'order_refreshes_order' })
  @TextKey()
  order_id: string;
  /** Null once buried; `error_code` says why. */
  @IntColumn({ nullable: true }) due_at: number | null;
  @IntColumn() attempts: number;
  @TextColumn({ nullable: true }) error_code: string | null;
}
