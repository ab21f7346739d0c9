import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { AutoIncrementKey, IntColumn, oneOf, TextColumn } from '../../storage/database/columns.js';
import { AccountEntity } from '../accounts/account.entity.js';

export const tokenKinds = ['sign_in', 'link'] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** That a token was issued, when and to which installation; never the token. */
@Entity('token_issues')
@Check('token_issues_kind', oneOf('kind', tokenKinds))
@Index('token_issues_account_id', ['account_id', 'kind', 'issued_at'])
@Index('token_issues_frequent', ['issued_at', 'account_id', 'installation_id', 'frequency'], {
  where: 'frequency IS NOT NULL',
})
export class TokenIssueEntity {
  @AutoIncrementKey() id: number;
  @ForeignKey(() => AccountEntity, { name: 'token_issues_account' })
  @IntColumn()
  account_id: number;
  @TextColumn() kind: TokenKind;
  @TextColumn({ nullable: true }) installation_id: string | null;
  @IntColumn() issued_at: number;
  /** Tokens issued to the installation in a day, including this one, if that is too many; else null. */
  @IntColumn({ nullable: true }) frequency: number | null;
}
