import { Entity } from 'typeorm';
import { IntColumn, IntKey, TextColumn } from '../../storage/database/columns.js';

/** One row, with id 1: when issuance was disabled, and by which key; both null while it is enabled. */
@Entity('token_issuance')
export class TokenIssuanceEntity {
  @IntKey() id: number;
  @IntColumn({ nullable: true }) closed_at: number | null;
  @TextColumn({ nullable: true }) closed_by: string | null;
}
