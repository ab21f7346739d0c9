import { toIso } from '../../platform/platform/time.js';
import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import { subjectOf, timelineSource, word } from '../../storage/declarations/timeline.js';
import { LinkAttemptEntity } from './link-attempt.entity.js';

const attemptKey = [{ column: 'l.link_attempt_id', type: 'text' }] as const;

const outcomeTitles: Readonly<Record<string, string>> = {
  success: 'A link attempt succeeded.',
  exit: 'The person left the link flow.',
  error: 'A link attempt failed.',
};

export const linkAttemptsDeclarations: RoomDeclarations = {
  entities: [LinkAttemptEntity],
  personal: [personalRows(LinkAttemptEntity, byAccount, { as: 'link_attempt' })],
  timeline: [
    timelineSource(LinkAttemptEntity, {
      kind: 'link_token',
      from: 'link_attempts l',
      account: 'l.account_id',
      at: 'l.created_at',
      keys: attemptKey,
      columns: ['l.link_attempt_id', 'l.provider', 'l.expires_at'],
      show: ({ link_attempt_id, provider, expires_at }) => ({
        title: `A link token ${provider === null ? '' : `for ${subjectOf(provider)} `}was requested.`,
        ref: { type: 'link_attempt', id: link_attempt_id },
        details: { provider, expires_at: toIso(expires_at) },
      }),
    }),
    timelineSource(LinkAttemptEntity, {
      kind: 'link_outcome',
      from: 'link_attempts l',
      account: 'l.account_id',
      at: 'l.outcome_at',
      keys: attemptKey,
      where: 'l.outcome_at IS NOT NULL',
      columns: ['l.link_attempt_id', 'l.outcome', 'l.outcome_source', 'l.error_type', 'l.connected_provider'],
      show: ({ link_attempt_id, outcome, outcome_source, error_type, connected_provider }) => ({
        title: outcomeTitles[outcome ?? ''] ?? 'A link attempt ended.',
        ref: { type: 'link_attempt', id: link_attempt_id },
        details: {
          outcome,
          outcome_source,
          confirmed: outcome_source === 'connection',
          error_type: word(error_type),
          connected_provider: word(connected_provider),
        },
      }),
    }),
  ],
};
