import { type ReactNode, useEffect } from 'react';
import { Copy } from './copy.js';

/** Title, a line of filters, commands, content. */
export function Page({
  title,
  id,
  filters,
  commands,
  children,
}: {
  readonly title: ReactNode;
  /** An id in the title that can be copied. */
  readonly id?: string;
  readonly filters?: ReactNode;
  readonly commands?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  useEffect(() => {
    document.title = typeof title === 'string' ? `${title} · Pulsekeep` : 'Pulsekeep';
  }, [title]);
  return (
    <>
      <header className="title">
        <h1>{title}</h1>
        {id !== undefined && <Copy text={id} name="Copy the id" />}
        {filters !== undefined && (
          <search className="filters" aria-label="Filters">
            {filters}
          </search>
        )}
        {commands}
      </header>
      {children}
    </>
  );
}

/** A section of a page with a heading. */
export function Section({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="section">
      <h2>
        {title}
        {note !== undefined && <span className="note">{note}</span>}
      </h2>
      {children}
    </section>
  );
}

/** Names and values of one object. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }): ReactNode {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
