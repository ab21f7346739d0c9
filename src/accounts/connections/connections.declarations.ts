import { MAX_COUNTED_TOGETHER, type RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import { rowChanges } from '../../storage/declarations/row-changes.reader.js';
import { subjectOf, timelineSource, word } from '../../storage/declarations/timeline.js';
import { accountRef, column, type View } from '../../storage/declarations/views.js';
import { joinShownAccount } from '../accounts/account-sql.js';
import { ConnectionChangeEntity, ConnectionEntity, DeviceEntity, otherAccount } from './connection.entity.js';
import { retiredAt, successions } from './provider-facts.js';

const connectionTitles: Readonly<Record<string, string>> = {
  connected: 'was connected',
  error: 'stopped working and must be reconnected',
  paused: 'was paused',
  disconnected: 'was disconnected',
};

/** SQL condition: the connection is to a provider that is retired at `:now`. */
const isRetired = successions.map((one) => `(provider = '${one.provider}' AND ${retiredAt(one)} <= :now)`).join(' OR ');

/**
 * Counts by provider and status, each up to `MAX_COUNTED_TOGETHER`. Seeks the next provider and status in their index,
 * so its time does not depend on the number of connections.
 */
const connectionCounts = `WITH RECURSIVE providers(provider) AS (
    SELECT MIN(provider) FROM connections
    UNION ALL
    SELECT (SELECT MIN(c.provider) FROM connections c WHERE c.provider > p.provider) FROM providers p
    WHERE p.provider IS NOT NULL
  ), kinds(provider, status) AS (
    SELECT p.provider, (SELECT MIN(c.status) FROM connections c WHERE c.provider = p.provider) FROM providers p
    WHERE p.provider IS NOT NULL
    UNION ALL
    SELECT k.provider, (SELECT MIN(c.status) FROM connections c WHERE c.provider = k.provider AND c.status > k.status)
    FROM kinds k WHERE k.status IS NOT NULL
  )
  SELECT provider, status, (SELECT COUNT(*) FROM (SELECT 1 FROM connections c
      WHERE c.provider = k.provider AND c.status = k.status LIMIT ${MAX_COUNTED_TOGETHER}) counted) AS count
  FROM kinds k WHERE status IS NOT NULL ORDER BY provider, status`;

const connectionsView: View = {
  name: 'connections',
  about: 'A source of a person, as upstream last reported it.',
  columns: [
    accountRef('c.account_id'),
    column('provider', 'text', 'c.provider', 'Provider of the source.'),
    column(
      'status',
      'text',
      'c.status',
      '`connected`, `error`, `paused`, `disconnected`, or another word of upstream.',
    ),
    column('error_type', 'text', 'c.error_type', 'Why it does not work; null if it does.'),
    column('error_at', 'time', 'c.error_at', 'When it stopped working.'),
    column('connected_at', 'time', 'c.connected_at', 'When it was connected.'),
    column('observed_at', 'time', 'c.observed_at', 'When upstream reported this.'),
  ],
  from: () => `FROM connections c ${joinShownAccount('c.account_id')}`,
  order: 'c.account_id, c.provider',
};

export const connectionsDeclarations: RoomDeclarations = {
  views: [connectionsView],
  entities: [ConnectionEntity, ConnectionChangeEntity, DeviceEntity],
  changes: [
    rowChanges({
      kind: 'source',
      entity: ConnectionEntity,
      json: ['resource_availability'],
      without: ['person_mark', 'successor', 'overlap_start', 'overlap_end'],
    }),
  ],
  personal: [
    personalRows(ConnectionChangeEntity, byAccount, { as: 'connection_change', without: ['id'] }),
    personalRows(ConnectionEntity, byAccount, {
      as: 'connection',
      json: ['resource_availability'],
      without: ['person_mark'],
    }),
    personalRows(DeviceEntity, byAccount, { as: 'device' }),
  ],
  timeline: [
    timelineSource(ConnectionChangeEntity, {
      kind: 'connection',
      from: 'connection_changes c',
      account: 'c.account_id',
      at: 'c.at',
      keys: [{ column: 'c.id', type: 'int' }],
      columns: ['c.provider', 'c.status', 'c.error_type', 'c.asked_by'],
      show: ({ provider, status, error_type, asked_by }) => ({
        title: `${subjectOf(provider)} ${
          error_type === otherAccount
            ? 'was connected with another account at the provider than before'
            : (connectionTitles[status] ?? 'changed its state')
        }.`,
        ref: { type: 'connection', id: provider },
        details: { provider: word(provider), status: word(status), error_type: word(error_type), asked_by },
      }),
    }),
  ],
  figures: {
    other_accounts: `SELECT COUNT(*) FROM connections WHERE other_account_at IS NOT NULL AND status <> 'disconnected'`,
    retired_sources: `SELECT COUNT(*) FROM connections WHERE status <> 'disconnected' AND (${isRetired})`,
  },
  groups: { connections: connectionCounts },
  fullCounts: { connections: 'SELECT COUNT(*) AS count FROM connections WHERE provider = ? AND status = ?' },
  gauges: [
    {
      name: 'retired_sources',
      help: 'Sources of retired providers that are not disconnected',
      figure: 'retired_sources',
    },
    {
      name: 'connections',
      help: 'Connected sources by provider and status',
      group: 'connections',
      labels: ['provider', 'status'],
    },
  ],
};
