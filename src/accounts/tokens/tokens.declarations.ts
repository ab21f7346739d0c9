import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import { timelineSource } from '../../storage/declarations/timeline.js';
import { TokenIssuanceEntity, TokenIssueEntity } from './tokens.entity.js';

export const tokensDeclarations: RoomDeclarations = {
  entities: [TokenIssueEntity, TokenIssuanceEntity],
  ended: [{ table: 'token_issues', key: 'id', madeAt: 'issued_at', ended: 'r.issued_at < :before' }],
  personal: [personalRows(TokenIssueEntity, byAccount, { as: 'token_issue', without: ['id'] })],
  kept: { token_issuance: "whether tokens are issued, and the name of an operator's key" },
  timeline: [
    timelineSource(TokenIssueEntity, {
      kind: 'sign_in_token',
      from: 'token_issues t',
      account: 't.account_id',
      at: 't.issued_at',
      keys: [{ column: 't.id', type: 'int' }],
      where: `t.kind = 'sign_in'`,
      columns: ['t.id', 't.installation_id', 't.frequency'],
      show: ({ id, installation_id, frequency }) => ({
        title: frequency === null ? 'A sign-in token was issued.' : 'An unnecessary sign-in token was issued.',
        ref: { type: 'token_issue', id: String(id) },
        details: { installation_id, too_frequent: frequency !== null },
      }),
    }),
  ],
  figures: {
    frequent_installations: `SELECT COUNT(*) FROM (SELECT DISTINCT account_id, installation_id FROM token_issues
      WHERE frequency IS NOT NULL AND issued_at > :day) frequent`,
    tokens_closed_at: 'SELECT closed_at FROM token_issuance WHERE id = 1',
    tokens_open: 'SELECT CASE WHEN closed_at IS NULL THEN 1 ELSE 0 END FROM token_issuance WHERE id = 1',
  },
  gauges: [
    {
      name: 'frequent_installations',
      help: 'Installations that received too many sign-in tokens in the last 24 hours',
      figure: 'frequent_installations',
    },
    {
      name: 'token_issuance_open',
      help: '1 while token issuance is enabled, 0 while disabled',
      figure: 'tokens_open',
    },
  ],
};
