import type { SqlInput } from './dialect.js';

export const replicaFaults = ['unseen', 'untold', 'unreachable', 'writable', 'other_database', 'behind'] as const;
/**
 * Why reads go to the primary. `unseen`: the process has not looked yet. `untold`: the primary does not tell its
 * history, so its standbys cannot be told from others. `writable`: not a standby, for example since its promotion.
 */
export type ReplicaFault = (typeof replicaFaults)[number];

export interface ReplicaState {
  /** Null while it is used. */
  readonly fault: ReplicaFault | null;
  /**
   * Used: how long the last look waited for the standby. Behind: age of the last commit that it shows, by its clock.
   * Otherwise null.
   */
  readonly lagMs: number | null;
  /** Error of `unreachable`. */
  readonly error?: unknown;
}

/** What the reader knows of the standby of `DATABASE_READ_URL`. */
export interface Replica {
  readonly state: ReplicaState;
  /** Called for every read that may go to the replica, with where it went. */
  onRead: (server: 'replica' | 'primary') => void;
  /**
   * The rows as of this moment or later; null if they have to be read from the primary. Throws if the primary cannot be
   * asked for its position, or if the statement met its limit.
   */
  rows<T>(sql: string, parameters: readonly SqlInput[]): Promise<T[] | null>;
  /** Decides again whether it is used. Rejects if the primary cannot be asked. */
  look(): Promise<void>;
  close(): Promise<void>;
}
