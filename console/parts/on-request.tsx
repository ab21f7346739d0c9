import { type ReactNode, useState } from 'react';
import { useMay } from '../lib/session.js';
import { Forbidden } from './conditions.js';

/** Health values behind a button: what is chosen is read only after it was pressed, and the access log keeps that. */
export function OnRequest({
  choice,
  act,
  prompt,
  filters,
  children,
}: {
  /** The values to read; null while that is not chosen. */
  readonly choice: string | null;
  readonly act: string;
  readonly prompt: string;
  readonly filters: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const [asked, setAsked] = useState<string | null>(null);
  // Chosen again later, it is another read.
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
