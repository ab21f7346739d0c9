import { toIso } from '../platform/time.js';
import { word } from './timeline-entry.js';
import { source, type TimelineSource } from './timeline-source.js';

interface AccountRow {
  readonly account_id: string;
  readonly status: string;
}

interface TokenRow {
  readonly id: number;
  readonly installation_id: string | null;
  readonly frequency: number | null;
}

interface AttemptRow {
  readonly link_attempt_id: string;
  readonly provider: string | null;
  readonly expires_at: number;
  readonly outcome: string;
  readonly outcome_source: string | null;
  readonly error_type: string | null;
  readonly connected_provider: string | null;
}

interface ConnectionRow {
  readonly provider: string;
  readonly status: string;
  readonly error_type: string | null;
}

const accountKey = [{ column: 'a.id', type: 'int' }] as const;
const attemptKey = [{ column: 'l.link_attempt_id', type: 'text' }] as const;

const outcomeTitles: Readonly<Record<string, string>> = {
  success: 'Linking succeeded.',
  exit: 'The person left the linking.',
  error: 'Linking failed.',
};

const connectionTitles: Readonly<Record<string, string>> = {
  connected: 'A source was connected.',
  error: 'A source stopped working until it is connected again.',
  paused: 'A source was paused.',
  disconnected: 'A source was disconnected.',
};

/** The account, its tokens, and how its sources came to be connected. */
export const linkingSources: readonly TimelineSource[] = [
  source<AccountRow>({
    kind: 'account_created',
    from: 'accounts a',
    account: 'a.id',
    at: 'a.created_at',
    keys: accountKey,
    columns: ['a.account_id', 'a.status'],
    show: ({ account_id, status }) => ({
      title: 'The account was made.',
      ref: { type: 'account', id: account_id },
      details: { status_now: status },
    }),
  }),
  source<AccountRow>({
    kind: 'account_linked',
    from: 'accounts a',
    account: 'a.id',
    at: 'a.linked_at',
    keys: accountKey,
    where: 'a.linked_at IS NOT NULL',
    columns: ['a.account_id'],
    show: ({ account_id }) => ({
      title: 'The account got its upstream user.',
      ref: { type: 'account', id: account_id },
      details: {},
    }),
  }),
  source<TokenRow>({
    kind: 'sign_in_token',
    from: 'token_issues t',
    account: 't.account_id',
    at: 't.issued_at',
    keys: [{ column: 't.id', type: 'int' }],
    where: `t.kind = 'sign_in'`,
    columns: ['t.id', 't.installation_id', 't.frequency'],
    show: ({ id, installation_id, frequency }) => ({
      title: frequency === null ? 'A sign-in token was issued.' : 'One more sign-in token was issued than needed.',
      ref: { type: 'token_issue', id: String(id) },
      details: { installation_id, too_frequent: frequency !== null },
    }),
  }),
  source<AttemptRow>({
    kind: 'link_token',
    from: 'link_attempts l',
    account: 'l.account_id',
    at: 'l.created_at',
    keys: attemptKey,
    columns: ['l.link_attempt_id', 'l.provider', 'l.expires_at'],
    show: ({ link_attempt_id, provider, expires_at }) => ({
      title: 'A link token was issued: an attempt to connect a source.',
      ref: { type: 'link_attempt', id: link_attempt_id },
      details: { provider, expires_at: toIso(expires_at) },
    }),
  }),
  source<AttemptRow>({
    kind: 'link_outcome',
    from: 'link_attempts l',
    account: 'l.account_id',
    at: 'l.outcome_at',
    keys: attemptKey,
    where: 'l.outcome_at IS NOT NULL',
    columns: ['l.link_attempt_id', 'l.outcome', 'l.outcome_source', 'l.error_type', 'l.connected_provider'],
    show: ({ link_attempt_id, outcome, outcome_source, error_type, connected_provider }) => ({
      title: outcomeTitles[outcome] ?? 'Linking ended.',
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
  source<ConnectionRow>({
    kind: 'connection',
    from: 'connection_changes c',
    account: 'c.account_id',
    at: 'c.at',
    keys: [{ column: 'c.id', type: 'int' }],
    columns: ['c.provider', 'c.status', 'c.error_type'],
    show: ({ provider, status, error_type }) => ({
      title: connectionTitles[status] ?? 'A source changed its state.',
      ref: { type: 'connection', id: provider },
      details: { provider: word(provider), status: word(status), error_type: word(error_type) },
    }),
  }),
];
