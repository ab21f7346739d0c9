/*
 * node scripts/fleet-model.mjs: prints the table of docs/scaling.md "By number of accounts". It plays days of a model
 * account, hour by hour, against what one deployment was measured to do; it measures nothing.
 */

/** What one account does in a day. */
const account = { messages: 100, samplesPerMessage: 19, reads: 20, calls: 5.6 };

/** Share of a day in each hour where most people live: rings and watches are read after waking and in the evening. */
const hours = [1, 1, 1, 1, 2, 4, 8, 10, 8, 6, 5, 4.5, 5, 4.5, 4, 4, 4.5, 5, 6, 5.5, 4.5, 3.5, 1.5, 0.5];
const days = 3;

/** Measured (docs/performance.md, docs/scaling.md): a second, on one core unless it says otherwise. */
const measured = {
  /** Messages accepted and applied, SQLite. */
  sqliteMessages: 4_380,
  /** Messages of 19 samples applied on PostgreSQL, process and database together on two cores shared with tests. */
  postgresMessages: 770,
  /** Processor time of a `today`, milliseconds: SQLite, and PostgreSQL with its database. */
  sqliteReadMs: 13.1,
  postgresReadMs: 24,
  /** Entries of the access log that one process chains. */
  chained: 5_200,
  /** Bytes of a stored sample. */
  sqliteSample: 31.2,
  postgresSample: 109,
};

/** What is at hand, and what saturates above it. */
const limits = {
  sqliteCores: 8,
  postgresCores: 64,
  /** Bytes of samples after a year. */
  sqliteDisk: 2e12,
  postgresDisk: 30e12,
  /** A walk over upstream's ingestion state: users a call, and seconds a call. */
  walk: { users: 50, seconds: 0.2, within: 3_600 },
};

const total = hours.reduce((sum, share) => sum + share, 0);

/**
 * Longest wait of a message in hours if `capacity` messages a second are applied, after some days; null if it grows.
 */
function longestWait(accounts, capacity) {
  let waiting = 0;
  let longest = 0;
  const atMidnight = [];
  for (let day = 0; day < days; day++) {
    for (const share of hours) {
      const arriving = (accounts * account.messages * share) / total;
      waiting = Math.max(0, waiting + arriving - capacity * 3_600);
      longest = Math.max(longest, waiting / (capacity * 3_600));
    }
    atMidnight.push(waiting);
  }
  return atMidnight.at(-1) > atMidnight[0] + 1 ? null : longest;
}

function rowOf(accounts) {
  const busiest = Math.max(...hours) / total / 3_600;
  const messages = accounts * account.messages * busiest;
  const reads = accounts * account.reads * busiest;
  const walk = (accounts / limits.walk.users) * limits.walk.seconds;
  const samples = accounts * account.messages * account.samplesPerMessage * 365;
  const sqliteLane = messages / measured.sqliteMessages;
  const sqliteCores = Math.min(sqliteLane, 1) + (reads * measured.sqliteReadMs) / 1_000;
  const postgresCores = (2 * messages) / measured.postgresMessages + (reads * measured.postgresReadMs) / 1_000;
  const sqlite = {
    'the write lane': sqliteLane,
    'reads of the app': sqliteCores / limits.sqliteCores,
    'the disk': (samples * measured.sqliteSample) / limits.sqliteDisk,
  };
  const postgres = {
    'the database': postgresCores / limits.postgresCores,
    'the chain of the access log': reads / measured.chained,
    'the walk over the ingestion state': walk / limits.walk.within,
    'the disk': (samples * measured.postgresSample) / limits.postgresDisk,
  };
  const wait = longestWait(accounts, measured.sqliteMessages);
  return [
    accounts.toLocaleString('en-US'),
    shown(messages),
    wait === null ? 'ever longer' : wait === 0 ? 'none' : `${shown(wait)} h`,
    shown(postgresCores),
    shown((accounts * account.calls) / 86_400),
    `${shown(walk / 60)} min`,
    shown(reads),
    `${shown((samples * measured.sqliteSample) / 1e12)}; ${shown((samples * measured.postgresSample) / 1e12)} TB`,
    worstOf(sqlite),
    worstOf(postgres),
  ];
}

function worstOf(uses) {
  const [[name, use]] = Object.entries(uses).sort(([, a], [, b]) => b - a);
  return use > 1 ? `**${name}** (${shown(use)} times)` : `${name} (${shown(use * 100)} %)`;
}

function shown(value) {
  return Number(value.toPrecision(2)).toLocaleString('en-US', { maximumFractionDigits: 6 });
}

const heading = [
  'Accounts',
  'Messages a second',
  'Longest wait, SQLite',
  'Cores, PostgreSQL',
  'Calls a second',
  'Walk over the ingestion state',
  'Reads a second',
  'Samples of a year, SQLite; PostgreSQL',
  'SQLite is limited by',
  'One PostgreSQL is limited by',
];

const rows = [heading, heading.map(() => '---'), ...[1e4, 1e5, 1e6, 1e7].map(rowOf)];
console.log(
  rows
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
    .replaceAll('| ---', '|---')
    .replaceAll('--- |', '---|'),
);
