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

/** The event of a message. */
export function EventName({ of }: { readonly of: string | null }): ReactNode {
  return of === null ? <span className="muted">no event</span> : <Breaking text={of} />;
}
