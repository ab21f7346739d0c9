import { type ReactNode, useEffect, useState } from 'react';
import type { CallOptions } from '../../clients/typescript/src/client.js';
import type { Operations } from '../lib/api.js';
import { curlOf, pulsekeepOf } from '../lib/commands.js';
import { shortened } from '../lib/shortened.js';

/** Copies a text and confirms it for a moment. */
export function Copy({
  text,
  label,
  name,
}: {
  readonly text: string;
  readonly label?: string;
  readonly name?: string;
}): ReactNode {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = window.setTimeout(() => setCopied(false), 1_500);
    return () => window.clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      className="copy"
      aria-label={isCopied ? `Copied${label === undefined ? '' : `: ${label}`}` : (name ?? `Copy ${label ?? text}`)}
      title={isCopied ? 'Copied' : (name ?? text)}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {label !== undefined && <span>{label}</span>}
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <path d={isCopied ? 'M1.5 6.5 4.5 9.5 10.5 2.5' : 'M4.5 4.5h6v6h-6zM2.5 7.5h-1v-6h6v1'} />
      </svg>
    </button>
  );
}

/** An id in monospace, with its middle omitted, and a button that copies the full id. */
export function Id({ id, whole = false }: { readonly id: string; readonly whole?: boolean }): ReactNode {
  return (
    <span className="id">
      <code title={id}>{whole ? id : shortened(id)}</code>
      <Copy text={id} name={`Copy ${id}`} />
    </span>
  );
}

/** Buttons that copy the commands equivalent to what is shown. */
export function Commands<N extends keyof Operations>({
  call,
  options,
}: {
  readonly call: N;
  readonly options?: CallOptions<N>;
}): ReactNode {
  const cli = pulsekeepOf(call, options);
  return (
    <span className="commands">
      <Copy text={curlOf(window.location.origin, call, options)} label="curl" name="Copy as a curl command" />
      {cli !== undefined && <Copy text={cli} label="pulsekeep" name="Copy as a pulsekeep command" />}
    </span>
  );
}
