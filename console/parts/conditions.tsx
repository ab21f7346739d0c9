import { type ReactNode, useEffect, useState } from 'react';
import { giveReason, isRefused, isSignedOut, PulsekeepError, queryClient } from '../lib/api.js';
import { Unanswered, useSilence } from '../lib/reachable.js';
import { Copy } from './copy.js';

const SLOW_MS = 5_000;

/** Placeholder while data is being read. Announced only to screen readers at first, and on the page after a while. */
export function Loading({ rows = 6, of = 'the page' }: { readonly rows?: number; readonly of?: string }): ReactNode {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setSlow(true), SLOW_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <div className="loading" role="status">
      <span className={isSlow ? 'slow' : 'hidden'}>
        Reading {of}
        {isSlow && ': the service takes longer than usual.'}
      </span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="bar" />
      ))}
    </div>
  );
}

/** Why a list is empty, and what would fill it. */
export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className="empty">{children}</p>;
}

/** Notes that the data shown is incomplete. */
export function Partial({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <p className="notice partial" role="status">
      {children}
    </p>
  );
}

export function Forbidden({ needed, what }: { readonly needed: string; readonly what: string }): ReactNode {
  return (
    <p className="empty">
      {what} requires the role {needed}. Ask your administrator for access.
    </p>
  );
}

/** An error with its detail and the request id for support. */
export function Failure({
  error,
  retry,
  kept,
  refused,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
  /** Data that is kept regardless of the outcome. */
  readonly kept?: string;
  /** Consequence if the service refused an action. Without a response, the action may have taken effect. */
  readonly refused?: string;
}): ReactNode {
  if (isSignedOut(error)) return null;
  if (error instanceof PulsekeepError && error.code === 'access_reason_required') return <ReasonNeeded />;
  const known = error instanceof PulsekeepError ? error : null;
  return (
    <div className="notice failure" role="alert">
      <strong>{wordsOf(error)}</strong>
      {known?.errors.map(({ field, message }) => (
        <div key={field}>
          <code>{field}</code> {message}
        </div>
      ))}
      {kept !== undefined && <div>{kept}</div>}
      {refused !== undefined && (
        <div>{isRefused(error) ? refused : 'It may still have taken effect: check before you repeat it.'}</div>
      )}
      <div className="line">
        {known?.requestId !== undefined && (
          <span className="muted">
            request <code>{known.requestId}</code> <Copy text={known.requestId} name="Copy the request id" />
          </span>
        )}
        {retry && !isFinal(known?.status) && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

/** Repeating the request would not help. */
function isFinal(status: number | undefined): boolean {
  return status === 400 || status === 404;
}

function wordsOf(error: unknown): string {
  if (error instanceof Unanswered) return error.message;
  if (!(error instanceof PulsekeepError)) return 'The service cannot be reached.';
  const { code, detail, message } = error;
  if (code === 'forbidden') return `Your role does not allow this. ${detail}`;
  return detail || message;
}

/** Asks for the reason that the service requires, which is then sent with every request until the page is closed. */
function ReasonNeeded(): ReactNode {
  const [reason, setReason] = useState('');
  return (
    <form
      className="notice"
      onSubmit={(event) => {
        event.preventDefault();
        giveReason(reason.trim());
        void queryClient.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
      }}
    >
      <label>
        <strong>A reason is required.</strong> It is stored in the access log: for example a ticket number, but no
        personal data.
        <input
          value={reason}
          maxLength={200}
          pattern="[\x20-\x7e]+"
          required
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <button type="submit" className="main">
        Submit the reason
      </button>
    </form>
  );
}

interface Queried {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly data: unknown;
  readonly isPlaceholderData: boolean;
  refetch(): unknown;
}

/** The data below could not be refreshed. An unreachable service is reported once for the page, not here. */
export function Outdated({ error, retry }: { readonly error: unknown; readonly retry: () => void }): ReactNode {
  const isSilent = useSilence() !== null;
  if (!(error instanceof PulsekeepError) && (isSilent || !(error instanceof Unanswered))) return null;
  return <Failure error={error} retry={retry} kept="The data below may be outdated." />;
}

/** Shows the state of a query until there is data, and keeps the old data when a refresh fails. */
export function Shown({
  query,
  of,
  rows,
  children,
}: {
  readonly query: Queried;
  readonly of: string;
  readonly rows?: number;
  readonly children: ReactNode;
}): ReactNode {
  const retry = (): void => void query.refetch();
  if (query.data === undefined && query.isError) return <Failure error={query.error} retry={retry} />;
  if (query.data === undefined) return <Loading of={of} rows={rows} />;
  const isFormer = query.isPlaceholderData || query.isError;
  return (
    <>
      {query.isError && <Outdated error={query.error} retry={retry} />}
      <div className={isFormer ? 'former' : undefined} aria-busy={query.isPlaceholderData}>
        {children}
      </div>
    </>
  );
}
