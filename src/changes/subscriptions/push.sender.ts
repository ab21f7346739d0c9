import { Injectable } from '@nestjs/common';
import { fhirType } from '../../labs/fhir/fhir-resources.js';
import { isBroker } from '../../platform/config/broker-login.js';
import { Clock } from '../../platform/platform/clock.js';
import { newId } from '../../platform/platform/ids.js';
import { toIso } from '../../platform/platform/time.js';
import { placeOfChange, traced } from '../../platform/platform/traces.js';
import { type Change } from '../../storage/change-log/change.js';
import { cursorOf } from '../../storage/change-log/cursor.js';
import { BrokerClient } from './broker.client.js';
import { PushClient } from './push.client.js';
import { PushTelemetry } from './push.telemetry.js';
import type { PushAnswer } from './push-answer.js';
import { PushBodies } from './push-bodies.js';
import { PushSecrets } from './push-secrets.js';
import { signatureHeaders } from './push-signature.js';
import type { Payload } from './subscription.entity.js';
import type { SubscriptionRow } from './subscriptions.repository.js';

interface Sendable {
  readonly id: string;
  readonly body: string;
  /** `summary.created`, or `test`. */
  readonly type: string;
  /** When the change was noted, in epoch milliseconds. */
  readonly at: number;
  /** What brokers route by. */
  readonly route: string;
}

/** Sends changes to the endpoint of a subscription; stores nothing. */
@Injectable()
export class PushSender {
  constructor(
    private readonly client: PushClient,
    private readonly brokers: BrokerClient,
    private readonly bodies: PushBodies,
    private readonly secrets: PushSecrets,
    private readonly clock: Clock,
    private readonly telemetry: PushTelemetry,
  ) {}

  /** Returns a function that sends one of these changes. Reads the data for all bodies once. */
  async prepare(
    row: SubscriptionRow,
    changes: readonly Change[],
  ): Promise<(change: Change, signal: AbortSignal) => Promise<PushAnswer>> {
    const bodies = await this.bodies.of(row, changes);
    return (change, signal) => {
      const { number, at, kind, action, resource } = change;
      const id = cursorOf({ feed: row.feed, number, at });
      const route = [kind.replace('.', '_'), ...(resource === null ? [] : [resource])].join('.');
      const body = bodies.get(id);
      // Nothing is sent, and nothing stored about it, because the account is being erased.
      if (body === undefined) return Promise.resolve({ error: null, status: null, durationMs: 0 });
      const push = { id, body, type: `${kind}.${action}`, at, route };
      const fields = { subscription_id: row.id, kind, ...(resource === null ? {} : { resource }) };
      return traced('push', fields, () => this.send(row, push, signal), placeOfChange(change, id));
    };
  }

  /** Sends a test now; stores nothing. */
  test(row: SubscriptionRow): Promise<PushAnswer> {
    const body = this.bodies.ofTest(row);
    return this.send(row, { id: `test-${newId()}`, body, type: 'test', at: this.clock.now(), route: 'test' });
  }

  /** True if pushes of this form need a key that is not configured. */
  lacksKey(payload: Payload): boolean {
    return this.bodies.lacksKey(payload);
  }

  /** Sends one push. Rejects only if the signal aborts. */
  private async send(
    row: SubscriptionRow,
    { id, body, type, at: changedAt, route }: Sendable,
    signal?: AbortSignal,
  ): Promise<PushAnswer> {
    const at = this.clock.now();
    const secrets = this.secrets.live(row, at);
    if (secrets === null) return { error: 'signing_key_missing', status: null, durationMs: 0 };
    if (this.lacksKey(row.payload)) return { error: 'routing_key_missing', status: null, durationMs: 0 };
    const contentType = row.payload === 'fhir' && type !== 'test' ? fhirType : 'application/json';
    const headers = signatureHeaders({ id, at, body }, secrets);
    const event = { id, source: `urn:pulsekeep:feed:${row.feed}`, type: `pulsekeep.${type}`, time: toIso(changedAt) };
    const answer = isBroker(new URL(row.url))
      ? await this.brokers.send(row.url, { id, route, body, contentType, headers, event }, signal)
      : await this.client.send({ url: row.url, body, contentType, headers }, signal);
    this.telemetry.pushed(row.id, answer);
    return answer;
  }
}
