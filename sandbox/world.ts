import { Appointments } from './appointments/appointments.js';
import { Offers } from './appointments/offers.js';
import { Cursors } from './data/cursor.js';
import { Generator } from './data/generate.js';
import { HealthData } from './data/health-data.js';
import { Pulls } from './data/pulls.js';
import { Streams } from './data/streams.js';
import { CallLog } from './engine/call-log.js';
import { Faults } from './engine/faults.js';
import { Ids, tokenFrom } from './engine/random.js';
import { defaultSettings, type Settings } from './engine/settings.js';
import { Timeline } from './engine/timeline.js';
import { Wording } from './http/answers.js';
import { Orders } from './labs/orders.js';
import type { ParsingJob, UploadedReport } from './labs/parsing-jobs.js';
import { ResultPdfs } from './labs/result-pdf.js';
import { UnmatchedResults } from './labs/unmatched-results.js';
import type { SandboxOptions } from './options.js';
import { Connections } from './users/connections.js';
import { LinkTokens } from './users/link-tokens.js';
import { Linking } from './users/linking.js';
import { Users } from './users/users.js';
import { Events } from './webhooks/events.js';
import { Outbox } from './webhooks/outbox.js';

/** All parts of one sandbox, wired together. */
export interface World {
  teamId: string;
  settings: Settings;
  timeline: Timeline;
  ids: Ids;
  calls: CallLog;
  faults: Faults;
  wording: Wording;
  cursors: Cursors;
  outbox: Outbox;
  events: Events;
  users: Users;
  connections: Connections;
  linkTokens: LinkTokens;
  data: HealthData;
  streams: Streams;
  generator: Generator;
  pulls: Pulls;
  linking: Linking;
  orders: Orders;
  resultPdfs: ResultPdfs;
  unmatchedResults: UnmatchedResults;
  parsingJobs: Map<string, { job: ParsingJob; uploaded: UploadedReport | null }>;
  appointments: Appointments;
  offers: Offers;
}

export function webhookSecretOf(seed: string, salt: string | number): string {
  return `whsec_${Buffer.from(tokenFrom(seed, 'webhook secret', salt))
    .subarray(0, 24)
    .toString('base64')}`;
}

export function createWorld(options: SandboxOptions): World {
  const { seed } = options;
  const settings = defaultSettings();
  const timeline = new Timeline(options.timeScale, options.startAt);
  const ids = new Ids(seed);
  const teamId = ids.stableUuid('team');
  const wording = new Wording(ids);
  const secret = options.webhookSecret ?? webhookSecretOf(seed, 0);
  const faults = new Faults(ids, () => timeline.now());
  const outbox = new Outbox(timeline, options.messageSeed === null ? ids : new Ids(options.messageSeed), faults, {
    url: options.webhookUrl,
    secret,
  });
  const events = new Events(outbox, teamId);
  const users = new Users(timeline, ids, wording, settings, teamId);
  const connections = new Connections(timeline, ids, events, wording);
  const data = new HealthData(timeline, events, settings);
  const generator = new Generator(ids, connections);
  const pulls = new Pulls(timeline, ids, settings, events, data);
  const linkTokens = new LinkTokens(timeline, ids, settings);
  const orders = new Orders(timeline, ids, events, users, teamId);
  const appointments = new Appointments(timeline, ids, events, orders, users);
  return {
    teamId,
    settings,
    timeline,
    ids,
    calls: new CallLog(),
    faults,
    wording,
    cursors: new Cursors(seed),
    outbox,
    events,
    users,
    connections,
    linkTokens,
    data,
    streams: new Streams(ids),
    generator,
    pulls,
    linking: new Linking(timeline, connections, linkTokens, { data, generator, pulls }),
    orders,
    appointments,
    offers: new Offers(timeline, settings, appointments),
    resultPdfs: new ResultPdfs(),
    parsingJobs: new Map(),
    unmatchedResults: new UnmatchedResults(timeline, ids, events, orders, users),
  };
}
