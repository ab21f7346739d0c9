import { AsyncLocalStorage } from 'node:async_hooks';

/** The trace of a request, as in W3C `traceparent`; hexadecimal. */
export interface Trace {
  readonly traceId: string;
  readonly flags: string;
  /** The span above; absent if it is not known. */
  readonly spanId?: string;
  /** True if that span is one of this process. */
  readonly isOwn?: true;
}

/** Facts about a request for the work on its behalf. */
interface RequestContext {
  readonly trace?: Trace;
  /** The account or key behind the request. */
  readonly caller?: string;
  /** Its reads may go to the replica of the database. */
  readonly mayReadReplica?: boolean;
}

/** One storage for all of it, because Node 20 visits each storage at every promise. */
const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and everything that it starts, with these facts and those that are already known. */
export function withinRequest<T>(known: RequestContext, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...known }, work);
}

/** Empty outside of requests. */
export function requestContext(): RequestContext {
  return storage.getStore() ?? {};
}
