import type { ReactNode } from 'react';

/** JSON as a collapsible tree; the first two levels are open. */
export function Tree({
  value,
  name,
  depth = 0,
}: {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
}): ReactNode {
  const label = name === undefined ? null : <span className="key">{name}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="leaf">
        {label}
        <code>{JSON.stringify(value)}</code>
      </div>
    );
  }
  const entries: [string, unknown][] = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details className="tree" open={depth < 2}>
      <summary>
        {label}
        <span className="muted">{size}</span>
      </summary>
      {entries.map(([key, one]) => (
        <Tree key={key} name={key} value={one} depth={depth + 1} />
      ))}
    </details>
  );
}
