import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { ConnectionsService } from '../../accounts/connections/connections.service.js';
import { DevicesService } from '../../accounts/connections/devices.service.js';
import { LinkAttempts } from '../../accounts/connections/link-attempts.service.js';
import {
  asFields,
  asKey,
  asText,
  codeOrOther,
  isFields,
  textOrNull,
  type WireFields,
  WireShapeError,
} from '../../platform/platform/json-reader.js';
import { parseUtcInstant } from '../../platform/platform/time.js';
import { readDevice } from '../../upstream/client/wire-users.js';
import { HistoricalPulls } from '../sources/historical-pulls.service.js';
import { PullStreams } from '../streams/pull-streams.service.js';
import { type Plan, type RoutedEvent, write } from './event.js';

/**
 * Events about connections, devices (docs/upstream/webhooks.md#connection-events) and finished historical pulls. They
 * may arrive late and in any order, so each connection event requests a poll of what is connected now.
 */
@Injectable()
export class SourceHandler {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly devices: DevicesService,
    private readonly accounts: AccountsService,
    private readonly streams: PullStreams,
    private readonly links: LinkAttempts,
    private readonly historicalPulls: HistoricalPulls,
  ) {}

  connected({ data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    const provider = providerOf(fields);
    const availability = fields['resource_availability'];
    const resource_availability = isFields(availability) ? availability : null;
    const external_user_id = textOrNull(fields['external_user_id']);
    return write(async (tx, account) => {
      const fact = { provider, resource_availability, external_user_id, observedAt: receivedAt };
      const changed = await this.connections.recordConnected(tx, account, fact);
      if (changed) {
        const source = { availability: resource_availability, connectedAt: receivedAt };
        await this.streams.connect(tx, account, provider, source);
      }
      if (changed) await this.links.connected(tx, { account, provider, at: receivedAt });
      await this.accounts.polls.request(tx, account);
    });
  }

  /** The source sends nothing until the person connects it again. */
  broken({ data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    const provider = providerOf(fields);
    const error_type = codeOrOther(fields['error_type']);
    return write(async (tx, account) => {
      const fact = { provider, error_type, observedAt: receivedAt };
      const changed = await this.connections.recordError(tx, account, fact);
      if (changed) await this.streams.pause(tx, account, provider);
      await this.accounts.polls.request(tx, account);
    });
  }

  device({ data, receivedAt }: RoutedEvent): Plan {
    const device = readDevice(data);
    return write(async (tx, account) => {
      // The event may be late, so only upstream's list shows whether a gone device is back.
      const isGone = await this.devices.record(tx, account, device, receivedAt);
      if (isGone) await this.accounts.polls.request(tx, account);
    });
  }

  /**
   * `historical.data.{R}.created` has no records, only a range that we can pull now
   * (docs/upstream/webhooks.md#historical-completion).
   */
  history({ resource, data, receivedAt }: RoutedEvent): Plan {
    const fields = asFields(data, 'data');
    const completion = {
      provider: asKey(fields['provider'], 'provider'),
      eventResource: resource,
      start: asInstant(fields['start_date'], 'start_date'),
      end: asInstant(fields['end_date'], 'end_date'),
      at: receivedAt,
    };
    return write(async (tx, account) => {
      await this.historicalPulls.completed(tx, account, completion);
      // The event has no count of days; introspection has.
      await this.accounts.polls.request(tx, account);
    });
  }
}

function asInstant(value: unknown, field: string): number {
  const instant = parseUtcInstant(asText(value, field));
  if (instant === null) throw new WireShapeError(field);
  return instant;
}

/** An object if the source was connected, a text if it failed. `source` is the deprecated name. */
function providerOf(fields: WireFields): string {
  const provider = fields['provider'] ?? fields['source'];
  return asKey(isFields(provider) ? provider['slug'] : provider, 'provider');
}
