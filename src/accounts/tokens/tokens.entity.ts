import { Check, Entity, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, IntKey, oneOf, TextColumn } from '../../storage/database/columns.js';
import { AccountColumn } from '../accounts/account.entity.js';

const tokenKinds = ['sign_in', 'link'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** Record of an issued token: when, and to which installation; never the token. */
@Entity('token_issues')
@Check('token_issues_kind', oneOf('kind', tokenKinds))
@Index('token_issues_account_id', ['account_id', 'kind', 'issued_at'])
@Index('token_issues_frequent', ['issued_at', 'account_id', 'installation_id', 'frequency'], {
  where: 'frequency IS NOT NULL',
})
export class TokenIssueEntity {
  @AutoIncrementKey() id: number;
  @AccountColumn('token_issues_account') account_id: number;
  @TextColumn() kind: TokenKind;
  @TextColumn({ nullable: true }) installation_id: string | null;
  @IntColumn() issued_at: number;
  /** Number of tokens issued to the installation within a day, including this one, if that is too many; else null. */
  @IntColumn({ nullable: true }) frequency: number | null;
}

/** One row, with id 1: when issuance was disabled, and by which key; both null while it is enabled. */
@Entity('token_issuance')
export class TokenIssuanceEntity {
  @IntKey() id: number;
  @IntColumn({ nullable: true }) closed_at: number | null;
  @TextColumn({ nullable: true }) closed_by: string | null;
}
