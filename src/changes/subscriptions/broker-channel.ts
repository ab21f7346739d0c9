import type { BrokerLogin } from '../../platform/config/broker-login.js';
import type { Lookup } from './address-guard.js';
import type { BrokerAddress } from './broker-address.js';
import type { PushError } from './push-answer.js';

export interface BrokerMessage {
  /** The same at every attempt. */
  readonly id: string;
  /** What follows the prefix in the subject or routing key: `summary.sleep`. */
  readonly route: string;
  /** JSON. */
  readonly body: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly event: CloudEvent;
}

/** Attributes of CloudEvents 1.0, which both brokers get as headers with their prefix. */
export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
}

/** A connection to a broker. */
export interface BrokerChannel {
  /** Resolves once the broker has stored the message (null) or refused it. Rejects if the connection fails. */
  publish(message: BrokerMessage): Promise<PushError | null>;
  /** False once the connection is lost. */
  readonly isOpen: boolean;
  close(): void;
}

export interface Connecting {
  readonly address: BrokerAddress;
  readonly login: BrokerLogin | null;
  readonly lookup: Lookup;
  readonly timeoutMs: number;
}

/** Attributes as headers. */
export function attributes({ id, source, type, time }: CloudEvent, prefix: string): Record<string, string> {
  const all = { specversion: '1.0', id, source, type, time };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [`${prefix}${name}`, value]));
}
