import { Entity } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { IntColumn, IntKey, TextColumn, TextKey } from '../../storage/database/columns.js';

/** A row of the table `daily` as `pulsekeep analytics daily` computed it on PostgreSQL. Empty on SQLite. */
@Entity('daily_numbers')
export class DailyNumbersEntity {
  @AccountColumn('daily_numbers_account', IntKey()) account_id: number;
  @TextKey() day: string;
  @TextKey() resource: string;
  /** JSON list of the cells of `dailyTable`, in the order of its columns. */
  @TextColumn() cells: string;
}

/** One row: the last complete run of the command; none before the first one. */
@Entity('daily_run')
export class DailyRunEntity {
  @IntKey() id: number;
  /** Cursor of the change feed up to which the rows are right. */
  @TextColumn() position: string;
  /** Names of the columns that the rows have cells of. */
  @TextColumn() columns: string;
  @IntColumn() made_at: number;
}
