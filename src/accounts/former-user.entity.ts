import { Entity, ForeignKey, Index } from 'typeorm';
import { IntColumn, TextKey } from '../database/columns.js';
import { AccountEntity } from './account.entity.js';

/** A user that upstream no longer has, and whose place in the account another has taken. */
@Entity('former_upstream_users')
@Index('former_upstream_users_account_id', ['account_id'])
export class FormerUserEntity {
  @TextKey() user_id: string;
  @ForeignKey(() => AccountEntity, { name: 'former_upstream_users_account' })
  @IntColumn()
  account_id: number;
  @IntColumn() replaced_at: number;
}
