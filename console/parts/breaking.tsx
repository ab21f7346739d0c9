import { Fragment, type ReactNode } from 'react';

/** A long name of several parts, such as an event or an address; lines break only between parts. */
export function Breaking({ text }: { readonly text: string }): ReactNode {
  return text.split(/(?<=[._/])/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

/** A sentence whose dates stay on one line each. */
export function WholeDates({ text }: { readonly text: string }): ReactNode {
  return text.split(/(\d{4}-\d\d-\d\d)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={index} className="unbroken">
        {part}
      </span>
    ),
  );
}

/** The event of a message. */
export function EventName({ of }: { readonly of: string | null }): ReactNode {
  return of === null ? <span className="muted">no event</span> : <Breaking text={of} />;
}
