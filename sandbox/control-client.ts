import type { PullPlan } from './data/pulls.js';
import type { LoggedCall } from './engine/call-log.js';
import type { FaultKind, FaultRule } from './engine/faults.js';
import type { Settings } from './engine/settings.js';
import type { UploadedReport } from './labs/parsing-jobs.js';
import type { Download } from './labs/result-pdf.js';
import type { LinkOptions, LinkOutcome } from './users/linking.js';
import type { EndpointOptions } from './webhooks/endpoint.js';
import type { Message } from './webhooks/outbox.js';

export type Json = Record<string, unknown>;

export interface SettledState {
  settled: boolean;
  in_flight: number;
  due: number;
  scheduled: number;
  next_due_at: string | null;
  failed_tasks: number;
  messages: { pending: number; delivered: number; exhausted: number; lost: number; held: number };
  /** Attempts that got a response. */
  answered: number;
  pulls: { open: number; success: number; failure: number };
}

export interface WireUser extends Json {
  user_id: string;
  client_user_id: string;
}

export interface WireOrder extends Json {
  id: string;
  user_id: string;
  origin: string;
  order_transaction: { id: string; status: string; orders: Json[] };
}

export interface TruthOrder {
  id: string;
  order_transaction_id: string;
  transaction_status: string;
  origin: string;
  parent_id: string | null;
  status: string;
  created_at: string;
  user_id: string;
}

export interface TruthPoint {
  provider: string;
  source_type: string;
  device_id: string | null;
  workout_id: string | null;
  sport: string | null;
  type: string | null;
  start: string;
  end: string | null;
  value: number | string | { systolic: number; diastolic: number };
  unit: string;
  timezone_offset: number | null;
  /** The rarer fields, without null ones. */
  extras: Json;
}

export interface WrittenData {
  created: number;
  updated: number;
  message_ids: string[];
}

export interface PutData {
  user_id: string;
  provider: string;
  resource: string;
  source_type?: string;
  device_id?: string | null;
  workout_id?: string | null;
  sport?: string | null;
  points?: Json[];
  summaries?: Json[];
  notify?: boolean;
}

export type MessageSummary = Omit<Message, 'body'>;

interface MessageFilter {
  event_type?: string;
  state?: string;
  user_id?: string;
  /** Lowest `number`, and maximum count. */
  from?: number;
  limit?: number;
}

interface Place {
  user_id: string;
  provider: string;
}

/** Rows of a resource; of all providers and times by default. */
interface Selection {
  user_id: string;
  resource: string;
  provider?: string;
  start?: string;
  end?: string;
}

/**
 * Typed client of `/control` over plain HTTP. A refusal becomes an error with its text. The README describes each call.
 */
export class SandboxControl {
  constructor(private readonly url: string) {}

  time(): Promise<{ now: string; mode: 'auto' | 'manual'; scale: number }> {
    return this.get('/time');
  }

  setTime(now: string): Promise<{ now: string; ran: number }> {
    return this.post('/time', { now });
  }

  advance(seconds: number): Promise<{ now: string; ran: number }> {
    return this.post('/time', { advance_seconds: seconds });
  }

  settle(options: { within_seconds?: number; timeout_seconds?: number } = {}): Promise<SettledState> {
    return this.post('/settle', options);
  }

  /** The same, without waiting. */
  state(): Promise<SettledState> {
    return this.get('/settle');
  }

  settings(): Promise<Settings> {
    return this.get('/settings');
  }

  configure(settings: Partial<Settings>): Promise<Settings> {
    return this.post('/settings', settings);
  }

  createUsers(body: { client_user_id?: string; count?: number; prefix?: string }): Promise<{ users: WireUser[] }> {
    return this.post('/users', body);
  }

  eraseUser(userId: string): Promise<void> {
    return this.post(`/users/${userId}/erase`, {});
  }

  connect(body: Place & LinkOptions): Promise<{ connection: Json; resources: string[] }> {
    return this.post('/connections', body);
  }

  link(body: LinkOptions & { link_token: string; provider?: string; outcome?: string }): Promise<LinkOutcome> {
    return this.post('/link', body);
  }

  breakConnection(body: Place & { error_type: string; message?: string }): Promise<void> {
    return this.post('/connections/error', body);
  }

  syncPhone(body: Place): Promise<{ connected_again: boolean }> {
    return this.post('/connections/sync', body);
  }

  pullAgain(body: Place & { resources?: string[]; plan?: PullPlan }): Promise<{ resources: string[] }> {
    return this.post('/connections/pull', body);
  }

  addDevice(body: Place & { source_type: string; device_model?: string; notify?: boolean }): Promise<Json> {
    return this.post('/devices', body);
  }

  removeDevice(user_id: string, device_id: string): Promise<Json> {
    return this.post('/devices/remove', { user_id, device_id });
  }

  generate(
    body: Place & { resource: string; days: number; per_day?: number; end?: string; notify?: boolean },
  ): Promise<{ written: number; visible: boolean; message_ids: string[] }> {
    return this.post('/data/generate', body);
  }

  put(body: PutData): Promise<WrittenData> {
    return this.post('/data', body);
  }

  edit(body: {
    user_id: string;
    resource: string;
    provider?: string;
    count?: number;
    notify?: boolean;
  }): Promise<WrittenData> {
    return this.post('/data/edit', body);
  }

  /** Deletes visible rows without an event; `start` and `end` choose points, `summary_id` a summary. */
  remove(body: Selection & { summary_id?: string }): Promise<{ removed: number }> {
    return this.post('/data/remove', body);
  }

  /** Moves the bounds of points: the old ones are deleted, the new ones announced. */
  shift(body: Selection & { seconds: number; notify?: boolean }): Promise<WrittenData> {
    return this.post('/data/shift', body);
  }

  /** Devices to show with a provider's samples of a resource from now on; null for an unknown device. */
  nameDevices(
    body: Place & { resource: string; device_ids: (string | null)[]; count?: number; notify?: boolean },
  ): Promise<WrittenData> {
    return this.post('/data/devices', body);
  }

  announceStream(body: {
    user_id: string;
    workout_id?: string;
    points?: number;
    fields?: Json;
    notify?: boolean;
  }): Promise<{ workout_id: string; message_ids: string[] }> {
    return this.post('/data/stream', body);
  }

  webhooks(): Promise<EndpointOptions & { secrets: string[] }> {
    return this.get('/webhooks');
  }

  configureWebhooks(
    options: Partial<EndpointOptions> & { secrets?: string[] },
  ): Promise<EndpointOptions & { secrets: string[] }> {
    return this.post('/webhooks', options);
  }

  rotateSecret(secret?: string): Promise<{ secret: string }> {
    return this.post('/webhooks/rotate', secret === undefined ? {} : { secret });
  }

  replay(body: { message_id?: string; since?: string }): Promise<{ message_ids: string[] }> {
    return this.post('/webhooks/replay', body);
  }

  send(body: {
    event_type?: string;
    user_id?: string | null;
    data?: unknown;
    envelope?: boolean;
    raw?: string;
  }): Promise<{ message_id: string }> {
    return this.post('/webhooks/send', body);
  }

  messages({ from, limit, ...filter }: MessageFilter = {}): Promise<{ messages: MessageSummary[] }> {
    return this.get('/webhooks/messages', { ...filter, from: from?.toString(), limit: limit?.toString() });
  }

  message(id: string): Promise<Message> {
    return this.get(`/webhooks/messages/${id}`);
  }

  fault(rule: FaultRule): Promise<{ faults: (FaultRule & { struck: number })[] }> {
    return this.post('/faults', rule);
  }

  faults(): Promise<{ faults: (FaultRule & { struck: number })[] }> {
    return this.get('/faults');
  }

  /** Removes faults of one kind, or all. */
  clearFaults(kind?: FaultKind): Promise<void> {
    return this.call('DELETE', kind === undefined ? '/faults' : `/faults?kind=${kind}`);
  }

  calls(
    filter: { path?: string; method?: string } = {},
  ): Promise<{ calls: LoggedCall[]; counts: Record<string, number> }> {
    return this.get('/calls', filter);
  }

  clearCalls(): Promise<void> {
    return this.call('DELETE', '/calls');
  }

  createOrder(body: {
    user_id: string;
    collection_method?: string;
    lab?: string;
    passthrough?: string;
    notify?: boolean;
  }): Promise<{ order: WireOrder }> {
    return this.post('/orders', body);
  }

  setOrderStatus(
    id: string,
    status: string,
    options: { status_detail?: string; notify?: boolean } = {},
  ): Promise<{ order: WireOrder }> {
    return this.post(`/orders/${id}/status`, { status, ...options });
  }

  walkOrder(id: string, options: { to?: string; step_seconds?: number } = {}): Promise<{ order: WireOrder }> {
    return this.post(`/orders/${id}/walk`, options);
  }

  redraw(
    id: string,
    options: { redraw_first?: boolean; notify?: boolean } = {},
  ): Promise<{ order: WireOrder; redraw: WireOrder }> {
    return this.post(`/orders/${id}/redraw`, options);
  }

  recreate(id: string): Promise<{ order: WireOrder }> {
    return this.post(`/orders/${id}/recreate`, {});
  }

  /** Overrides parts of the generated results and PDF of an order, without an event. */
  setResult(
    id: string,
    over: {
      results?: unknown;
      metadata?: Json;
      fields?: Json;
      missing?: boolean;
      withdrawn?: boolean;
      pdf_bytes?: number | null;
      pdf_break_after?: number | null;
    },
  ): Promise<void> {
    return this.post(`/orders/${id}/result`, over);
  }

  /** Sets the documents of an order: whether it has an ABN, and the size of the PDFs or where they break off. */
  setDocuments(
    id: string,
    over: { has_abn?: boolean; pdf_bytes?: number | null; pdf_break_after?: number | null },
  ): Promise<void> {
    return this.post(`/orders/${id}/documents`, over);
  }

  /** Progress of downloads of generated PDFs. */
  async downloads(id: string): Promise<Download[]> {
    return (await this.get<{ downloads: Download[] }>(`/orders/${id}/downloads`)).downloads;
  }

  critical(id: string, status: 'final' | 'partial' = 'final'): Promise<void> {
    return this.post(`/orders/${id}/critical`, { status });
  }

  setAppointment(id: string, status: string): Promise<{ appointment: Json }> {
    return this.post(`/orders/${id}/appointment`, { status });
  }

  /** Creates a result that could not be attached to an order, with these orders as candidates. */
  createUnmatchedResult(
    body: {
      order_ids?: string[];
      status?: string;
      decision_code?: string;
      attaches?: 'candidate' | 'recreation';
      fields?: Json;
      user_id?: string;
      notify?: boolean;
    } = {},
  ): Promise<{ unmatched_result: Json & { id: string; status: string } }> {
    return this.post('/unmatched-results', body);
  }

  /** Hides the result at upstream, without an event. */
  hideUnmatchedResult(id: string): Promise<void> {
    return this.post(`/unmatched-results/${id}/hide`, {});
  }

  /** Answer of upstream for a parsing job from now on. Sends no event. */
  setParsingJob(id: string, job: { status: string; data?: Json }): Promise<Json> {
    return this.post(`/parsing-jobs/${id}`, job);
  }

  /** A job as it is now, and what was uploaded for it. */
  parsingJob(id: string): Promise<{ job: Json; uploaded: UploadedReport | null }> {
    return this.get(`/parsing-jobs/${id}`);
  }

  labTests(): Promise<{ lab_tests: (Json & { id: string; method: string })[] }> {
    return this.get('/lab-tests');
  }

  /** `rows` are points for a timeseries and complete objects for a summary. */
  truth<Row = TruthPoint>(userId: string, resource: string): Promise<{ rows: Row[] }> {
    return this.get('/truth', { user_id: userId, resource });
  }

  truthUsers(): Promise<{ users: { user_id: string; client_user_id: string; providers: string[] }[] }> {
    return this.get('/truth/users');
  }

  truthOrders(): Promise<{ orders: TruthOrder[] }> {
    return this.get('/truth/orders');
  }

  private get<T>(path: string, query: Record<string, string | undefined> = {}): Promise<T> {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const search = new URLSearchParams(given).toString();
    return this.call('GET', search === '' ? path : `${path}?${search}`);
  }

  private post<T>(path: string, body: object): Promise<T> {
    return this.call('POST', path, body);
  }

  private async call<T>(method: string, path: string, body?: object): Promise<T> {
    const json =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${this.url}/control${path}`, { method, ...json });
    const answer = (await response.json()) as T & { error?: string };
    if (!response.ok) throw new Error(`control ${method} ${path}: ${response.status} ${answer.error ?? ''}`);
    return answer;
  }
}
