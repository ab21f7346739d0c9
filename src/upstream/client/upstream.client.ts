import { Injectable } from '@nestjs/common';
import {
  asFields,
  asKey,
  nextCursorOf,
  type Unreadable,
  type WireFields,
} from '../../platform/platform/json-reader.js';
import { openObject, type Wire, withId } from '../../platform/platform/json-shape.js';
import type { Query } from '../transport/address.js';
import { type CallOptions, type Download, nullIfAbsent, type UpstreamCall } from '../transport/call.js';
import { Multipart } from '../transport/multipart.js';
import { type Route, routes } from '../transport/routes.js';
import { Transport } from '../transport/transport.js';
import { UpstreamError } from '../transport/upstream-error.js';
import * as data from './wire-data.js';
import * as labs from './wire-labs.js';
import * as orders from './wire-orders.js';
import { readSourcePriorities, type WireSourcePriorities } from './wire-priorities.js';
import * as users from './wire-users.js';

export type UserCreation = { outcome: 'created'; user: users.WireUser } | { outcome: 'exists'; user_id: string };

export interface PullQuery {
  userId?: string;
  provider?: string;
  cursor?: string | null;
}

export const orderDocuments = ['requisition', 'labels', 'collection_instructions', 'abn'] as const;
export type OrderDocument = (typeof orderDocuments)[number];

/** The last two are for labels. */
export interface OrderDocumentQuery {
  document: OrderDocument;
  orderId: string;
  number_of_labels?: number | undefined;
  /** A day or a time, as upstream takes it. */
  collection_date?: string | undefined;
}

const documentRoutes: Readonly<Record<OrderDocument, Route>> = {
  requisition: routes.orderRequisitionPdf,
  labels: routes.orderLabelsPdf,
  collection_instructions: routes.orderCollectionInstructionsPdf,
  abn: routes.orderAbnPdf,
};

const readParsingJob = openObject('job', { id: asKey });

export type WireParsingJob = Wire<typeof readParsingJob>;

const imageEndings = { 'image/jpeg': 'jpg', 'image/png': 'png' } as const;

/** One PDF, or images as pages in their order. */
export interface LabReportInput {
  userId: string;
  files: readonly { type: 'application/pdf' | keyof typeof imageEndings; bytes: Buffer }[];
  needsHumanReview: boolean;
}

const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** The existing user from a conflict, recognised by status and structure (docs/upstream/users.md#conflict). */
function existing(refusal: UpstreamError): UserCreation | undefined {
  const user_id = refusal.detail?.userId;
  return user_id === undefined ? undefined : { outcome: 'exists', user_id };
}

function trueIfAbsent(refusal: UpstreamError): true | undefined {
  return refusal.isNotFound ? true : undefined;
}

/**
 * Client for upstream, with one method per call. Every method throws `UpstreamError`, or the reason of `options.signal`
 * if that aborts; after `unavailable`, a change may have taken effect. Takes times as epoch milliseconds and returns
 * them as upstream wrote them. Keeps unknown values of enumerations. Reads responses leniently
 * (docs/upstream/README.md#where-sources-disagree): `contract` means that something indispensable was missing.
 */
@Injectable()
export class UpstreamClient {
  constructor(private readonly transport: Transport) {}

  /** Creates a user, or returns the user that already has the `client_user_id`. Safe to repeat after any failure. */
  async createUser(input: users.WireUserInput, o: CallOptions): Promise<UserCreation> {
    const readUser = users.readUserNamed(input.client_user_id);
    const read = (body: unknown, bad: Unreadable): UserCreation => ({ outcome: 'created', user: readUser(body, bad) });
    return this.ask<UserCreation>(routes.createUser, o, { body: input, read, recover: existing });
  }

  /** Null for an unknown user, including one scheduled for deletion (docs/upstream/users.md#look-up). */
  async findUser(userId: string, o: CallOptions): Promise<users.WireUser | null> {
    const read = withId(users.readUser, 'user_id', userId);
    return this.ask(routes.getUser, o, { path: { user_id: userId }, read, recover: nullIfAbsent });
  }

  async resolveUser(clientUserId: string, o: CallOptions): Promise<users.WireUser | null> {
    const read = users.readUserNamed(clientUserId);
    return this.ask(routes.resolveUser, o, { path: { client_user_id: clientUserId }, read, recover: nullIfAbsent });
  }

  /** `limit` at most 500. */
  async listUsers(page: { offset: number; limit: number }, o: CallOptions): Promise<users.WireUserPage> {
    const query = { offset: page.offset, limit: page.limit };
    return this.ask(routes.listUsers, o, { query, read: users.readUserPage });
  }

  /** Throws `rejected` with 409 for a `client_user_id` already taken, and with 400 for an empty patch. */
  async patchUser(userId: string, patch: users.WireUserPatch, o: CallOptions): Promise<void> {
    await this.ask(routes.patchUser, o, { path: { user_id: userId }, body: patch, read: () => undefined });
  }

  /** True if the user is gone upstream, after this call or an earlier one; false if upstream reports a failure. */
  async deleteUser(userId: string, o: CallOptions): Promise<boolean> {
    const call = { path: { user_id: userId }, read: users.readSuccess, recover: trueIfAbsent };
    return this.ask<boolean>(routes.deleteUser, o, call);
  }

  /** True if the connection is gone, after this call or an earlier one. Phone SDKs may reconnect automatically. */
  async deregisterProvider(userId: string, provider: string, o: CallOptions): Promise<boolean> {
    const call = { path: { user_id: userId, provider }, read: users.readSuccess, recover: trueIfAbsent };
    return this.ask<boolean>(routes.deregisterProvider, o, call);
  }

  async connections(userId: string, o: CallOptions): Promise<users.WireConnections> {
    return this.ask(routes.connections, o, { path: { user_id: userId }, read: users.readConnections });
  }

  /** All devices of a user, in one response. */
  async devices(userId: string, o: CallOptions): Promise<users.WireDevices> {
    return this.ask(routes.devices, o, { path: { user_id: userId }, read: users.readDevices });
  }

  /** A secret for the app: pass it on and keep no copy. A response for another user is `contract`. */
  async createSignInToken(userId: string, o: CallOptions): Promise<users.WireSignInToken> {
    const read = withId(users.readSignInToken, 'user_id', userId);
    return this.ask(routes.signInToken, o, { path: { user_id: userId }, read });
  }

  /**
   * A secret for one link attempt, valid for 10 minutes and one success
   * (docs/upstream/linking-and-tokens.md#life-of-a-link-token).
   */
  async createLinkToken(input: users.WireLinkTokenInput, o: CallOptions): Promise<users.WireLinkToken> {
    return this.ask(routes.linkToken, o, { body: input, read: users.readLinkToken });
  }

  /**
   * One page of a timeseries as a flat list of groups. A source may have several groups and appear on several pages.
   * For the next page, repeat the query with `nextCursor`; null after the last.
   */
  async timeseriesPage(
    userId: string,
    path: string,
    query: data.TimeseriesQuery,
    o: CallOptions,
  ): Promise<data.WireTimeseriesPage> {
    return this.ask(routes.timeseries, o, {
      path: { user_id: userId, resource: path },
      query: data.timeseriesQuery(query),
      read: data.readTimeseriesPage,
    });
  }

  /** All summaries of a window in one response; upstream does not page them, so keep windows small. */
  async summaryList(query: data.SummaryQuery, o: CallOptions): Promise<unknown[]> {
    return this.ask(routes.summary, o, {
      path: { resource: query.path, user_id: query.userId },
      query: data.summaryQuery(query),
      read: (body) => data.readSummaries(body, query.responseKey),
    });
  }

  /** A page of a timeseries as upstream wrote it, not parsed, and the cursor of the next one. */
  async timeseriesAnswer(
    userId: string,
    path: string,
    query: data.TimeseriesQuery,
    o: CallOptions,
  ): Promise<{ answer: WireFields; nextCursor: string | null }> {
    return this.ask(routes.timeseries, o, {
      path: { user_id: userId, resource: path },
      query: data.timeseriesQuery(query),
      read: (body) => {
        const answer = asFields(body, 'page');
        asFields(answer.groups, 'groups');
        return { answer, nextCursor: nextCursorOf(answer) };
      },
    });
  }

  /** The summaries of a window as upstream wrote them, not parsed. */
  async summaryAnswer(query: data.SummaryQuery, o: CallOptions): Promise<WireFields> {
    return this.ask(routes.summary, o, {
      path: { resource: query.path, user_id: query.userId },
      query: data.summaryQuery(query),
      read: (body) => {
        data.readSummaries(body, query.responseKey);
        return asFields(body, query.path);
      },
    });
  }

  /** The parallel lists of a workout stream, as upstream sent them. */
  async workoutStream(workoutId: string, o: CallOptions): Promise<WireFields> {
    const read = (body: unknown): WireFields => asFields(body, 'stream');
    return this.ask(routes.workoutStream, o, { path: { workout_id: workoutId }, read });
  }

  async historicalPulls(input: PullQuery, o: CallOptions): Promise<data.WirePage<data.WirePullRecord>> {
    const { userId, provider, cursor } = input;
    const query = { user_id: userId, provider, next_cursor: cursor };
    return this.ask(routes.historicalPulls, o, { query, read: data.readPullPage });
  }

  /** The ingestion state of all users of the team. */
  async ingestionState(
    { userLimit, cursor }: { userLimit: number; cursor: string | null },
    o: CallOptions,
  ): Promise<data.WirePage<data.WireIngestionRecord>> {
    const query = { user_limit: userLimit, next_cursor: cursor };
    return this.ask(routes.ingestionState, o, { query, read: data.readIngestionPage });
  }

  /** The team's source priorities for a data type; empty if upstream has no such list. */
  async sourcePriorities(dataType: string, o: CallOptions): Promise<WireSourcePriorities> {
    return this.ask(routes.sourcePriorities, o, {
      query: { data_type: dataType },
      read: (body) => readSourcePriorities(body, dataType),
      recover: (refusal) => (refusal.isNotFound ? readSourcePriorities([], dataType) : undefined),
    });
  }

  /**
   * Returns an empty list for upstream's 404, which means "no slots"
   * (docs/upstream/appointments.md#errors-of-availability-and-booking).
   */
  async availability(
    input: labs.WireAvailabilityInput,
    place: labs.InputPlace,
    o: CallOptions,
  ): Promise<labs.WireAvailability> {
    const sent = place === 'query' ? { query: { ...input } } : { body: input };
    const recover = (refusal: UpstreamError): labs.WireAvailability | undefined => {
      return refusal.isNotFound ? { slots: [], timezone: null } : undefined;
    };
    return this.ask(routes.availability, o, { ...sent, read: labs.readAvailability, recover });
  }

  async compendiumSearch(input: labs.WireCompendiumInput, o: CallOptions): Promise<labs.WireCompendium> {
    return this.ask(routes.compendium, o, { body: input, read: labs.readCompendium });
  }

  async convertTests(input: labs.WireConversionInput, o: CallOptions): Promise<labs.WireConversion> {
    return this.ask(routes.conversion, o, { body: input, read: labs.readConversion });
  }

  /** One page of orderable tests; `limit` at most 50, which is upstream's default. */
  async labTests(page: { limit: number; cursor: string | null }, o: CallOptions): Promise<labs.WireLabTestPage> {
    const query = { lab_test_limit: page.limit, next_cursor: page.cursor };
    return this.ask(routes.labTests, o, { query, read: labs.readLabTestPage });
  }

  /** Null if there is no such test. */
  async labTest(id: string, o: CallOptions): Promise<labs.WireLabTest | null> {
    const call = { path: { lab_test_id: id }, read: withId(labs.readLabTest, 'id', id), recover: nullIfAbsent };
    return this.ask<labs.WireLabTest | null>(routes.labTest, o, call);
  }

  /** One page of a test's markers, with the questions to answer; pages count from 1. Null if there is no such test. */
  async labTestMarkers(id: string, page: number, o: CallOptions): Promise<labs.WireMarkerPage | null> {
    const call = { path: { lab_test_id: id }, query: { page }, read: labs.readMarkerPage, recover: nullIfAbsent };
    return this.ask<labs.WireMarkerPage | null>(routes.labTestMarkers, o, call);
  }

  async areaInfo(input: labs.WireAreaInput, o: CallOptions): Promise<labs.WireArea> {
    return this.ask(routes.areaInfo, o, { query: { ...input }, read: labs.readArea });
  }

  /** Patient service centers of a lab around a zip code. */
  async placeInfo(input: labs.WirePlacesInput, o: CallOptions): Promise<labs.WirePlaces> {
    return this.ask(routes.placeInfo, o, { query: { ...input }, read: labs.readPlaces });
  }

  /** Patient service centers for an order. Throws `rejected` with 404 if upstream has none for it. */
  async orderPlaceInfo(orderId: string, o: CallOptions): Promise<labs.WirePlaces> {
    return this.ask(routes.orderPlaceInfo, o, { path: { order_id: orderId }, read: labs.readPlaces });
  }

  async order(orderId: string, o: CallOptions): Promise<orders.WireOrder> {
    return this.ask(routes.order, o, { path: { order_id: orderId }, read: withId(orders.readOrder, 'id', orderId) });
  }

  /** A job that parses a lab report (docs/upstream/webhooks.md#parsing-jobs); null if upstream does not return it. */
  async parsingJob(jobId: string, o: CallOptions): Promise<WireFields | null> {
    const read = withId(readParsingJob, 'id', jobId);
    return this.ask<WireFields | null>(routes.parsingJob, o, { path: { job_id: jobId }, read, recover: nullIfAbsent });
  }

  /** Uploads a lab report to be parsed; never retried here. After `unavailable`, it may have been uploaded. */
  async createParsingJob({ userId, files, needsHumanReview }: LabReportInput, o: CallOptions): Promise<WireParsingJob> {
    const fields = { user_id: userId, needs_human_review: String(needsHumanReview) };
    const parts = files.map(({ type, bytes }, index) => {
      const fileName = type === 'application/pdf' ? 'report.pdf' : `page-${index + 1}.${imageEndings[type]}`;
      return { name: 'file', fileName, type, bytes };
    });
    return this.ask(routes.createParsingJob, o, { body: new Multipart(fields, parts), read: readParsingJob });
  }

  async orders(filter: orders.WireOrderFilter, o: CallOptions): Promise<orders.WireOrderPage> {
    return this.ask(routes.orders, o, { query: { ...filter }, read: orders.readOrderPage });
  }

  /** Throws `rejected` with 404 while there is no result. */
  async orderResult(orderId: string, o: CallOptions): Promise<orders.WireResult> {
    return this.ask(routes.orderResult, o, { path: { order_id: orderId }, read: orders.readResult });
  }

  /** Like `transactionResultPdf`, for one order. */
  async orderResultPdf(orderId: string, o: CallOptions): Promise<Download> {
    return this.pdf(routes.orderResultPdf, { order_id: orderId }, o);
  }

  async orderTransaction(id: string, o: CallOptions): Promise<orders.WireOrderTransaction> {
    const read = withId(orders.readOrderTransaction, 'id', id);
    return this.ask(routes.transaction, o, { path: { order_transaction_id: id }, read });
  }

  async transactionResult(id: string, o: CallOptions): Promise<orders.WireResult> {
    const path = { order_transaction_id: id };
    return this.ask(routes.transactionResult, o, { path, read: orders.readResult });
  }

  /** The PDF as a stream, which the caller must read or destroy. It may end with `UpstreamError`. */
  async transactionResultPdf(id: string, o: CallOptions): Promise<Download> {
    return this.pdf(routes.transactionResultPdf, { order_transaction_id: id }, o);
  }

  /** Like `transactionResultPdf`, for a document of an order. Throws `rejected` with 404 while there is none. */
  async orderDocumentPdf({ document, orderId, ...query }: OrderDocumentQuery, o: CallOptions): Promise<Download> {
    return this.pdf(documentRoutes[document], { order_id: orderId }, o, query);
  }

  /** Like `orderDocumentPdf`, for the instructions of a lab test. */
  async labTestInstructionsPdf(labTestId: string, o: CallOptions): Promise<Download> {
    return this.pdf(routes.labTestCollectionInstructionsPdf, { lab_test_id: labTestId }, o);
  }

  /**
   * Places an order; never retried here. Store the key before calling. After `unavailable`, the order may exist even if
   * upstream does not know the key (docs/upstream/orders.md#idempotency): look for the order before you call again with
   * the key. Upstream does not store refusals, so a corrected body may use the same key.
   */
  async createOrder(body: object, idempotencyKey: string, o: CallOptions): Promise<orders.WireOrderAnswer> {
    if (!idempotencyKeyPattern.test(idempotencyKey)) {
      const { operation } = routes.createOrder;
      throw new UpstreamError({ kind: 'rejected', reason: 'not_sendable', operation, field: 'X-Idempotency-Key' });
    }
    const headers = { 'X-Idempotency-Key': idempotencyKey, 'X-Idempotency-Error': 'no-cache' };
    return this.ask(routes.createOrder, o, { body, headers, read: orders.readOrderAnswer });
  }

  /** Never retried here: after `unavailable`, read the order before trying again. */
  async cancelOrder(orderId: string, o: CallOptions): Promise<orders.WireOrderAnswer> {
    return this.ask(routes.cancelOrder, o, { path: { order_id: orderId }, read: orders.readAnswerAbout(orderId) });
  }

  private pdf(
    route: Route,
    path: Readonly<Record<string, string>>,
    options: CallOptions,
    query: Query = {},
  ): Promise<Download> {
    const headers = { accept: 'application/pdf, application/json' };
    return this.transport.download({ route, path, query, headers }, options);
  }

  private ask<T>(route: Route, options: CallOptions, call: Omit<UpstreamCall<T>, 'route'>): Promise<T> {
    return this.transport.request({ route, ...call }, options);
  }
}
