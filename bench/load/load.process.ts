import { serve } from '../process/serve.js';
import { type Deliveries, signedRequests } from './deliveries.js';
import { type LoadResult, Pacer, Tally, withConnections } from './pacer.js';

export type { LoadResult } from './pacer.js';

/* Sends signed messages to a server. The messages are built before the clock starts. */

export interface Target {
  readonly port: number;
  readonly connections: number;
  readonly deliveries: Deliveries;
}

const commands = {
  /** Every connection sends its next message right after a response. */
  async burst(target: Target): Promise<LoadResult> {
    const requests = signedRequests(target.deliveries);
    return withConnections(target, (connections) => {
      const tally = new Tally(requests.length);
      let next = 0;
      return Promise.all(
        connections.map(async (connection) => {
          while (next < requests.length)
            await tally.exchange(connection, requests[next++] as Buffer, performance.now());
        }),
      ).then(() => tally.result());
    });
  },

  /** Sends `rate` messages per second at random instants, whether or not earlier ones got a response. */
  async paced({ rate, ...target }: Target & { rate: number }): Promise<LoadResult> {
    const requests = signedRequests(target.deliveries);
    return withConnections(target, (connections) => new Pacer(connections, requests, rate).run());
  },
};
export type LoadCommands = typeof commands;

serve(commands);
