import { Entity, ForeignKey, Index } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import { IntColumn, TextColumn, TextKey } from '../database/columns.js';

/** That a lab called a result critical. The event names the order, not the transaction (supplement 9.8). */
@Entity('critical_results')
@Index('critical_results_account_id', ['account_id'])
@Index('critical_results_observed_at', ['observed_at'])
export class CriticalResultEntity {
  @TextKey() order_id: string;
  @TextKey() sample_id: string;
  @ForeignKey(() => AccountEntity, { name: 'critical_results_account' })
  @IntColumn({ nullable: true })
  account_id: number | null;
  @TextColumn({ nullable: true }) status: string | null;
  @TextColumn({ nullable: true }) interpretation: string | null;
  @IntColumn() created_at: number;
  @IntColumn() version: number;
  @IntColumn() observed_at: number;
}
