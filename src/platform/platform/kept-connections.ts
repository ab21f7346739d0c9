import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { LRUCache } from 'lru-cache';

/** A host can move: its new address is looked up only for a new connection. */
const MAX_AGE_MS = 60_000;

/**
 * Keeps connections between requests, by origin. None is reused after a minute, nor after `drop`: as long as an old
 * connection works, or is waited for, a request would not reach the new address of a host.
 */
export class KeptConnections {
  private readonly agents: LRUCache<string, HttpAgent>;

  constructor(
    private readonly maxFreePerOrigin: number,
    maxAgeMs = MAX_AGE_MS,
  ) {
    this.agents = new LRUCache({ ttl: maxAgeMs, ttlAutopurge: true, dispose: retire });
  }

  /** Agent for a request that is sent now. */
  agentFor({ origin, protocol }: URL): HttpAgent {
    const kept = this.agents.get(origin);
    if (kept) return kept;
    const options = { keepAlive: true, maxFreeSockets: this.maxFreePerOrigin };
    const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
    this.agents.set(origin, agent);
    return agent;
  }

  /** The next request to the origin gets a new connection. Requests on the way are not interrupted. */
  drop({ origin }: URL): void {
    this.agents.delete(origin);
  }

  /** Closes all connections to the current agents, also those in use. */
  close(): void {
    const agents = [...this.agents.values()];
    this.agents.clear();
    for (const agent of agents) agent.destroy();
  }
}

/** Closes idle connections now, and those in use when their request ends. */
function retire(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

interface Sent {
  readonly reusedSocket?: boolean;
  readonly res?: unknown;
}

/** True if a request failed on a reused connection before a response: its peer had closed or lost the connection. */
export function diedOnKeptConnection({ reusedSocket, res }: Sent, error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return reusedSocket === true && !res && (code === 'ECONNRESET' || code === 'EPIPE');
}
