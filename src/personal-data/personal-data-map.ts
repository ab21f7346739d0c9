/*
 * Every table there is, and what it holds of a person. Erasing and exporting walk this list, and a test holds it and
 * the entities together: a table that is not here does not pass.
 */

/**
 * How the rows of an account are found: by a column that holds `accounts.id`, or by one that holds `key` of the rows of
 * another table that are found so. `where` narrows it.
 */
export interface LookupPath {
  readonly column: string;
  readonly through?: { readonly table: string; readonly key: string };
  readonly where?: string;
}

/** How rows look in an export; see export/readable.ts for what is done to every column. */
export interface ExportedColumn {
  /** What a line says it is. */
  readonly as: string;
  /** Columns that hold JSON. */
  readonly json?: readonly string[];
  /** Columns that say nothing of the person: internal numbers and what workers note. */
  readonly without?: readonly string[];
}

export interface PersonalTable {
  readonly table: string;
  /** The primary key. */
  readonly key: readonly string[];
  readonly ways: readonly LookupPath[];
  /** Or why rows have no lines of their own in an export. */
  readonly shown: ExportedColumn | string;
}

const byAccount: readonly LookupPath[] = [{ column: 'account_id' }];
const work = ['due_at', 'lease_owner', 'lease_until', 'attempts'] as const;

/** Users that were met before they had an account, or whose account was not told. */
const byUser: LookupPath = { column: 'user_id', through: { table: 'accounts', key: 'upstream_user_id' } };
const throughOrders: LookupPath = { column: 'order_id', through: { table: 'orders', key: 'order_id' } };

/** What belongs to a person, in the order in which it is deleted: rows before those they refer to. */
export const personalTables: readonly PersonalTable[] = [
  {
    table: 'samples',
    key: ['series_id', 'time'],
    ways: [{ column: 'series_id', through: { table: 'series', key: 'id' } }],
    shown: 'as records, with their series and attributes',
  },
  { table: 'series', key: ['id'], ways: byAccount, shown: 'with every record of theirs' },
  { table: 'sample_attributes', key: ['id'], ways: byAccount, shown: 'with every record that has them' },
  { table: 'summaries', key: ['account_id', 'resource', 'summary_id'], ways: byAccount, shown: 'as records' },
  {
    table: 'observations',
    key: ['id'],
    ways: [
      { column: 'ref', through: { table: 'messages', key: 'seq' }, where: `kind = 'message'` },
      { column: 'ref', through: { table: 'sync_tasks', key: 'id' }, where: `kind = 'sync'` },
    ],
    shown: 'as the provenance of records',
  },
  {
    table: 'message_bodies',
    key: ['seq'],
    ways: [{ column: 'seq', through: { table: 'messages', key: 'seq' } }],
    shown: 'with their messages',
  },
  { table: 'messages', key: ['seq'], ways: byAccount, shown: 'with their bodies' },
  {
    table: 'workout_stream_fetches',
    key: ['id'],
    ways: byAccount,
    shown: { as: 'workout_stream_fetch', json: ['facts'], without: [...work, 'message_seq', 'requests'] },
  },
  {
    table: 'coverage',
    key: ['account_id', 'provider', 'resource', 'range_start'],
    ways: byAccount,
    shown: { as: 'coverage' },
  },
  {
    table: 'sync_streams',
    key: ['account_id', 'provider', 'resource'],
    ways: byAccount,
    shown: { as: 'sync_stream', without: ['next_due_at'] },
  },
  {
    table: 'sync_tasks',
    key: ['id'],
    ways: byAccount,
    shown: { as: 'sync_task', without: [...work, 'priority', 'next_cursor', 'anchor_cursor', 'dedupe_key'] },
  },
  {
    table: 'historical_pulls',
    key: ['account_id', 'provider', 'resource'],
    ways: byAccount,
    shown: { as: 'historical_pull', without: ['task_id'] },
  },
  { table: 'source_checks', key: ['account_id'], ways: byAccount, shown: { as: 'source_check', without: work } },
  { table: 'connection_changes', key: ['id'], ways: byAccount, shown: { as: 'connection_change', without: ['id'] } },
  {
    table: 'connections',
    key: ['account_id', 'provider'],
    ways: byAccount,
    shown: { as: 'connection', json: ['resource_availability'] },
  },
  { table: 'devices', key: ['device_id'], ways: byAccount, shown: { as: 'device' } },
  { table: 'token_issues', key: ['id'], ways: byAccount, shown: { as: 'token_issue', without: ['id'] } },
  { table: 'link_attempts', key: ['link_attempt_id'], ways: byAccount, shown: { as: 'link_attempt' } },
  {
    table: 'critical_results',
    key: ['order_id', 'sample_id'],
    ways: [...byAccount, throughOrders],
    shown: { as: 'critical_result' },
  },
  {
    table: 'appointments',
    key: ['appointment_id'],
    ways: [...byAccount, throughOrders],
    shown: { as: 'appointment', json: ['history'] },
  },
  {
    table: 'lab_results',
    key: ['scope', 'subject_id', 'form', 'version'],
    ways: byAccount,
    shown: { as: 'lab_result', json: ['content'] },
  },
  {
    table: 'result_fetches',
    key: ['scope', 'subject_id'],
    ways: [
      ...byAccount,
      { column: 'subject_id', through: { table: 'orders', key: 'order_id' }, where: `scope = 'order'` },
      {
        column: 'subject_id',
        through: { table: 'order_transactions', key: 'order_transaction_id' },
        where: `scope = 'transaction'`,
      },
    ],
    shown: { as: 'result_fetch', without: work },
  },
  {
    table: 'order_placements',
    key: ['key_digest'],
    ways: byAccount,
    shown: { as: 'order_placement', without: [...work, 'key_digest', 'fingerprint'] },
  },
  { table: 'order_refreshes', key: ['order_id'], ways: [throughOrders], shown: { as: 'order_refresh', without: work } },
  { table: 'order_events', key: ['order_id', 'event_id'], ways: [throughOrders], shown: { as: 'order_event' } },
  { table: 'orders', key: ['order_id'], ways: byAccount, shown: { as: 'order' } },
  {
    table: 'order_transactions',
    key: ['order_transaction_id'],
    ways: byAccount,
    shown: { as: 'order_transaction' },
  },
  {
    table: 'account_import_sightings',
    key: ['import_id', 'user_id'],
    ways: [...byAccount, byUser],
    shown: { as: 'import_sighting', without: ['pass'] },
  },
  {
    table: 'account_import_differences',
    key: ['id'],
    ways: [...byAccount, byUser],
    shown: { as: 'import_difference', without: ['id'] },
  },
  { table: 'accounts', key: ['id'], ways: [{ column: 'id' }], shown: { as: 'account', without: ['id'] } },
];

/** Stays while upstream still has the user: its two ids are needed for the deletion there. */
export const accountsTable = 'accounts';

/** What stays when a person is erased, and why. */
export const keptTables: Readonly<Record<string, string>> = {
  instance: 'the region, environment and team of the database; nobody is named',
  access_log:
    'who looked at what about whom must stay provable, and no entry of the chain can be taken out; it names a person by accounts.id alone, which names nobody once the account is gone, and upstream ids of orders and messages',
  access_log_chain: 'the two ends of the access log',
  token_switch: "whether tokens are issued, and the name of an operator's key",
  account_imports: 'walks over the list of users: places and counts',
  recoveries: 'outages: windows and counts',
  order_sync: 'where the walk over the list of orders stands',
  erasures: 'the receipts: a number that names nobody any more, times and counts',
  erased_users: 'the fence: digests of random ids, from which nobody gets the ids back',
};

/** Files that can hold personal data, and what an erasure does about them. */
export const files: Readonly<Record<string, string>> = {
  database: 'rows are deleted; SQLite overwrites them with zeros (secure_delete)',
  'database-wal': 'brought into the database and cut to nothing after every deletion',
  'database-shm': 'page numbers only',
  'database.before-migration-*': 'copies made before migrations; for the operator to remove (docs/operations.md)',
  backups: 'made by the operator, and for the operator to let expire (docs/operations.md)',
  'temporary files': 'none: SQLite keeps what it sorts in memory (temp_store)',
};
