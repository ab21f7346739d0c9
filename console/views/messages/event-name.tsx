import { Fragment, type ReactNode } from 'react';

/** The event of a message; a line may end after each of its parts, none within a word. */
export function EventName({ of }: { readonly of: string | null }): ReactNode {
  if (of === null) return <span className="muted">no event</span>;
  return of.split(/(?<=[._])/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}
