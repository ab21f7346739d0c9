import { type ReactNode, useState } from 'react';
import { giveReason, isSignedOut, PulsekeepError, queryClient } from '../lib/api.js';
import { Copy } from './copy.js';

/** Holds the place of something that is being read; words appear for a screen reader only. */
export function Loading({ rows = 6, of = 'the page' }: { readonly rows?: number; readonly of?: string }): ReactNode {
  return (
    <div className="loading" role="status">
      <span className="hidden">Reading {of}</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="bar" />
      ))}
    </div>
  );
}

/** Why there is nothing, and what would fill it. */
export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className="empty">{children}</p>;
}

/** Something is shown, but not all of it. */
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
      {what} is shown to people with the role {needed}. Ask whoever holds the keys for it.
    </p>
  );
}

/** An error with its detail and the id to name to the person who looks into it. */
export function Failure({
  error,
  retry,
  kept,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
  readonly kept?: string;
}): ReactNode {
  if (isSignedOut(error)) return null;
  if (error instanceof PulsekeepError && error.code === 'access_reason_required') return <ReasonNeeded />;
  const known = error instanceof PulsekeepError ? error : null;
  const title = known ? wordsOf(known) : 'The service cannot be reached.';
  return (
    <div className="notice failure" role="alert">
      <strong>{title}</strong>
      {known?.errors.map(({ field, message }) => (
        <div key={field}>
          <code>{field}</code> {message}
        </div>
      ))}
      {kept !== undefined && <div>{kept}</div>}
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

/** The same request would have the same answer. */
function isFinal(status: number | undefined): boolean {
  return status === 400 || status === 404;
}

function wordsOf({ status, detail, message }: PulsekeepError): string {
  if (status === 403) return `Your role does not allow it. ${detail}`;
  return detail || message;
}

/** Asks for the reason that the service requires; sent with every request until the page is closed. */
export function ReasonNeeded(): ReactNode {
  const [reason, setReason] = useState('');
  return (
    <form
      className="notice"
      onSubmit={(event) => {
        event.preventDefault();
        giveReason(reason.trim());
        void queryClient.invalidateQueries();
      }}
    >
      <label>
        <strong>Why do you look at this?</strong> The access log keeps the reason; a ticket will do, and nothing about a
        person.
        <input
          value={reason}
          maxLength={200}
          pattern="[\x20-\x7e]+"
          required
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <button type="submit" className="main">
        Give the reason
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

/** The data below could not be refreshed. That the service does not answer is said once, above all of the page. */
export function Outdated({ error, retry }: { readonly error: unknown; readonly retry: () => void }): ReactNode {
  if (!(error instanceof PulsekeepError)) return null;
  return <Failure error={error} retry={retry} kept="What is shown below was read before." />;
}

/** Shows what a query is like until there is something, and keeps the old value when a newer one cannot be read. */
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
  return (
    <div className={query.isPlaceholderData ? 'former' : undefined} aria-busy={query.isPlaceholderData}>
      {query.isError && <Outdated error={query.error} retry={retry} />}
      {children}
    </div>
  );
}
