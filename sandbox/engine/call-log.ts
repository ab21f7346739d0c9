export interface LoggedCall {
  method: string;
  /** Route template, or the path itself if no route matched. */
  path: string;
  /** Path as called, without the query. */
  url_path: string;
  /** Null if the connection was cut without a response. */
  status: number | null;
  at: string;
  query_keys: string[];
}

const KEPT = 20_000;

/** The calls made to upstream. Never contains bodies, headers or query values. */
export class CallLog {
  private calls: LoggedCall[] = [];

  add(call: LoggedCall): void {
    this.calls.push(call);
    if (this.calls.length > KEPT) this.calls = this.calls.slice(-KEPT / 2);
  }

  find(filter: { path?: string; method?: string }): LoggedCall[] {
    const { path = '', method } = filter;
    return this.calls.filter(
      (call) =>
        (call.path.startsWith(path) || call.url_path.startsWith(path)) &&
        (method === undefined || call.method === method.toUpperCase()),
    );
  }

  clear(): void {
    this.calls = [];
  }
}

/** Number of calls per `METHOD template`. */
export function countCalls(calls: LoggedCall[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const call of calls) {
    const key = `${call.method} ${call.path}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
