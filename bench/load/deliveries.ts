import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { eventResource, source, userId, type WirePoint, wirePoints } from './points.js';

/** Signs every message of a run. */
export const webhookSecret = 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY';
const key: KeyObject = createSecretKey(Buffer.from(webhookSecret.replace('whsec_', ''), 'base64'));

/** An event of about 2 kB. */
export const pointsPerMessage = 19;

export interface Deliveries {
  readonly path: string;
  /** Prefix of message ids, so that no two bursts share one. */
  readonly label: string;
  /** Accounts get messages in turn. No two messages of an account share a point. */
  readonly accounts: number;
  /** Number of the first message; equal numbers mean equal points. */
  readonly first: number;
  readonly count: number;
  /** Points of each message; default `pointsPerMessage`. */
  readonly points?: number;
}

/** Complete HTTP requests, signed with the current time, ready to write to a socket. */
export function signedRequests(deliveries: Deliveries): Buffer[] {
  const { points = pointsPerMessage } = deliveries;
  const timestamp = Math.floor(Date.now() / 1000);
  return Array.from({ length: deliveries.count }, (_, offset) => {
    const number = deliveries.first + offset;
    return signedRequest(deliveries.path, `msg_${deliveries.label}_${number}`, {
      timestamp,
      body: messageBody(
        number % deliveries.accounts,
        wirePoints(Math.floor(number / deliveries.accounts) * points, points),
      ),
    });
  });
}

function messageBody(account: number, points: readonly WirePoint[]): Buffer {
  const data = { source: { ...source, app_id: null, device_id: null }, data: points };
  return Buffer.from(
    JSON.stringify({
      event_type: `daily.data.${eventResource}.created`,
      user_id: userId(account),
      client_user_id: `bench-${account}`,
      team_id: userId(0xfff),
      data,
    }),
  );
}

function signedRequest(path: string, id: string, message: { timestamp: number; body: Buffer }): Buffer {
  const { timestamp, body } = message;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    `content-length: ${body.length}`,
    `webhook-id: ${id}`,
    `webhook-timestamp: ${timestamp}`,
    `webhook-signature: v1,${signature}`,
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head), body]);
}
