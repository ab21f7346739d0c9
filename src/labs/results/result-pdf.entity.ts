import { Check, Entity, Index } from 'typeorm';
import { AccountColumn } from '../../accounts/accounts/account.entity.js';
import { BytesColumn, IntKey, oneOf, TextKey } from '../../storage/database/columns.js';
import { type ResultScope, resultScopes } from '../orders/result-subject.js';

/** The bytes of a version of a result PDF, stored with `RESULT_PDFS=store` only. */
@Entity('result_pdfs')
@Check('result_pdfs_scope', oneOf('scope', resultScopes))
@Index('result_pdfs_account_id', ['account_id'])
export class ResultPdfEntity {
  @TextKey() scope: ResultScope;
  /** Id of the order or order transaction. */
  @TextKey() subject_id: string;
  /** The version of the form `pdf` in lab_results. */
  @IntKey() version: number;
  @AccountColumn('result_pdfs_account') account_id: number;
  @BytesColumn() content: Buffer;
}
