import { serve } from '../process/serve.js';
import { mixedRequests, signIns } from './app-requests.js';
import type { Connection } from './connection.js';
import { type LoadResult, Pacer, withConnections } from './pacer.js';

/* Apps of the customer: one account's that never stop, and others that sign in. */

interface Insistence {
  readonly port: number;
  readonly connections: number;
  readonly account: number;
  readonly seconds: number;
}

interface SignIns {
  readonly port: number;
  readonly connections: number;
  readonly accounts: { readonly first: number; readonly count: number };
  readonly rate: number;
  readonly seconds: number;
}

const commands = {
  /** Each connection asks anew as soon as it is answered, one route after the other; answers how often by status. */
  async insist({ account, seconds, ...target }: Insistence): Promise<Record<string, number>> {
    const requests = mixedRequests(account);
    const statuses: Record<string, number> = {};
    const end = performance.now() + seconds * 1_000;
    const ask = async (connection: Connection, from: number): Promise<void> => {
      for (let next = from; performance.now() < end; next++) {
        const status = await new Promise<number>((resolve, reject) =>
          connection.send(requests[next % requests.length] as Buffer, resolve, reject),
        );
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await withConnections(target, (connections) => Promise.all(connections.map(ask)));
    return statuses;
  },

  async signIn({ accounts, rate, seconds, ...target }: SignIns): Promise<LoadResult> {
    const requests = signIns(accounts, rate * seconds);
    return withConnections(target, (connections) => new Pacer(connections, requests, rate).run());
  },
};
export type CallerCommands = typeof commands;

serve(commands);
