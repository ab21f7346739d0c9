import { Entity, ForeignKey } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import { IntColumn, IntKey, TextColumn } from '../database/columns.js';

/** Which key of the key file is a person's. The keys themselves are not in this database. */
@Entity('person_keys')
export class PersonKeyEntity {
  @ForeignKey(() => AccountEntity, { name: 'person_keys_account' })
  @IntKey()
  account_id: number;
  @IntColumn() key_id: number;
}

/** One row: the key file that belongs to this database, once there is one. */
@Entity('person_key_file')
export class PersonKeyFileEntity {
  @IntKey() id: number;
  @TextColumn() file_id: string;
  @IntColumn() stamped_at: number;
}
