import { Entity, ForeignKey } from 'typeorm';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';
import { AccountEntity } from '../accounts/account.entity.js';

/**
 * A source of a retired provider that ended, however it did, after its successor was connected. In between both
 * delivered the same data, which upstream does not deduplicate (docs/upstream/connections.md#retired-providers).
 */
@Entity('source_successions')
export class SourceSuccessionEntity {
  @ForeignKey(() => AccountEntity, { name: 'source_successions_account' })
  @IntKey()
  account_id: number;
  @TextKey() provider: string;
  @TextColumn() successor: string;
  /** When the successor was connected. */
  @IntColumn() overlap_start: number;
  /** When the source failed, or was found to be disconnected. */
  @IntColumn() overlap_end: number;
}
