import { type ReactNode, useEffect, useState } from 'react';
import { fromLocalInput, toLocalInput } from '../lib/span.js';

/** A choice between a few values; the first one means all. */
export function Choice<T extends string>({
  label,
  value,
  values,
  all = 'all',
  onChange,
}: {
  readonly label: string;
  readonly value: T | undefined;
  readonly values: readonly T[];
  readonly all?: string;
  readonly onChange: (value: T | undefined) => void;
}): ReactNode {
  return (
    <label className="filter">
      <span>{label}</span>
      <select value={value ?? ''} onChange={(event) => onChange(values.find((one) => one === event.target.value))}>
        <option value="">{all}</option>
        {values.map((one) => (
          <option key={one} value={one}>
            {one.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A text that takes effect on Enter or when the field loses focus, so that not every letter causes a request. */
export function TextFilter({
  label,
  value,
  type = 'text',
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly type?: 'text' | 'date' | 'datetime-local';
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  const [draft, setDraft] = useState(value ?? '');
  useEffect(() => setDraft(value ?? ''), [value]);
  const take = (): void => {
    if (draft !== (value ?? '')) onChange(draft.trim() || undefined);
  };
  return (
    <label className="filter">
      <span>{label}</span>
      <input
        type={type}
        value={draft}
        spellCheck={false}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => event.key === 'Enter' && take()}
      />
    </label>
  );
}

/** The chosen time range; both ends stay on one line where there is room. */
export function SpanFilter({
  from,
  to,
  onChange,
}: {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onChange: (changed: { readonly from?: string | undefined; readonly to?: string | undefined }) => void;
}): ReactNode {
  return (
    <div className="span">
      <TimeFilter label="from" value={from} onChange={(chosen) => onChange({ from: chosen })} />
      <TimeFilter label="to" value={to} onChange={(chosen) => onChange({ to: chosen })} />
    </div>
  );
}

/** A time in the browser's time zone, stored as an instant in the address. */
function TimeFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  const shown = toLocalInput(value);
  return (
    <TextFilter
      label={label}
      type="datetime-local"
      value={shown}
      onChange={(typed) => onChange(fromLocalInput(typed ?? ''))}
    />
  );
}
