export interface HistoryOptions {
  days: number;
  per_day: number;
  so_far?: boolean;
  /** Offset of the person's clock from UTC in seconds. */
  utc_offset?: number;
}

export interface Connection {
  provider: string;
  createdAt: number;
  status: 'connected' | 'error' | 'paused';
  externalUserId: string | null;
  error: { type: string; message: string; at: number } | null;
  /** Event names of the resources that the provider offers here. */
  resources: string[];
  /** Those that the person did not allow. */
  denied: readonly string[];
  demo: boolean;
  /** How data of the person is generated; null if it is not. */
  history: HistoryOptions | null;
}

interface Manual {
  value: string;
  updatedAt: number;
}

export interface User {
  user_id: string;
  client_user_id: string;
  createdAt: number;
  timeZone: Manual | null;
  birthDate: Manual | null;
  ingestionStart: string | null;
  ingestionEnd: string | null;
  /** Time of the request for deletion; the data is deleted after seven days. */
  deletedAt: number | null;
  connections: Map<string, Connection>;
  /** Connections of phone providers that were deregistered; the phone still has them. */
  onPhone: Map<string, Connection>;
  refreshes: number[];
}
