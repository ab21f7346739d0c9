import { type ReactNode, useState } from 'react';
import { useMay } from '../lib/session.js';
import { Forbidden } from './conditions.js';

/** Health values behind a button: they are read only after it was pressed, and the access log records the read. */
export function OnRequest({
  choice,
  act,
  prompt,
  filters,
  children,
}: {
  /** Identifies the values to read; null until they are chosen. */
  readonly choice: string | null;
  readonly act: string;
  readonly prompt: string;
  readonly filters: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const [asked, setAsked] = useState<string | null>(null);
  // Choosing it again later needs a new request.
  if (asked !== null && asked !== choice) setAsked(null);
  if (!useMay('reader')) return <Forbidden needed="reader" what="Health data" />;
  return (
    <>
      <div className="line filters">
        {filters}
        {choice !== null && asked !== choice && (
          <button type="button" className="main" onClick={() => setAsked(choice)}>
            {act}
          </button>
        )}
      </div>
      {choice !== null && asked === choice ? (
        children
      ) : (
        <p className="empty">
          {choice === null ? `${prompt} ` : ''}Values are read only on request, and the access log records each read.
        </p>
      )}
    </>
  );
}
